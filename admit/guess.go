package admit

import (
	"context"
	"fmt"

	"spade"
)

const (
	oneShotPlayer = "one shot"       // the solver on further seeds
	swapPlayer    = "other's answer" // what wins on another seed with the same observation
)

// guessSeeds is the number of seeds, from 0, among which equal observations are looked for.
const guessSeeds = 64

// mostSwaps bounds the pairs of seeds that are played.
const mostSwaps = 4

// guess looks, where any action ends the episode, for seeds with the same observation and different winning actions, and plays the
// action of one on the other.
func (e *evidence) guess(ctx context.Context, r *run) error {
	for _, seed := range playSeeds {
		if ep := r.view.episode(solver, seed); ep == nil || len(ep.turns) != 1 || !ep.won() {
			return nil
		}
	}
	for _, ep := range r.view.order {
		if len(ep.turns) > 1 || !ep.over() {
			return nil // there is a way to ask, or to try again
		}
	}
	var sittings []sitting
	for seed := range int64(guessSeeds) {
		sittings = append(sittings, sitting{episodeKey{player: oneShotPlayer, seed: seed}, solverMove(e.kind)})
	}
	episodes, err := r.playAll(ctx, sittings)
	if err != nil {
		return err
	}
	_, err = r.playAll(ctx, swaps(episodes))
	return err
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

// answersAreDecided refuses environments that ask for a guess.
//
// Catches: one try at an answer that the observation does not decide: seeds that look alike ask for different actions,
// as in a coin flip, and any action ends the episode. Costs: nothing in longer episodes; else guessSeeds
// episodes of one turn, at the same time. Cannot see: guesses beside which something that varies is shown, and those
// that take several turns.
func answersAreDecided(e *evidence) []spade.Reason {
	for seed := range int64(guessSeeds) {
		ep := e.plain.episode(swapPlayer, seed)
		if ep == nil || ep.won() || len(ep.turns) != 1 || !ep.over() {
			continue
		}
		right := e.plain.episode(oneShotPlayer, seed)
		return []spade.Reason{{
			Code: spade.Trivial,
			Detail: fmt.Sprintf("it is a guess with one try: on seed %d only %q wins, and on another seed with the same observation %q",
				seed, right.turns[0].action, ep.turns[0].action),
			Evidence: spade.Evidence{
				Seed: &seed, Actions: cutAll(ep.actions()), First: cutAll(right.lines()), Second: cutAll(ep.lines()),
			},
		}}
	}
	return nil
}

// oneShotsWin reports a seed on which one action of solution() should have won and did not.
func oneShotsWin(e *evidence) []spade.Reason {
	for seed := range int64(guessSeeds) {
		if ep := e.plain.episode(oneShotPlayer, seed); ep != nil && !ep.won() && ep.over() {
			return []spade.Reason{{
				Code:     spade.Unsolvable,
				Detail:   fmt.Sprintf("its own solution() does not win on seed %d: %s", seed, ep.ending()),
				Evidence: ep.evidence(),
			}}
		}
	}
	return nil
}
