// Package kernel computes what the embedded transformer is made of: float32
// matrix products, exponentials, and its norms, rotations and gates element by
// element.
//
// It owns arithmetic on flat row-major slices and nothing else: no tensors, no
// shapes beyond those of one call, no goroutines and no memory that outlives a
// Scratch. Whoever calls it decides how the work is split over goroutines; each
// goroutine uses its own Scratch.
//
// On amd64 the inner loops are assembly (AVX-512 or AVX2 with FMA), chosen once
// when the program starts; every other machine runs portable Go. Path names the
// choice. The two assembly paths give the same bits; the portable path rounds
// differently, so results are reproducible on one machine and path.
//
// # Row independence
//
// An element of a product depends on its row of op(A), its column of op(B), its
// initial value and k, bit for bit: never on how many rows or columns the call
// has, where the element lies among them, or how memory is aligned. A sequence
// that is decoded alone therefore gets the logits it would get in a batch. Every
// kernel sums over k in one order with one rounding a step:
//
//	for each block of at most 256 consecutive values of k:
//		t = 0; t = fma(a[p], b[p], t) for p in the block, ascending
//		c = t for the first block unless accumulating, else c + t
//
// (the portable path may round the product before the sum). In the same way an
// exponential depends on its own argument alone, and a sum or a dot product on
// the values and their number. What is done element by element has the same bits
// on every path.
package kernel
