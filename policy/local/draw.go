package local

import (
	"cmp"
	"math"
	"slices"

	"spade/policy"
	"spade/policy/local/kernel"
)

// drawer samples tokens from logits. It owns the scratch of one goroutine.
type drawer struct {
	probabilities []float32
	candidates    []int32
}

// draw samples a token as spec says, with one number of its stream, and returns the token's log-probability
// under the distribution that was sampled: the softmax of logits/Temperature, restricted to the TopK most
// probable tokens and then to the fewest most probable of those that hold TopP of their mass. Among equally
// probable tokens the smaller id comes first. If the logits are not numbers, neither is the log-probability.
func (d *drawer) draw(k *kernel.Scratch, logits []float32, spec *policy.Spec) (token int32, logProb float32) {
	grow(&d.probabilities, len(logits))
	top, inverse := kernel.Max(logits), float32(1/spec.Temperature)
	total := float64(k.Exp(d.probabilities, logits, inverse, top*inverse))
	u := spec.Rand.Float64()
	if math.IsNaN(total) {
		return 0, float32(total)
	}
	if spec.TopK > 0 && spec.TopK < len(logits) || spec.TopP > 0 && spec.TopP < 1 {
		token, total = d.drawCandidate(u, total, spec)
	} else {
		token = d.drawAny(u * total)
	}
	return token, float32(math.Log(float64(d.probabilities[token]) / total))
}

// drawAny returns the token at which the running sum of probabilities exceeds u, or the last possible one.
func (d *drawer) drawAny(u float64) int32 {
	last := 0
	for i, p := range d.probabilities {
		if p == 0 {
			continue
		}
		last = i
		if u -= float64(p); u < 0 {
			break
		}
	}
	return int32(last)
}

// drawCandidate samples among the candidates that spec leaves, and returns their mass.
func (d *drawer) drawCandidate(u, total float64, spec *policy.Spec) (int32, float64) {
	// All tokens below (1-TopP)/n together hold less than 1-TopP: none of them is among the fewest that hold TopP.
	least := float32(0)
	if spec.TopK == 0 {
		least = float32((1 - spec.TopP) * total / float64(len(d.probabilities)) / 2)
	}
	d.candidates = d.candidates[:0]
	for i, p := range d.probabilities {
		if p > least {
			d.candidates = append(d.candidates, int32(i))
		}
	}
	slices.SortFunc(d.candidates, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.probabilities[b], d.probabilities[a]), cmp.Compare(a, b))
	})
	kept := d.candidates
	if spec.TopK > 0 && spec.TopK < len(kept) {
		kept = kept[:spec.TopK]
		total = 0
		for _, i := range kept {
			total += float64(d.probabilities[i])
		}
	}
	mass := 0.0
	for n, i := range kept {
		mass += float64(d.probabilities[i])
		if spec.TopP > 0 && spec.TopP < 1 && mass >= spec.TopP*total {
			kept = kept[:n+1]
			break
		}
	}
	u *= mass
	for _, i := range kept {
		if u -= float64(d.probabilities[i]); u < 0 {
			return i, mass
		}
	}
	return kept[len(kept)-1], mass
}
