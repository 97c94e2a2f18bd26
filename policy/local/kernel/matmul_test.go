package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMatMulAgainstGonum(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		r, s := newRand(1), NewScratch()
		for range 300 {
			q := randomProduct(r)
			want, before := q.reference(), slices.Clone(q.c)
			q.run(s)
			tolerance := 1e-5 * (4 + math.Sqrt(float64(q.k)))
			for i, v := range q.c {
				row, col := i/q.ldc, i%q.ldc
				if col >= q.n {
					if v != before[i] {
						t.Fatalf("%v: gap after row %d overwritten", q, row)
					}
				} else if math.Abs(float64(v)-want[row*q.n+col]) > tolerance {
					t.Fatalf("%v: C[%d][%d] = %v, want %v", q, row, col, v, want[row*q.n+col])
				}
			}
		}
	})
}

// define computes C as the package comment defines it. A fused step is done in
// float64, where the product is exact.
func (q product) define() []float32 {
	c := slices.Clone(q.c)
	for i := range q.m {
		for j := range q.n {
			e := &c[i*q.ldc+j]
			if q.k == 0 && !q.acc {
				*e = 0
			}
			for from := 0; from < q.k; from += blockK {
				t := float32(0)
				for p := from; p < min(from+blockK, q.k); p++ {
					t = float32(math.FMA(float64(*q.storedA(i, p)), float64(*q.storedB(p, j)), float64(t)))
				}
				if q.acc || from > 0 {
					t += *e
				}
				*e = t
			}
		}
	}
	return c
}

func TestMatMulIsItsDefinitionBitForBit(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		if active == portable {
			t.Skip("rounds differently")
		}
		r, s := newRand(2), NewScratch()
		for range 200 {
			q := randomProduct(r)
			if q.m*q.n*q.k > 1<<20 {
				continue
			}
			want := q.define()
			q.run(s)
			sameBits(t, q.String(), q.c, want)
		}
	})
}

// pick returns the same product restricted to some rows and columns in any order,
// its operands stored anew: other strides, transposed or not, other alignment.
func (q product) pick(r *rand.Rand, rows, cols []int) product {
	p := newProduct(r, len(rows), len(cols), q.k)
	p.acc = q.acc
	shift := r.IntN(16)
	p.a = append(make([]float32, shift), p.a...)[shift:]
	p.c = append(make([]float32, shift), p.c...)[shift:]
	for i, row := range rows {
		for x := range q.k {
			*p.storedA(i, x) = *q.storedA(row, x)
		}
		for j, col := range cols {
			p.c[i*p.ldc+j] = q.c[row*q.ldc+col]
		}
	}
	for j, col := range cols {
		for x := range q.k {
			*p.storedB(x, j) = *q.storedB(x, col)
		}
	}
	return p
}

func TestElementsAreIndependentOfTheRest(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		r, s := newRand(3), NewScratch()
		for range 300 {
			q := randomProduct(r)
			if q.m == 0 || q.n == 0 {
				continue
			}
			part := func(n int) []int {
				switch r.IntN(3) {
				case 0:
					return []int{r.IntN(n)}
				case 1:
					return r.Perm(n)
				}
				return r.Perm(n)[:1+r.IntN(n)]
			}
			rows, cols := part(q.m), part(q.n)
			p := q.pick(r, rows, cols)
			q.run(s)
			p.run(s)
			for i, row := range rows {
				for j, col := range cols {
					got, want := p.c[i*p.ldc+j], q.c[row*q.ldc+col]
					if math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%v: C[%d][%d] = %v, but %v as C[%d][%d] of %v", q, row, col, want, got, i, j, p)
					}
				}
			}
		}
	})
}

func TestMatMulPropagatesNonFinite(t *testing.T) {
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0}
	onEachPath(t, func(t *testing.T) {
		r, s := newRand(4), NewScratch()
		for range 100 {
			q := newProduct(r, 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(300))
			for range 1 + r.IntN(5) {
				*q.storedA(r.IntN(q.m), r.IntN(q.k)) = special[r.IntN(len(special))]
				*q.storedB(r.IntN(q.k), r.IntN(q.n)) = special[r.IntN(len(special))]
			}
			want := q.define()
			q.run(s)
			for i, v := range q.c {
				if class(v) != class(want[i]) {
					t.Fatalf("%v: element %d is %v, want %v", q, i, v, want[i])
				}
			}
		}
	})
}

// class is the sign of an infinity, 0 for a finite number, 2 for none.
func class(v float32) int {
	switch {
	case v != v:
		return 2
	case math.IsInf(float64(v), 1):
		return 1
	case math.IsInf(float64(v), -1):
		return -1
	}
	return 0
}

func TestMatMulRefusesShortOperands(t *testing.T) {
	x := make([]float32, 12)
	for _, test := range []struct {
		name, want string
		call       func(s *Scratch)
	}{
		{"short C", "C has 11 elements", func(s *Scratch) { s.MatMul(x[:11], 4, x, 2, false, x, 4, false, 3, 4, 2, false) }},
		{"short A", "A has 5 elements", func(s *Scratch) { s.MatMul(x, 4, x[:5], 2, false, x, 4, false, 3, 4, 2, false) }},
		{"short transposed A", "A has 5 elements", func(s *Scratch) { s.MatMul(x, 4, x[:5], 3, true, x, 4, false, 3, 4, 2, false) }},
		{"short B", "B has 7 elements", func(s *Scratch) { s.MatMul(x, 4, x, 2, false, x[:7], 4, false, 3, 4, 2, false) }},
		{"empty B", "B has 0 elements", func(s *Scratch) { s.MatMul(x, 4, x, 2, false, nil, 4, false, 3, 4, 2, false) }},
		{"stride", "rows of B have 4 elements but stride 3", func(s *Scratch) { s.MatMul(x, 4, x, 2, false, x, 3, false, 3, 4, 2, false) }},
		{"huge stride", "A has 12 elements", func(s *Scratch) { s.MatMul(x, 4, x, math.MaxInt/2+2, false, x, 4, false, 3, 4, 2, false) }},
		{"negative", "negative size", func(s *Scratch) { s.MatMul(x, 4, x, 2, false, x, 4, false, 3, -4, 2, false) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, test.want) {
					t.Errorf("panic %q, want %q", got, test.want)
				}
			}()
			test.call(NewScratch())
		})
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		r, s := newRand(5), NewScratch()
		q := newProduct(r, 70, 70, 300)
		q.transA, q.transB = false, false
		q.a, q.lda, q.b, q.ldb = normal(r, 70*300), 300, normal(r, 70*300), 70
		var sum float32
		x := normal(r, 37)
		count := testing.AllocsPerRun(5, func() {
			q.run(s)
			q.transB, q.ldb = !q.transB, 370-q.ldb
			// Arrays of the caller stay on its stack.
			var local [37]float32
			sum += s.Exp(local[:], x, 1, 0) + Dot(local[:], x)
			Axpy(2, x, local[:])
		})
		if count != 0 {
			t.Errorf("%v allocations a call", count)
		}
	})
}
