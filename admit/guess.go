package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
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
	if err := r.look(ctx, seedsFrom(lookSeeds, guessSeeds), false); err != nil {
		return err
	}
	alike := e.lookalikes()
	var sittings []sitting
	for _, l := range alike {
		sittings = append(sittings,
			script(episodeKey{player: swapPlayer, seed: l.seed}, l.action),
			sitting{key: episodeKey{player: oneShotPlayer, seed: l.seed}, next: firstOnly(solverMove(e.kind))})
	}
	episodes, err := r.playAll(ctx, sittings)
	if err != nil {
		return err
	}
	for i, l := range alike {
		if lostAtOnce(episodes[2*i]) {
			return e.ask(ctx, r, l)
		}
	}
	return nil
}

// lookalike is a seed that looks like an earlier one and wants another first action.
type lookalike struct {
	seed, other int64
	// action is the first action of solution() on the other seed.
	action string
}

// lookalikes returns at most mostSwaps of the first guessSeeds seeds.
func (e *evidence) lookalikes() []lookalike {
	var found []lookalike
	first := make(map[string]int64) // by observation, the first seed
	for seed := range int64(guessSeeds) {
		l, looked := e.plain.looks[seed]
		action := e.firstAction(l)
		if !looked || action == "" || len(found) == mostSwaps {
			continue
		}
		other, seen := first[l.observation]
		if !seen {
			first[l.observation] = seed
		} else if wanted := e.firstAction(e.plain.looks[other]); wanted != action {
			found = append(found, lookalike{seed, other, wanted})
		}
	}
	return found
}

// firstAction is what the solver does first, "" if solution() names nothing.
func (e *evidence) firstAction(l look) string {
	if e.kind != spade.ToolUse {
		return boxed(l.solution)
	}
	if lines := nonBlankLines(l.solution); len(lines) > 0 {
		return lines[0]
	}
	return ""
}

// ask notes whether one action leaves the episode open on two seeds that look alike and want different answers: it is no
// answer then.
func (e *evidence) ask(ctx context.Context, r *run, l lookalike) error {
	var sittings []sitting
	for round, action := range e.questions(e.plain.looks[l.other].observation, l.action) {
		for _, seed := range []int64{l.other, l.seed} {
			sittings = append(sittings, script(episodeKey{questionPlayer, seed, round}, action))
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

// questions returns actions that may ask instead of answer: an action that answers and the boxes of the first observation
// with their first or last word replaced by another word of the observation. An environment may end the episode on
// anything that is no command.
func (e *evidence) questions(first, action string) []string {
	forms := []string{contentOf(action)}
	for _, box := range boxPattern.FindAllStringSubmatch(first, -1) {
		forms = append(forms, box[1])
	}
	var questions []string
	for _, word := range wordPattern.FindAllString(first, mostOffers) {
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
	return func(now moment) (string, decision) {
		if now.turn > 0 {
			return "", stops
		}
		return m(now)
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

// answersAreDecided refuses environments that begin with a guess.
//
// Catches: one try at a first action that the observation does not decide: seeds that look alike ask for different
// ones, as in a coin flip, and a wrong one ends the episode, as does everything that might ask instead. Costs: nothing where
// play goes on after a wrong action; else a look at guessSeeds seeds and, where some look alike, some episodes of one turn. Cannot see: guesses beside which something that varies is shown,
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
