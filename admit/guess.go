package admit

import (
	"context"
	"fmt"

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
	_, err = r.playAll(ctx, swaps(episodes))
	return err
}

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
// ones, as in a coin flip, and a wrong one ends the episode. Costs: nothing where play goes on after a wrong action; else
// guessSeeds episodes of one turn, at the same time. Cannot see: guesses beside which something that varies is shown,
// those that may be wrong at times, and those of later turns.
func answersAreDecided(e *evidence) []spade.Reason {
	for seed := range int64(guessSeeds) {
		ep := e.plain.episode(swapPlayer, seed)
		if ep == nil || ep.won() || len(ep.turns) != 1 || !ep.over() {
			continue
		}
		right := e.plain.episode(oneShotPlayer, seed)
		return []spade.Reason{{
			Code: spade.Trivial,
			Detail: fmt.Sprintf("it begins with a guess that has one try: on seed %d %q is right, and on another seed with the same observation %q",
				seed, right.turns[0].action, ep.turns[0].action),
			Evidence: spade.Evidence{
				Seed: &seed, Actions: cutAll(ep.actions()), First: cutAll(right.lines()), Second: cutAll(ep.lines()),
			},
		}}
	}
	return nil
}
