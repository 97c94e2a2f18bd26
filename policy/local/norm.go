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
		for j, v := range xi {
			yi[j] = v * r * w[j]
		}
	}
}

// rmsNormBackward adds the gradient of rmsNorm with respect to x to dx, and that with respect to w to dw. It
// overwrites dy. With r = 1/rms(x) and n components: dx = r·w·dy - x·r³·sum(w·dy·x)/n.
func rmsNormBackward(dx, dy, x, w, dw, inverse []float32, rows int) {
	d := len(w)
	for i := range rows {
		xi, dyi, dxi := x[i*d:][:d], dy[i*d:][:d], dx[i*d:][:d]
		r := inverse[i]
		for j, v := range xi {
			g := dyi[j]
			dw[j] += g * v * r
			dyi[j] = g * w[j]
		}
		pull := r * r * r * kernel.Dot(dyi, xi) / float32(d)
		for j, v := range xi {
			dxi[j] += r*dyi[j] - pull*v
		}
	}
}

// rotateHead normalises one head, x, scales it by w and rotates it by the angles of its position: component i
// pairs with component i + half. It returns 1/rms(x). y may be x.
func rotateHead(y, x, w, cos, sin []float32, epsilon float64) float32 {
	half := len(cos)
	r := inverseRMS(x, epsilon)
	x1, x2 := x[:half], x[half:][:half]
	w1, w2 := w[:half], w[half:][:half]
	y1, y2 := y[:half], y[half:][:half]
	sin = sin[:half]
	for i, c := range cos {
		a, b, s := x1[i]*r*w1[i], x2[i]*r*w2[i], sin[i]
		y1[i], y2[i] = a*c-b*s, b*c+a*s
	}
	return r
}

// rotateHeadBackward writes the gradient of rotateHead with respect to x into dx and adds that with respect to
// w to dw. inverse is what rotateHead returned.
func rotateHeadBackward(dx, dy, x, w, dw, cos, sin []float32, inverse float32) {
	half := len(cos)
	dy1, dy2 := dy[:half], dy[half:][:half]
	dx1, dx2 := dx[:half], dx[half:][:half]
	sin = sin[:half]
	for i, c := range cos {
		a, b, s := dy1[i], dy2[i], sin[i]
		dx1[i], dx2[i] = a*c+b*s, b*c-a*s
	}
	x, w, dw = x[:len(dx)], w[:len(dx)], dw[:len(dx)]
	var sum float32
	for i, g := range dx {
		dw[i] += g * x[i] * inverse
		g *= w[i]
		dx[i] = g
		sum += g * x[i]
	}
	pull := inverse * inverse * inverse * sum / float32(len(dx))
	for i, g := range dx {
		dx[i] = inverse*g - pull*x[i]
	}
}

// swiGLU writes silu(gate)·up into y for every row of gateUp, which holds the gates and then the ups of a row.
// silu(g) = g/(1 + e^-g).
func swiGLU(k *kernel.Scratch, y, gateUp []float32, rows, width int) {
	for i := range rows {
		row, yi := gateUp[i*2*width:][:2*width], y[i*width:][:width]
		gate, up := row[:width], row[width:]
		k.Exp(yi, gate, -1, 0)
		for j, e := range yi {
			yi[j] = gate[j] / (1 + e) * up[j]
		}
	}
}

// swiGLUBackward replaces gateUp by its own gradient, given the gradient dy of swiGLU's result.
func swiGLUBackward(k *kernel.Scratch, gateUp, dy, scratch []float32, rows, width int) {
	scratch = scratch[:width]
	for i := range rows {
		row, di := gateUp[i*2*width:][:2*width], dy[i*width:][:width]
		gate, up := row[:width], row[width:][:width]
		k.Exp(scratch, gate, -1, 0)
		for j, d := range di {
			g, sigmoid := gate[j], 1/(1+scratch[j])
			silu := g * sigmoid
			gate[j] = d * up[j] * (sigmoid + silu - silu*sigmoid)
			up[j] = d * silu
		}
	}
}
