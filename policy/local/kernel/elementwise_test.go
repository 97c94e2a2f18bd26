package kernel

import (
	"slices"
	"testing"
)

// TestElementwise compares every function with its formula, element by element and to the bit: assembly, what is left over
// behind it, and the portable loops.
func TestElementwise(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for n := range 70 {
			r := newRand(uint64(n))
			draw := func(n int) []float32 { return normal(r, n) }
			x, y, w, v := draw(n), draw(n), draw(n), draw(n)
			a, b := float32(r.NormFloat64()), float32(r.NormFloat64())

			got := slices.Clone(x)
			Scale(a, got)
			for i := range n {
				sameBits(t, "Scale", got[i:i+1], []float32{x[i] * a})
			}

			Normalize(got, x, w, a)
			for i := range n {
				sameBits(t, "Normalize", got[i:i+1], []float32{x[i] * a * w[i]})
			}
			inPlace := slices.Clone(x)
			Normalize(inPlace, inPlace, w, a)
			sameBits(t, "Normalize in place", inPlace, got)

			dw, dy := slices.Clone(v), slices.Clone(y)
			Weigh(dw, dy, x, w, a)
			for i := range n {
				sameBits(t, "Weigh: weights", dw[i:i+1], []float32{v[i] + float32(y[i]*x[i]*a)})
				sameBits(t, "Weigh: gradient", dy[i:i+1], []float32{y[i] * w[i]})
			}

			dy = slices.Clone(y)
			Project(dy, x, a, b)
			for i := range n {
				sameBits(t, "Project", dy[i:i+1], []float32{float32(a*y[i]) - float32(b*x[i])})
			}

			e := draw(n)
			for i := range e {
				e[i] *= e[i] // exponentials are not negative
			}
			copy(got, e)
			Gate(got, x, w)
			gate, up := slices.Clone(x), slices.Clone(w)
			GateBackward(gate, up, e, y)
			for i := range n {
				sameBits(t, "Gate", got[i:i+1], []float32{x[i] / (1 + e[i]) * w[i]})
				sigmoid := 1 / (1 + e[i])
				silu := x[i] * sigmoid
				slope := sigmoid + silu
				slope -= float32(silu * sigmoid)
				sameBits(t, "GateBackward: gate", gate[i:i+1], []float32{y[i] * w[i] * slope})
				sameBits(t, "GateBackward: up", up[i:i+1], []float32{y[i] * silu})
			}

			dy = slices.Clone(y)
			SoftmaxBackward(dy, x, a, b)
			for i := range n {
				sameBits(t, "SoftmaxBackward", dy[i:i+1], []float32{x[i] * (y[i] - a) * b})
			}
		}
	})
}

func TestRotate(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for n := range 40 {
			r := newRand(uint64(n))
			x, cos, sin := normal(r, 2*n), normal(r, n), normal(r, n)
			for _, back := range []bool{false, true} {
				y := make([]float32, 2*n)
				Rotate(y, x, cos, sin, back)
				for i := range n {
					s := sin[i]
					if back {
						s = -s
					}
					first, second := float32(x[i]*cos[i])-float32(x[n+i]*s), float32(x[n+i]*cos[i])+float32(x[i]*s)
					sameBits(t, "Rotate", []float32{y[i], y[n+i]}, []float32{first, second})
				}
				inPlace := slices.Clone(x)
				Rotate(inPlace, inPlace, cos, sin, back)
				sameBits(t, "Rotate in place", inPlace, y)
			}
		}
	})
}
