package admit

import (
	"fmt"

	"spade"
)

// rewardsInRange refuses rewards outside [-1, 1].
//
// Catches: scores, totals and scales of their own, at any turn of any episode of the survey. Costs: a look at what
// was played. Cannot see: rewards that other play brings out. Rewards that are no finite number are faults of the
// sandbox and reported by faultsSeen.
func rewardsInRange(e *evidence) []spade.Reason {
	for _, ep := range e.plain.order {
		for i, t := range ep.turns {
			if t.step.Reward >= -1 && t.step.Reward <= 1 {
				continue
			}
			return []spade.Reason{{
				Code:   spade.RewardRange,
				Detail: fmt.Sprintf("turn %d paid %g; rewards are between -1 and 1", i+1, t.step.Reward),
				Evidence: spade.Evidence{
					Seed:    &ep.seed,
					Actions: cutAll(ep.actions()[:i+1]),
					Literal: fmt.Sprint(t.step.Reward),
				},
			}}
		}
	}
	return nil
}
