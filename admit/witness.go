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

// solutionWins replays solution() where there is one.
//
// Catches: verifiers that nothing satisfies, goals out of reach within the turn budget, solutions that are wrong on
// some seed. Costs: one episode a seed. Cannot see: whether the task as told has the answer that wins, or whether
// an environment without solution() can be won (the warning no_witness says so).
func solutionWins(e *evidence) []spade.Reason {
	for _, seed := range playSeeds {
		ep := e.plain.episode(solver, seed)
		if ep == nil || ep.won() {
			continue
		}
		return []spade.Reason{{
			Code:     spade.Unsolvable,
			Detail:   fmt.Sprintf("its own solution() does not win on seed %d: %s", seed, ep.ending()),
			Evidence: ep.evidence(),
		}}
	}
	return nil
}
