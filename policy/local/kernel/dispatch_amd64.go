package kernel

import "golang.org/x/sys/cpu"

//go:generate go run ./gen -pkg kernel -out kernels_amd64.s -stubs kernels_amd64.go

// detect returns the best path that the processor and the operating system support.
func detect() path {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return portable
	case !cpu.X86.HasAVX512F:
		return avx2
	}
	return avx512
}

// tile computes a tile of C of at most tileSize rows and exactly its columns:
// C = A·B, or C += A·B if acc, with k > 0. Rows and columns of A are rowStep and
// colStep apart; rows of B and C are ldb and ldc apart.
func tile(rows, k int, a []float32, rowStep, colStep int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	switch active {
	case avx512:
		tileAVX512(rows, k, &a[0], rowStep, colStep, &b[0], ldb, &c[0], ldc, acc)
	case avx2:
		tileAVX2(rows, k, &a[0], rowStep, colStep, &b[0], ldb, &c[0], ldc, acc)
	default:
		tilePortable(rows, k, a, rowStep, colStep, b, ldb, c, ldc, acc)
	}
}

// transpose sets dst[p*width+j] = src[j*stride+p] for j < cols and p < k.
func transpose(dst []float32, width int, src []float32, stride, cols, k int) {
	if active == portable {
		transposePortable(dst, width, src, stride, cols, k)
		return
	}
	blockCols, blockK := cols&^7, k&^7
	if blockK > 0 {
		for j := 0; j < blockCols; j += 8 {
			transposeAVX2(blockK/8, &dst[j], width, &src[j*stride], stride)
		}
	}
	if blockK < k && blockCols > 0 {
		transposePortable(dst[blockK*width:], width, src[blockK:], stride, blockCols, k-blockK)
	}
	if blockCols < cols {
		transposePortable(dst[blockCols:], width, src[blockCols*stride:], stride, cols-blockCols, k)
	}
}

// panel sets dst[p*width+j] = src[p*stride+j] for j < width, a tile's width, and p < k, k > 0.
func panel(dst []float32, width int, src []float32, stride, k int) {
	switch active {
	case avx512:
		panelAVX512(k, &dst[0], &src[0], stride)
	case avx2:
		panelAVX2(k, &dst[0], &src[0], stride)
	default:
		panelPortable(dst, width, src, stride, k)
	}
}

// exp, dot and axpy do whole blocks of lanes elements, at least one.

func exp(dst, src []float32, scale, sub float32, sum *[lanes]float32) {
	switch active {
	case avx512:
		expAVX512(len(src), &dst[0], &src[0], scale, sub, minExp, maxExp, &sum[0])
	case avx2:
		expAVX2(len(src), &dst[0], &src[0], scale, sub, minExp, maxExp, &sum[0])
	default:
		expPortable(dst, src, scale, sub, sum)
	}
}

func dot(x, y []float32, sum *[lanes]float32) {
	if active == portable {
		dotPortable(x, y, sum)
		return
	}
	dotAVX2(len(x), &x[0], &y[0], &sum[0])
}

func axpy(a float32, x, y []float32) {
	if active == portable {
		axpyPortable(a, x, y)
		return
	}
	axpyAVX2(len(x), a, &x[0], &y[0])
}

// What follows does as many whole blocks of lanes elements as there are and returns how many elements those are;
// elementwise.go says what with.

func scale(a float32, x []float32) int {
	n := inBlocks(len(x))
	if n > 0 {
		scaleAVX2(n, a, &x[0])
	}
	return n
}

func normalize(y, x, w []float32, r float32) int {
	n := inBlocks(len(y))
	if n > 0 {
		normalizeAVX2(n, r, &y[0], &x[0], &w[0])
	}
	return n
}

func weigh(dw, dy, x, w []float32, r float32) int {
	n := inBlocks(len(dy))
	if n > 0 {
		weighAVX2(n, r, &dw[0], &dy[0], &x[0], &w[0])
	}
	return n
}

func project(dy, x []float32, r, pull float32) int {
	n := inBlocks(len(dy))
	if n > 0 {
		projectAVX2(n, r, pull, &dy[0], &x[0])
	}
	return n
}

func rotate(y1, y2, x1, x2, cos, sin []float32, side float32) int {
	n := inBlocks(len(cos))
	if n > 0 {
		rotateAVX2(n, side, &y1[0], &y2[0], &x1[0], &x2[0], &cos[0], &sin[0])
	}
	return n
}

func gated(y, gate, up []float32) int {
	n := inBlocks(len(y))
	if n > 0 {
		gateAVX2(n, &y[0], &gate[0], &up[0])
	}
	return n
}

func gatedBackward(gate, up, e, dy []float32) int {
	n := inBlocks(len(dy))
	if n > 0 {
		gateBackwardAVX2(n, &gate[0], &up[0], &e[0], &dy[0])
	}
	return n
}

func softmaxBackward(dy, y []float32, pull, a float32) int {
	n := inBlocks(len(dy))
	if n > 0 {
		softmaxBackwardAVX2(n, pull, a, &dy[0], &y[0])
	}
	return n
}

// inBlocks is how many of n elements the assembly does.
func inBlocks(n int) int {
	if active == portable {
		return 0
	}
	return n / lanes * lanes
}

// largest is Max.
func largest(x []float32) float32 {
	n := len(x) / lanes * lanes
	if active == portable || n == 0 {
		return largestPortable(x)
	}
	return largestAVX2(n, &x[0], &x[len(x)-lanes]) // the last block may overlap the one before
}

// total adds the lanes pairwise: each half to the other, until one is left. It may overwrite them.
func total(sum *[lanes]float32) float32 {
	if active == portable {
		return totalPortable(sum)
	}
	return totalAVX2(&sum[0])
}

// peak does turns of multiply-adds and returns how many floating-point operations they were.
func peak(turns int) int {
	const sums, operations = 12, 2
	switch active {
	case avx512:
		peakAVX512(turns)
		return turns * sums * operations * 16
	case avx2:
		peakAVX2(turns)
		return turns * sums * operations * 8
	}
	return peakPortable(turns)
}
