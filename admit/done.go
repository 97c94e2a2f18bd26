package admit

import (
	"context"

	"spade"
)

// stepOn goes on after a won game: first with junk, then, if that reopened it, with its solution for as long as
// the win took. It keeps the episode as paidAgain if another action than the one that won wins again; repeating
// the terminal result is allowed. It reports whether the process is still good.
func (e *evidence) stepOn(ctx context.Context, r *run) (bool, error) {
	won := r.view.episode(solver, playSeeds[0])
	if e.kind != spade.Game || won == nil || !won.won() {
		return true, nil
	}
	ep := &episode{episodeKey: won.episodeKey}
	s, err := r.sit(ctx, ep, solverMove(e.kind))
	defer s.leave()
	for err == nil && !s.over {
		err = s.move(ctx)
	}
	if err != nil || !ep.won() {
		return ep.fault == nil, err
	}
	winning := ep.turns[len(ep.turns)-1].action
	junk, fault, err := s.env.Step(ctx, idle)
	if err != nil || fault != nil || junk.Terminated {
		return fault == nil, err
	}
	ep.turns = append(ep.turns, turn{action: idle, step: junk})
	for range won.turns {
		if err := s.move(ctx); err != nil || ep.fault != nil {
			return ep.fault == nil, err
		}
		last := ep.turns[len(ep.turns)-1]
		if last.action == winning || last.step.Terminated {
			if last.action != winning && last.step.Reward >= 1 {
				e.paidAgain = ep
			}
			return true, nil
		}
	}
	return true, nil
}

// doneIsDone refuses games that pay again after the end.
//
// Catches: an episode that terminated in a win, went on after a further step and was won again by another action.
// Costs: one episode of the solver and as many steps again. Cannot see: games without solution(), and play that
// goes on after a loss.
func doneIsDone(e *evidence) []spade.Reason {
	if e.paidAgain == nil {
		return nil
	}
	ep := e.paidAgain
	return []spade.Reason{{
		Code:     spade.StepAfterDone,
		Detail:   "after the episode was won and over, play went on and a further win was paid",
		Evidence: spade.Evidence{Seed: &ep.seed, Actions: cutAll(ep.actions()), First: cutAll(ep.lines())},
	}}
}
