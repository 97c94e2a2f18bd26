package kernel

import "fmt"

// Dot returns the sum of x[i]*y[i]. x and y have the same length.
func Dot(x, y []float32) float32 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("kernel: dot product of %d and %d elements", len(x), len(y)))
	}
	var sum [lanes]float32
	whole := len(x) / lanes * lanes
	if whole > 0 {
		dot(x[:whole], y[:whole], &sum)
	}
	if whole < len(x) {
		var px, py [lanes]float32
		copy(px[:], x[whole:])
		copy(py[:], y[whole:])
		dot(px[:], py[:], &sum)
	}
	return total(&sum)
}

// Max returns the largest element of x, which is not empty and holds numbers only: anything may come out if it does not.
func Max(x []float32) float32 { return largest(x) }

// Axpy adds a*x[i] to y[i]. x and y have the same length and do not overlap.
func Axpy(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("kernel: multiple of %d elements added to %d", len(x), len(y)))
	}
	whole := len(x) / lanes * lanes
	if whole > 0 {
		axpy(a, x[:whole], y[:whole])
	}
	if whole < len(x) {
		var px, py [lanes]float32
		copy(px[:], x[whole:])
		copy(py[:], y[whole:])
		axpy(a, px[:], py[:])
		copy(y[whole:], py[:])
	}
}
