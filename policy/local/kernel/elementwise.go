package kernel

import "fmt"

// What a transformer does element by element. Every operation of these functions rounds once, in the order in which it is
// written, on every path: the assembly does whole blocks of lanes elements and the loops here what is left, or all of it
// where there is no assembly. The conversions keep compilers from fusing a product with a sum.

// Scale multiplies x[i] by a.
func Scale(a float32, x []float32) {
	for i := scale(a, x); i < len(x); i++ {
		x[i] *= a
	}
}

// Normalize sets y[i] = x[i]·r·w[i]. y may be x.
func Normalize(y, x, w []float32, r float32) {
	same("Normalize", len(y), len(x), len(w))
	for i := normalize(y, x, w, r); i < len(y); i++ {
		y[i] = x[i] * r * w[i]
	}
}

// Weigh is the part of the gradient of Normalize that its weights have: it adds dy[i]·x[i]·r to dw[i] and multiplies dy[i]
// by w[i].
func Weigh(dw, dy, x, w []float32, r float32) {
	same("Weigh", len(dw), len(dy), len(x), len(w))
	for i := weigh(dw, dy, x, w, r); i < len(dy); i++ {
		dw[i] += float32(dy[i] * x[i] * r)
		dy[i] *= w[i]
	}
}

// Project is the rest of it, where r depends on x: it sets dy[i] = r·dy[i] - pull·x[i].
func Project(dy, x []float32, r, pull float32) {
	same("Project", len(dy), len(x))
	for i := project(dy, x, r, pull); i < len(dy); i++ {
		dy[i] = float32(r*dy[i]) - float32(pull*x[i])
	}
}

// Rotate turns each pair (x[i], x[i+n]) by the angle whose cosine and sine are cos[i] and sin[i], n of them, or back by it,
// and writes the pairs into y, which may be x.
func Rotate(y, x, cos, sin []float32, back bool) {
	same("Rotate", len(y), len(x), 2*len(cos), 2*len(sin))
	side := float32(1)
	if back {
		side = -1
	}
	n := len(cos)
	y1, y2, x1, x2 := y[:n], y[n:], x[:n], x[n:]
	for i := rotate(y1, y2, x1, x2, cos, sin, side); i < n; i++ {
		a, b, c, s := x1[i], x2[i], cos[i], sin[i]*side
		y1[i], y2[i] = float32(a*c)-float32(b*s), float32(b*c)+float32(a*s)
	}
}

// Gate sets y[i] = gate[i]/(1+y[i])·up[i], which is SwiGLU where y[i] is exp(-gate[i]).
func Gate(y, gate, up []float32) {
	same("Gate", len(y), len(gate), len(up))
	for i := gated(y, gate, up); i < len(y); i++ {
		y[i] = gate[i] / (1 + y[i]) * up[i]
	}
}

// GateBackward replaces gate and up by their gradients, given e[i] = exp(-gate[i]) and the gradient dy of what Gate made of
// them.
func GateBackward(gate, up, e, dy []float32) {
	same("GateBackward", len(gate), len(up), len(e), len(dy))
	for i := gatedBackward(gate, up, e, dy); i < len(dy); i++ {
		sigmoid := 1 / (1 + e[i])
		silu := float32(gate[i] * sigmoid)
		gate[i] = dy[i] * up[i] * (sigmoid + silu - float32(silu*sigmoid))
		up[i] = dy[i] * silu
	}
}

// SoftmaxBackward replaces dy, the gradient of the softmax y of a·x, by that of x: dy[i] = y[i]·(dy[i]-pull)·a, pull being
// the sum of y·dy.
func SoftmaxBackward(dy, y []float32, pull, a float32) {
	same("SoftmaxBackward", len(dy), len(y))
	for i := softmaxBackward(dy, y, pull, a); i < len(dy); i++ {
		dy[i] = y[i] * (dy[i] - pull) * a
	}
}

// same panics unless all lengths are the first one.
func same(what string, first int, others ...int) {
	for _, n := range others {
		if n != first {
			panic(fmt.Sprintf("kernel: %s of %d and %d elements", what, first, n))
		}
	}
}
