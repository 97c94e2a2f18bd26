package local

import (
	"fmt"
	"math"
	"sync"

	"spade/policy"
	"spade/policy/local/kernel"
)

// AdamW are the constants of the optimiser (Kingma & Ba 2015, with the decoupled weight decay of Loshchilov &
// Hutter 2019).
type AdamW struct {
	// Beta1 and Beta2 in [0, 1) are the decays of the running first and second moments.
	Beta1 float64
	Beta2 float64
	// Epsilon is added to the root of the second moment.
	Epsilon float64
	// WeightDecay times the learning rate is the share of every matrix weight that a step removes.
	WeightDecay float64
}

// DefaultAdamW returns the constants for policy-gradient steps.
func DefaultAdamW() AdamW {
	return AdamW{Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8}
}

// optimizer holds AdamW's state for one model.
type optimizer struct {
	constants AdamW
	config    *Config
	// first and second are the running moments of the gradient, made when they are first wanted: a policy that only
	// samples needs none.
	moments       sync.Once
	first, second *weights
	steps         int64
}

func newOptimizer(c *Config, constants AdamW) *optimizer {
	return &optimizer{constants: constants, config: c}
}

// allocate makes the moments, at zero, unless they are there.
func (o *optimizer) allocate() {
	o.moments.Do(func() {
		n := o.config.parameters()
		o.first, o.second = newWeights(o.config, make([]float32, n)), newWeights(o.config, make([]float32, n))
	})
}

// norm returns the Euclidean norm of x.
func norm(x []float32) float64 {
	sum := 0.0
	for len(x) > 0 {
		part := x[:min(stripe, len(x))]
		sum += float64(kernel.Dot(part, part))
		x = x[len(part):]
	}
	return math.Sqrt(sum)
}

// step updates the model by the gradient g, scaled down to maxNorm if that is positive and exceeded, and
// returns the norm of g before. If that is not finite it changes nothing and returns an error, as it does where the
// step was so large that it left weights that are not; the model is of no use then.
func (o *optimizer) step(m *Model, g *weights, rate, maxNorm float64, workers int) (float64, error) {
	size := norm(g.flat)
	if math.IsNaN(size) || math.IsInf(size, 0) {
		return 0, fmt.Errorf("optimiser step %d: the gradient is not finite: %w", o.steps+1, policy.ErrDiverged)
	}
	scale := 1.0
	if maxNorm > 0 && size > maxNorm {
		scale = maxNorm / size
	}
	o.allocate()
	o.steps++
	matrices := m.config.matrixParameters()
	stripes(workers, matrices, func(from, to int) {
		o.update(m.weights.flat, g.flat, from, to, rate, scale, o.constants.WeightDecay)
	})
	o.update(m.weights.flat, g.flat, matrices, len(g.flat), rate, scale, 0)
	if left := norm(m.weights.flat); math.IsNaN(left) || math.IsInf(left, 0) {
		return 0, fmt.Errorf("optimiser step %d: the weights are not finite: %w", o.steps, policy.ErrDiverged)
	}
	return size, nil
}

// update steps the weights [from, to).
func (o *optimizer) update(w, g []float32, from, to int, rate, scale, decay float64) {
	c := o.constants
	steps := float64(o.steps)
	b1, b2 := float32(c.Beta1), float32(c.Beta2)
	// The corrections for the zero start are folded into the rate and epsilon.
	root := math.Sqrt(1 - math.Pow(c.Beta2, steps))
	rate32 := float32(rate * root / (1 - math.Pow(c.Beta1, steps)))
	epsilon, keep, s := float32(c.Epsilon*root), float32(1-rate*decay), float32(scale)
	w, g = w[from:to], g[from:to]
	first, second := o.first.flat[from:to], o.second.flat[from:to]
	for i, v := range g {
		v *= s
		first[i] = b1*first[i] + (1-b1)*v
		second[i] = b2*second[i] + (1-b2)*v*v
		w[i] = keep*w[i] - rate32*first[i]/(float32(math.Sqrt(float64(second[i])))+epsilon)
	}
}
