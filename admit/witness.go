package admit

import (
	"context"
	"fmt"

	"spade"
)

// solve plays the environment's own solution on seed.
func (e *evidence) solve(ctx context.Context, r *run, seed int64) error {
	if !e.hasSolution {
		return nil
	}
	_, err := r.play(ctx, episodeKey{player: solver, seed: seed}, solverMove(e.kind))
	return err
}

// mostFailures is the share of further seeds on which solution() may lose: a search that is cut short may miss a win,
// but a task that can often not be won is none.
const mostFailures = 0.25

// solutionWins replays solution() where there is one.
//
// Catches: verifiers that nothing satisfies, goals out of reach within the turn budget, solutions that are wrong on one
// of playSeeds or on more than mostFailures of the other seeds. Costs: one episode a seed. Cannot see: whether the task
// as told has the answer that wins, or whether an environment without solution() can be won (the warning no_witness
// says so).
func solutionWins(e *evidence) []spade.Reason {
	for _, seed := range playSeeds {
		if ep := e.plain.episode(solver, seed); ep != nil && !ep.won() {
			return []spade.Reason{lost(ep, fmt.Sprintf("its own solution() does not win on seed %d", seed))}
		}
	}
	failed, played := e.failures()
	if len(failed) > 0 && float64(len(failed)) > mostFailures*float64(played) {
		return []spade.Reason{lost(failed[0], fmt.Sprintf("its own solution() does not win on %d of %d further seeds, for example on seed %d",
			len(failed), played, failed[0].seed))}
	}
	return nil
}

func lost(ep *episode, what string) spade.Reason {
	return spade.Reason{Code: spade.Unsolvable, Detail: what + ": " + ep.ending(), Evidence: ep.evidence()}
}

// failures returns the episodes of the solver on further seeds that it did not win, and how many it played.
func (e *evidence) failures() (failed []*episode, played int) {
	for _, ep := range e.plain.order {
		if ep.player != furtherPlayer {
			continue
		}
		if played++; !ep.won() {
			failed = append(failed, ep)
		}
	}
	return failed, played
}

// solutionFails is the warning that solution() does not win everywhere.
func solutionFails(e *evidence) []spade.Warning {
	failed, played := e.failures()
	if len(failed) == 0 {
		return nil
	}
	return []spade.Warning{{
		Code: "solution_fails",
		Detail: fmt.Sprintf("its own solution() does not win on %d of %d further seeds, for example on seed %d: %s",
			len(failed), played, failed[0].seed, failed[0].ending()),
	}}
}
