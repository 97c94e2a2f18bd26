package selfplay

import (
	"slices"
	"testing"

	"spade"
	"spade/reward"
)

// TestRegretTarget: regret earns while designs have little of it, and no more when they have plenty; a run that goes on
// knows what they had.
func TestRegretTarget(t *testing.T) {
	cfg := small(4)
	cfg.Reward.RegretTarget = 0.001
	r, _ := runLoop(t, cfg, newModel(numbered))
	for _, c := range r.cycles[1:] {
		weights := reward.Default()
		if c.Number > 1 { // hinted plays always win here, blind ones do not
			weights.RegretWeight = 0
		}
		paid := false
		for _, d := range c.Designs {
			var own []spade.Episode
			for _, e := range c.Episodes {
				if e.EnvID == d.EnvID {
					own = append(own, e)
				}
			}
			score, _ := reward.Score(weights, spade.Environment{}, own, false)
			paid = paid || score.Regret > 0
			i := slices.IndexFunc(c.Scores, func(s spade.Score) bool { return s.EnvID == d.EnvID })
			if d.Raw != score.Raw || c.Scores[i].Raw != score.Raw {
				t.Errorf("cycle %d, design %d: raw %g, score %g, its plays say %g", c.Number, d.Slot, d.Raw, c.Scores[i].Raw, score.Raw)
			}
		}
		if !paid {
			t.Errorf("cycle %d has no regret", c.Number)
		}
	}
	first, last := new(state), new(state)
	decode(t, r.cycles[1].State, first)
	decode(t, r.cycles[4].State, last)
	if first.Supply.Mean <= 0.001 || last.Supply == first.Supply {
		t.Errorf("supply %+v, then %+v", first.Supply, last.Supply)
	}
}
