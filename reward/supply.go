package reward

import "spade"

// Supply follows how much regret the designs of a run have, so that what a hint explains stays in the curriculum and does
// not take it over: regret earns in full while it is scarce, and nothing where there is plenty. The zero value is ready
// to use; as JSON it is what a resumed run continues from.
type Supply struct {
	// Mean is the moving average of the regret of designs: every cycle moves it by 0.3 of the way to its own mean.
	Mean float64 `json:"mean"`
}

// Weigh returns cfg with RegretWeight as it is up to a mean regret of RegretTarget, 0 from twice that on, and in
// proportion between. Without a target it returns cfg.
func (s *Supply) Weigh(cfg Config) Config {
	if cfg.RegretTarget > 0 {
		cfg.RegretWeight *= clip(2-s.Mean/cfg.RegretTarget, 0, 1)
	}
	return cfg
}

// Observe takes in the designs of a cycle; those without a hinted play say nothing.
func (s *Supply) Observe(scores []spade.Score) {
	var of total
	for _, score := range scores {
		if score.HintedPlays > 0 {
			of.sum, of.n = of.sum+score.Regret, of.n+1
		}
	}
	if of.n > 0 {
		s.Mean = averageKept*s.Mean + (1-averageKept)*of.mean()
	}
}
