package local

import (
	"math"

	"spade/policy/local/kernel"
)

// inverseRMS returns 1/sqrt(mean(x²) + epsilon).
func inverseRMS(x []float32, epsilon float64) float32 {
	mean := float64(kernel.Dot(x, x)) / float64(len(x))
	return float32(1 / math.Sqrt(mean+epsilon))
}

// rmsNorm writes x·w/rms(x) of every row of x into y. Rows are len(w) wide; inverse[i] keeps 1/rms of row i.
func rmsNorm(y, x, w, inverse []float32, rows int, epsilon float64) {
	d := len(w)
	for i := range rows {
		xi, yi := x[i*d:][:d], y[i*d:][:d]
		r := inverseRMS(xi, epsilon)
		inverse[i] = r
		kernel.Normalize(yi, xi, w, r)
	}
}

// rmsNormBackward adds the gradient of rmsNorm with respect to x to dx, and that with respect to w to dw. It
// overwrites dy. With r = 1/rms(x) and n components: dx = r·w·dy - x·r³·sum(w·dy·x)/n.
func rmsNormBackward(dx, dy, x, w, dw, inverse []float32, rows int) {
	d := len(w)
	for i := range rows {
		xi, dyi, dxi := x[i*d:][:d], dy[i*d:][:d], dx[i*d:][:d]
		r := inverse[i]
		kernel.Weigh(dw, dyi, xi, w, r)
		kernel.Project(dyi, xi, r, r*r*r*kernel.Dot(dyi, xi)/float32(d))
		kernel.Axpy(1, dyi, dxi)
	}
}

// rotateHead normalises one head, x, scales it by w and rotates it by the angles of its position: component i
// pairs with component i + half. It returns 1/rms(x). y may be x.
func rotateHead(y, x, w, cos, sin []float32, epsilon float64) float32 {
	r := inverseRMS(x, epsilon)
	kernel.Normalize(y, x, w, r)
	kernel.Rotate(y, y, cos, sin, false)
	return r
}

// rotateHeadBackward writes the gradient of rotateHead with respect to x into dx and adds that with respect to
// w to dw. inverse is what rotateHead returned.
func rotateHeadBackward(dx, dy, x, w, dw, cos, sin []float32, inverse float32) {
	kernel.Rotate(dx, dy, cos, sin, true)
	kernel.Weigh(dw, dx, x, w, inverse)
	var sum float32
	for i, g := range dx {
		sum += g * x[i]
	}
	kernel.Project(dx, x, inverse, inverse*inverse*inverse*sum/float32(len(dx)))
}

// swiGLU writes silu(gate)·up into y for every row of gateUp, which holds the gates and then the ups of a row.
// silu(g) = g/(1 + e^-g).
func swiGLU(k *kernel.Scratch, y, gateUp []float32, rows, width int) {
	for i := range rows {
		gate, yi := gateUp[i*2*width:][:width], y[i*width:][:width]
		k.Exp(yi, gate, -1, 0)
		kernel.Gate(yi, gate, gateUp[(2*i+1)*width:][:width])
	}
}

// swiGLUBackward replaces gateUp by its own gradient, given the gradient dy of swiGLU's result.
func swiGLUBackward(k *kernel.Scratch, gateUp, dy, scratch []float32, rows, width int) {
	scratch = scratch[:width]
	for i := range rows {
		gate := gateUp[i*2*width:][:width]
		k.Exp(scratch, gate, -1, 0)
		kernel.GateBackward(gate, gateUp[(2*i+1)*width:][:width], scratch, dy[i*width:][:width])
	}
}
