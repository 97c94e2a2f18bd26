//go:build !amd64

package kernel

// Without assembly the portable kernels are the only ones; dispatch_amd64.go says
// what each of these does.

func detect() path { return portable }

func tile(rows, k int, a []float32, rowStep, colStep int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	tilePortable(rows, k, a, rowStep, colStep, b, ldb, c, ldc, acc)
}

func transpose(dst []float32, width int, src []float32, stride, cols, k int) {
	transposePortable(dst, width, src, stride, cols, k)
}

func panel(dst []float32, width int, src []float32, stride, k int) {
	panelPortable(dst, width, src, stride, k)
}

func exp(dst, src []float32, scale, sub float32, sum *[lanes]float32) {
	expPortable(dst, src, scale, sub, sum)
}

func dot(x, y []float32, sum *[lanes]float32) { dotPortable(x, y, sum) }

func largest(x []float32) float32 { return largestPortable(x) }

func axpy(a float32, x, y []float32) { axpyPortable(a, x, y) }

func total(sum *[lanes]float32) float32 { return totalPortable(sum) }

// No element is done without assembly: elementwise.go does them all.

func scale(a float32, x []float32) int { return 0 }

func normalize(y, x, w []float32, r float32) int { return 0 }

func weigh(dw, dy, x, w []float32, r float32) int { return 0 }

func project(dy, x []float32, r, pull float32) int { return 0 }

func rotate(y1, y2, x1, x2, cos, sin []float32, side float32) int { return 0 }

func gated(y, gate, up []float32) int { return 0 }

func gatedBackward(gate, up, e, dy []float32) int { return 0 }

func softmaxBackward(dy, y []float32, pull, a float32) int { return 0 }

func peak(turns int) int { return peakPortable(turns) }
