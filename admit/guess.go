package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/sandbox"
)

const (
	oneShotPlayer = "one shot"       // the solver's first action on further seeds
	swapPlayer    = "other's answer" // the first action of another seed with the same observation
)

// guessSeeds is the number of seeds, from 0, among which equal observations are looked for.
const guessSeeds = 64

// mostSwaps bounds the pairs of seeds that are played.
const mostSwaps = 4

// guess looks, where a wrong first action ends the episode, for seeds with the same observation and different first
// actions of solution(), and plays the action of one on the other.
func (e *evidence) guess(ctx context.Context, r *run) error {
	if !e.hasSolution || !e.firstActionDecides() {
		return nil
	}
	var sittings []sitting
	for seed := range int64(guessSeeds) {
		sittings = append(sittings, sitting{episodeKey{player: oneShotPlayer, seed: seed}, firstOnly(solverMove(e.kind))})
	}
	episodes, err := r.playAll(ctx, sittings)
	if err != nil {
		return err
	}
	swapped, err := r.playAll(ctx, swaps(episodes))
	lost := slices.IndexFunc(swapped, lostAtOnce)
	if err != nil || lost < 0 {
		return err
	}
	alike := slices.IndexFunc(episodes, func(ep *episode) bool {
		return len(ep.turns) > 0 && ep.first == swapped[lost].first && ep.turns[0].action == swapped[lost].turns[0].action
	})
	return e.ask(ctx, r, episodes[alike], swapped[lost])
}

// ask notes whether one action leaves the episode open on two seeds that look alike and want different answers: it is no
// answer then.
func (e *evidence) ask(ctx context.Context, r *run, a, b *episode) error {
	var sittings []sitting
	for round, action := range e.questions(a) {
		for _, seed := range []int64{a.seed, b.seed} {
			sittings = append(sittings, sitting{episodeKey{questionPlayer, seed, round}, scripted([]string{action})})
		}
	}
	asked, err := r.playAll(ctx, sittings)
	for i := 0; i+1 < len(asked); i += 2 {
		e.canAsk = e.canAsk || !asked[i].over() && !asked[i+1].over()
	}
	return err
}

// questionPlayer plays what may be a question.
const questionPlayer = "question"

// mostQuestions bounds the actions that are tried as questions.
const mostQuestions = 96

// questions returns actions that may ask instead of answer: that of ep and the boxes of its first observation with their
// first or last word replaced by another word of the observation. An environment may end the episode on anything that is
// no command.
func (e *evidence) questions(ep *episode) []string {
	forms := []string{contentOf(ep.turns[0].action)}
	for _, box := range boxPattern.FindAllStringSubmatch(ep.first, -1) {
		forms = append(forms, box[1])
	}
	var questions []string
	for _, word := range wordPattern.FindAllString(ep.first, mostOffers) {
		for _, form := range forms {
			words := strings.Fields(form)
			if len(words) == 0 {
				continue
			}
			for _, at := range []int{0, len(words) - 1} {
				changed := slices.Clone(words)
				changed[at] = word
				action := answer(e.kind, strings.Join(changed, " "))
				if !slices.Contains(questions, action) && len(questions) < mostQuestions {
					questions = append(questions, action)
				}
			}
		}
	}
	return questions
}

func lostAtOnce(ep *episode) bool { return len(ep.turns) == 1 && ep.over() && !ep.won() }

// firstOnly ends the episode of a move after its first action.
func firstOnly(m move) move {
	return func(ctx context.Context, env *sandbox.Instance, turn int, observation string) (string, bool, *sandbox.Fault, error) {
		if turn > 0 {
			return "", false, nil, nil
		}
		return m(ctx, env, turn, observation)
	}
}

// firstActionDecides reports whether solution() won, and every first action that was not that of solution() ended its
// episode: there was no way to ask, or to try again.
func (e *evidence) firstActionDecides() bool {
	for _, ep := range e.plain.order {
		l, looked := e.plain.looks[ep.seed]
		if ep.player == solver && !ep.won() {
			return false
		}
		if !looked || len(ep.turns) == 0 || e.kind == spade.ToolUse && ep.player == solver ||
			contentOf(ep.turns[0].action) == contentOf(boxed(l.solution)) {
			continue
		}
		if first := ep.turns[0].step; !first.Terminated && !first.Truncated {
			return false
		}
	}
	return true
}

// swaps returns plays of seeds with the action that wins on an earlier seed with the same first observation.
func swaps(episodes []*episode) []sitting {
	var sittings []sitting
	seen := make(map[string]string) // observation → action
	for _, ep := range episodes {
		if len(ep.turns) == 0 || len(sittings) == mostSwaps {
			continue
		}
		action := ep.turns[0].action
		if other, ok := seen[ep.first]; !ok {
			seen[ep.first] = action
		} else if other != action {
			key := episodeKey{player: swapPlayer, seed: ep.seed}
			sittings = append(sittings, sitting{key, scripted([]string{other})})
		}
	}
	return sittings
}

// answersAreDecided refuses environments that begin with a guess.
//
// Catches: one try at a first action that the observation does not decide: seeds that look alike ask for different
// ones, as in a coin flip, and a wrong one ends the episode, as does everything that might ask instead. Costs: nothing where
// play goes on after a wrong action; else guessSeeds episodes of one turn, at the same time, and up to mostQuestions more
// where a guess was found. Cannot see: guesses beside which something that varies is shown,
// those that may be wrong at times, and those of later turns.
func answersAreDecided(e *evidence) []spade.Reason {
	if e.canAsk {
		return nil
	}
	for seed := range int64(guessSeeds) {
		ep := e.plain.episode(swapPlayer, seed)
		if ep == nil || !lostAtOnce(ep) {
			continue
		}
		right := e.plain.episode(oneShotPlayer, seed)
		return []spade.Reason{{
			Code: spade.Trivial,
			Detail: fmt.Sprintf("it begins with a guess that has one try: on seed %d %s is right, and on another seed with the same observation %s",
				seed, quote(right.turns[0].action), quote(ep.turns[0].action)),
			Evidence: spade.Evidence{
				Seed: &seed, Actions: cutAll(ep.actions()), First: cutAll(right.lines()), Second: cutAll(ep.lines()),
			},
		}}
	}
	return nil
}
