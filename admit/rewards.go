package admit

import (
	"fmt"
	"math"

	"spade"
)

// The ranges of rewards: the last one of an episode is its return, the others only shape play.
const (
	largestReturn  = 1
	largestShaping = 10
)

// rewardsInRange refuses rewards outside [-10, 10], and outside [-1, 1] where they end an episode.
//
// Catches: scores, totals and scales of their own, at any turn of any episode of the survey. Costs: a look at what
// was played. Cannot see: rewards that other play brings out. Rewards that are no finite number are faults of the
// sandbox and reported by faultsSeen.
func rewardsInRange(e *evidence) []spade.Reason {
	for _, ep := range e.plain.order {
		for i, t := range ep.turns {
			largest, which := float64(largestShaping), "a reward"
			if t.step.Terminated || t.step.Truncated {
				largest, which = largestReturn, "the reward that ends an episode"
			}
			if math.Abs(t.step.Reward) <= largest {
				continue
			}
			return []spade.Reason{{
				Code:   spade.RewardRange,
				Detail: fmt.Sprintf("turn %d paid %g; %s is between %g and %g", i+1, t.step.Reward, which, -largest, largest),
				Evidence: spade.Evidence{
					Seed:    &ep.seed,
					Actions: cutAll(ep.actions()[:i+1]),
					First:   cutAll(ep.lines()[i+1 : i+2]),
					Literal: fmt.Sprint(t.step.Reward),
				},
			}}
		}
	}
	return nil
}
