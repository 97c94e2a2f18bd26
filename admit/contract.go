package admit

import (
	"context"

	"spade"
)

// fuzz plays the fuzz player on seed: on the first seed in as many episodes as its actions need, on the others
// in one.
func (e *evidence) fuzz(ctx context.Context, r *run, seed int64) error {
	played := 0
	for round := 0; ; round++ {
		ep, err := r.play(ctx, episodeKey{fuzzPlayer, seed, round}, fuzzMove(e.kind, e.tools, played))
		if err != nil {
			return err
		}
		played += len(ep.turns)
		enough := played >= fuzzCount(e.kind, e.tools) || round+1 >= maxRounds
		if seed != playSeeds[0] || ep.fault != nil || enough {
			return nil
		}
	}
}

// faultsSeen reports every fault of the plain process once, or of the alternate one if that had none.
//
// Catches: whatever broke the contract: a constructor, reset, step or solution that raises, hangs, exits, returns
// the wrong shape or types, a reward that is no finite number, too much output or memory. Costs: nothing beyond
// the survey. Cannot see: what other actions bring out.
func faultsSeen(e *evidence) []spade.Reason {
	faults := e.plain.faults
	if len(faults) == 0 {
		faults = e.alternate.faults
	}
	var reasons []spade.Reason
	seen := make(map[string]bool)
	for _, f := range faults {
		reason := faultReason(f.fault, f.seed, f.actions)
		if text := string(reason.Code) + reason.Detail; !seen[text] {
			seen[text] = true
			reasons = append(reasons, reason)
		}
	}
	return reasons
}
