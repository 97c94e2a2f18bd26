package reward

import "math"

// Step is the unhinted plays of one environment at one step (cycle) of the time that it is in force.
type Step struct {
	Number  int
	Returns []float64
}

// MicroLP is the micro learning potential of an environment: how far its win rate moved while it was played. With
// slope it is the weighted least-squares line of the win rates over the step numbers (weights: plays of the step),
// its value at the last step minus that at the first; otherwise the win rate over the plays of the late half of
// the steps minus that of the early half, a step in the middle counting as late. It is 0 for fewer than two
// steps. Steps must be in ascending order and each hold a play.
func MicroLP(steps []Step, slope bool) float64 {
	if len(steps) < 2 {
		return 0
	}
	if slope {
		return fittedChange(steps)
	}
	half := len(steps) / 2
	return winRate(pooled(steps[half:])) - winRate(pooled(steps[:half]))
}

func fittedChange(steps []Step) float64 {
	var weight, meanX, meanY float64
	for _, s := range steps {
		n := float64(len(s.Returns))
		weight += n
		meanX += n * float64(s.Number)
		meanY += n * winRate(s.Returns)
	}
	meanX /= weight
	meanY /= weight
	var xx, xy float64
	for _, s := range steps {
		n, dx := float64(len(s.Returns)), float64(s.Number)-meanX
		xx += n * dx * dx
		xy += n * dx * (winRate(s.Returns) - meanY)
	}
	return xy / xx * float64(steps[len(steps)-1].Number-steps[0].Number)
}

// pooled is every return of the steps, in order.
func pooled(steps []Step) []float64 {
	var all []float64
	for _, s := range steps {
		all = append(all, s.Returns...)
	}
	return all
}

// LearningPotential follows the mean return of a task with a fast and a slow moving average and says how far it is
// moving. Each average is updated as gamma·value + (1-gamma)·average and starts at the first value.
type LearningPotential struct {
	// GammaFast and GammaSlow are in (0, 1], GammaSlow below GammaFast.
	GammaFast float64 `json:"gamma_fast"`
	GammaSlow float64 `json:"gamma_slow"`
	Fast      float64 `json:"mu_fast"`
	Slow      float64 `json:"mu_slow"`
	// Started says that a value was observed.
	Started bool `json:"started"`
}

// NewLearningPotential returns one with the published averages, 0.98 and 0.85.
func NewLearningPotential() LearningPotential {
	return LearningPotential{GammaFast: 0.98, GammaSlow: 0.85}
}

// Observe takes in a mean return and gives the signed potential (Fast-Slow) / (2·(GammaFast-GammaSlow)), 0 at the
// first value; the learning potential is its absolute value. The divisor makes the potential of a first change
// equal to half that change, whatever the averages.
func (p *LearningPotential) Observe(meanReturn float64) (signed, potential float64) {
	if !p.Started {
		p.Fast, p.Slow, p.Started = meanReturn, meanReturn, true
		return 0, 0
	}
	p.Fast += p.GammaFast * (meanReturn - p.Fast)
	p.Slow += p.GammaSlow * (meanReturn - p.Slow)
	signed = p.signed()
	return signed, math.Abs(signed)
}

func (p *LearningPotential) signed() float64 {
	return (p.Fast - p.Slow) / (2 * (p.GammaFast - p.GammaSlow))
}
