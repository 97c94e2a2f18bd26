package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// onEachPath runs a test on every path that this machine has.
func onEachPath(t *testing.T, test func(t *testing.T)) {
	best := active
	defer func() { active = best }()
	for p := portable; p <= best; p++ {
		active = p
		t.Run(p.String(), test)
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// product is one call of MatMul with its own operands.
type product struct {
	m, n, k        int
	a, b, c        []float32
	lda, ldb, ldc  int
	transA, transB bool
	acc            bool
}

// newProduct draws operands whose strides exceed their rows by up to 3.
func newProduct(r *rand.Rand, m, n, k int) product {
	q := product{m: m, n: n, k: k, transA: r.IntN(2) == 0, transB: r.IntN(2) == 0, acc: r.IntN(2) == 0}
	stored := func(rows, cols int, trans bool) ([]float32, int) {
		if trans {
			rows, cols = cols, rows
		}
		ld := cols + r.IntN(4)
		return normal(r, max(0, (rows-1)*ld+cols)), max(1, ld)
	}
	q.a, q.lda = stored(m, k, q.transA)
	q.b, q.ldb = stored(k, n, q.transB)
	q.c, q.ldc = stored(m, n, false)
	return q
}

func (q product) String() string {
	return fmt.Sprintf("%d×%d×%d transA=%v transB=%v acc=%v", q.m, q.n, q.k, q.transA, q.transB, q.acc)
}

func (q product) run(s *Scratch) {
	s.MatMul(q.c, q.ldc, q.a, q.lda, q.transA, q.b, q.ldb, q.transB, q.m, q.n, q.k, q.acc)
}

// storedA is where op(A)[i][p] lies.
func (q product) storedA(i, p int) *float32 {
	if q.transA {
		return &q.a[p*q.lda+i]
	}
	return &q.a[i*q.lda+p]
}

// storedB is where op(B)[p][j] lies.
func (q product) storedB(p, j int) *float32 {
	if q.transB {
		return &q.b[j*q.ldb+p]
	}
	return &q.b[p*q.ldb+j]
}

// reference returns the product in float64 by gonum, m×n without gaps.
func (q product) reference() []float64 {
	if q.m == 0 || q.n == 0 {
		return nil
	}
	want := make([]float64, q.m*q.n)
	if q.acc {
		for i := range want {
			want[i] = float64(q.c[i/q.n*q.ldc+i%q.n])
		}
	}
	if q.k == 0 {
		return want
	}
	wide := func(x []float32, ld, rows, cols int, trans bool) (blas64.General, blas.Transpose) {
		t := blas.NoTrans
		if trans {
			rows, cols, t = cols, rows, blas.Trans
		}
		g := blas64.General{Rows: rows, Cols: cols, Stride: ld, Data: make([]float64, len(x))}
		for i, v := range x {
			g.Data[i] = float64(v)
		}
		return g, t
	}
	a, ta := wide(q.a, q.lda, q.m, q.k, q.transA)
	b, tb := wide(q.b, q.ldb, q.k, q.n, q.transB)
	blas64.Gemm(ta, tb, 1, a, b, 1, blas64.General{Rows: q.m, Cols: q.n, Stride: q.n, Data: want})
	return want
}

func randomShape(r *rand.Rand) (m, n, k int) {
	most := []int{3, 20, 70, 300}
	dim := func() int { return r.IntN(most[r.IntN(len(most))]) }
	m, n, k = dim(), dim(), dim()
	if r.IntN(8) == 0 {
		k += 2 * blockK
	}
	if r.IntN(16) == 0 {
		m, n = m+blockM, n%40
	}
	return m, n, k
}

func randomProduct(r *rand.Rand) product {
	m, n, k := randomShape(r)
	return newProduct(r, m, n, k)
}

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, v := range got {
		if math.Float32bits(v) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %v, want exactly %v", what, i, v, want[i])
		}
	}
}
