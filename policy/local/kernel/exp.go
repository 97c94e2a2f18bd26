package kernel

import "fmt"

// lanes is how many partial sums an exponential sum or a dot product keeps:
// element i goes to lane i mod lanes. It is part of their definition.
const lanes = 16

// Arguments of Exp beyond these give 0 and the greatest value that it returns:
// e^minExp is just above the least normal float32, e^maxExp just below the
// greatest.
const (
	minExp float32 = -87.3
	maxExp float32 = 88.7
)

// Exp sets dst[i] = e^(src[i]*scale - sub) and returns the sum of dst. dst and src
// have the same length and may be the same slice, but must not overlap otherwise.
//
// Each value is finite and never subnormal: an argument below -87.3, -Inf
// included, gives exactly 0, and one above 88.7, +Inf included, gives e^88.7. Only
// an argument that is itself not a number stays so. The relative error is below
// 2e-7 of the exponential of the rounded argument.
func (s *Scratch) Exp(dst, src []float32, scale, sub float32) float32 {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("kernel: exponentials of %d elements into %d", len(src), len(dst)))
	}
	var sum [lanes]float32
	whole := len(src) / lanes * lanes
	if whole > 0 {
		exp(dst[:whole], src[:whole], scale, sub, &sum)
	}
	if rest := src[whole:]; len(rest) > 0 {
		// The padding has exponentials too: only those asked for enter the sum.
		var block, unused [lanes]float32
		copy(block[:], rest)
		exp(block[:], block[:], scale, sub, &unused)
		for i := range copy(dst[whole:], block[:]) {
			sum[i] += block[i]
		}
	}
	return total(&sum)
}
