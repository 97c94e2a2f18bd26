package wire

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Loss is one of the protocol's losses. The loss of a request is the sum over all targets. With l the log-probability of
// a target, q that of the policy that sampled it, r = e^(l-q), advantage A and weight w, a target adds
//
//	cross_entropy        -w·l
//	importance_sampling  -r·A
//	ppo                  -min(r·A, clip(r, low, high)·A)
//	cispo                -c·l·A, where c = clip(r, low, high) is a constant
//	dro                  -(l·A - beta/2·(l-q)²)
//
// low and high are bounds of the ratio itself: clip_low_threshold and clip_high_threshold, 0.8 and 1.2 unless given for
// ppo, 0 and 4 for cispo. The beta of dro must be given.
type Loss struct {
	name            string
	low, high, beta float64
}

// NewLoss returns the loss of that name. It refuses a configuration that the loss does not know.
func NewLoss(name string, config map[string]float64) (*Loss, error) {
	l := &Loss{name: name}
	known := map[string]*float64{}
	switch name {
	case "cross_entropy", "importance_sampling":
	case "ppo", "cispo":
		l.low, l.high = 0.8, 1.2
		if name == "cispo" {
			l.low, l.high = 0, 4
		}
		known["clip_low_threshold"], known["clip_high_threshold"] = &l.low, &l.high
	case "dro":
		l.beta = math.NaN()
		known["beta"] = &l.beta
	default:
		return nil, fmt.Errorf("the loss %q is not supported; there are cross_entropy, importance_sampling, ppo, cispo and dro", name)
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		to, ok := known[key]
		if !ok {
			return nil, fmt.Errorf("loss_fn_config of %s has no %q", name, key)
		}
		*to = config[key]
	}
	if !(l.low >= 0 && l.low <= l.high) {
		return nil, fmt.Errorf("loss_fn_config: the ratio cannot be clipped to [%v, %v]", l.low, l.high)
	}
	if name == "dro" && !(l.beta >= 0) {
		return nil, fmt.Errorf("loss_fn_config: dro needs a beta of at least 0")
	}
	return l, nil
}

// Check reports why the loss cannot be computed on an example.
func (l *Loss) Check(e *Example) error {
	if l.name == "cross_entropy" {
		return nil // weights default to 1
	}
	if len(e.Targets) > 0 && (e.LogProbs == nil || e.Advantages == nil) {
		return fmt.Errorf("%s needs logprobs and advantages", l.name)
	}
	return nil
}

// Bounds reports whether the ratio of target i lies where the loss bounds it, so that the target teaches less than it would.
func (l *Loss) Bounds(e *Example, i int, logProb float64) bool {
	if l.name != "ppo" && l.name != "cispo" {
		return false
	}
	a, ratio := float64(e.Advantages[i]), math.Exp(logProb-float64(e.LogProbs[i]))
	bounded := min(max(ratio, l.low), l.high)
	if l.name == "ppo" {
		return bounded*a < ratio*a
	}
	return a != 0 && bounded < ratio
}

// At returns what target i of the example adds to the loss where its log-probability is logProb, and the derivative.
func (l *Loss) At(e *Example, i int, logProb float64) (loss, slope float64) {
	if l.name == "cross_entropy" {
		w := 1.0
		if e.Weights != nil {
			w = float64(e.Weights[i])
		}
		return -w * logProb, -w
	}
	a := float64(e.Advantages[i])
	if a == 0 && l.name != "dro" {
		return 0, 0
	}
	difference := logProb - float64(e.LogProbs[i])
	ratio := math.Exp(difference)
	bounded := min(max(ratio, l.low), l.high)
	switch l.name {
	case "importance_sampling":
		return -ratio * a, -ratio * a
	case "ppo":
		if bounded*a < ratio*a {
			return -bounded * a, 0
		}
		return -ratio * a, -ratio * a
	case "cispo":
		return -bounded * logProb * a, -bounded * a
	}
	return -(logProb*a - l.beta/2*difference*difference), -(a - l.beta*difference)
}
