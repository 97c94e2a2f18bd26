package kernel

import "math"

// tilePortable computes a tile of at most 4 rows and exactly 4 columns. Its two
// loops step through k in the same order and round in the same way.
func tilePortable(rows, k int, a []float32, rowStep, colStep int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	if rows == 4 {
		tile4x4(k, a, rowStep, colStep, b, ldb, c, ldc, acc)
		return
	}
	for r := range rows {
		tile1x4(k, a[r*rowStep:], colStep, b, ldb, c[r*ldc:], acc)
	}
}

func tile1x4(k int, a []float32, colStep int, b []float32, ldb int, c []float32, acc bool) {
	var t0, t1, t2, t3 float32
	for p := range k {
		x, y := a[p*colStep], b[p*ldb:][:4]
		t0 += x * y[0]
		t1 += x * y[1]
		t2 += x * y[2]
		t3 += x * y[3]
	}
	storeRow(c, t0, t1, t2, t3, acc)
}

func tile4x4(k int, a []float32, rowStep, colStep int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	a0, a1, a2, a3 := a, a[rowStep:], a[2*rowStep:], a[3*rowStep:]
	var t00, t01, t02, t03, t10, t11, t12, t13 float32
	var t20, t21, t22, t23, t30, t31, t32, t33 float32
	for p := range k {
		y, q := b[p*ldb:][:4], p*colStep
		x := a0[q]
		t00 += x * y[0]
		t01 += x * y[1]
		t02 += x * y[2]
		t03 += x * y[3]
		x = a1[q]
		t10 += x * y[0]
		t11 += x * y[1]
		t12 += x * y[2]
		t13 += x * y[3]
		x = a2[q]
		t20 += x * y[0]
		t21 += x * y[1]
		t22 += x * y[2]
		t23 += x * y[3]
		x = a3[q]
		t30 += x * y[0]
		t31 += x * y[1]
		t32 += x * y[2]
		t33 += x * y[3]
	}
	storeRow(c, t00, t01, t02, t03, acc)
	storeRow(c[ldc:], t10, t11, t12, t13, acc)
	storeRow(c[2*ldc:], t20, t21, t22, t23, acc)
	storeRow(c[3*ldc:], t30, t31, t32, t33, acc)
}

func storeRow(c []float32, t0, t1, t2, t3 float32, acc bool) {
	c = c[:4]
	if acc {
		t0, t1, t2, t3 = c[0]+t0, c[1]+t1, c[2]+t2, c[3]+t3
	}
	c[0], c[1], c[2], c[3] = t0, t1, t2, t3
}

// transposePortable sets dst[p*width+j] = src[j*stride+p] for j < cols, p < k.
func transposePortable(dst []float32, width int, src []float32, stride, cols, k int) {
	for j := range cols {
		for p, v := range src[j*stride:][:k] {
			dst[p*width+j] = v
		}
	}
}

// panelPortable sets dst[p*width+j] = src[p*stride+j] for j < width, p < k.
func panelPortable(dst []float32, width int, src []float32, stride, k int) {
	for p := range k {
		copy(dst[p*width:][:width], src[p*stride:])
	}
}

// expPortable is Exp on a multiple of lanes elements; it adds to sum.
func expPortable(dst, src []float32, scale, sub float32, sum *[lanes]float32) {
	for i, v := range src {
		x := float32(float64(v)*float64(scale) - float64(sub))
		e := float32(0)
		if !(x < minExp) {
			e = float32(math.Exp(float64(min(x, maxExp))))
		}
		dst[i] = e
		sum[i%lanes] += e
	}
}

func dotPortable(x, y []float32, sum *[lanes]float32) {
	for i, v := range x {
		sum[i%lanes] += v * y[i]
	}
}

func axpyPortable(a float32, x, y []float32) {
	for i, v := range x {
		y[i] += a * v
	}
}

func largestPortable(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

func totalPortable(sum *[lanes]float32) float32 {
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sum[i] += sum[i+half]
		}
	}
	return sum[0]
}

// peakPortable keeps eight running sums of products.
func peakPortable(turns int) int {
	a, b := float32(1), float32(1e-9)
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for range turns {
		s0 += a * b
		s1 += a * b
		s2 += a * b
		s3 += a * b
		s4 += a * b
		s5 += a * b
		s6 += a * b
		s7 += a * b
	}
	if s0+s1+s2+s3+s4+s5+s6+s7 < 0 { // never: but the compiler must not leave the loop out
		panic("a sum of positive numbers is negative")
	}
	const sums, operations = 8, 2
	return turns * sums * operations
}
