package kernel

import (
	"math"
	"slices"
	"testing"
)

// fma32 rounds the sum once (but for ties of double rounding, which the tested
// values do not meet).
func fma32(x, y, z float32) float32 {
	return float32(math.FMA(float64(x), float64(y), float64(z)))
}

func TestExpIsAccurate(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		s := NewScratch()
		src := make([]float32, 1<<18)
		for i := range src {
			src[i] = minExp + float32(i)*(maxExp-minExp)/float32(len(src)-1)
		}
		dst := make([]float32, len(src))
		for _, form := range []struct{ scale, sub float32 }{{1, 0}, {0.25, -1.5}, {-0.5, 20}} {
			s.Exp(dst, src, form.scale, form.sub)
			for i, v := range src {
				want := math.Exp(float64(fma32(v, form.scale, -form.sub)))
				if rel := math.Abs(float64(dst[i])-want) / want; !(rel < 2e-7) {
					t.Fatalf("exp(%v*%v-%v) = %v, off by %v of %v", v, form.scale, form.sub, dst[i], rel, want)
				}
			}
		}
	})
}

func TestExpAtTheEnds(t *testing.T) {
	inf := float32(math.Inf(1))
	most := float32(math.Exp(float64(maxExp)))
	onEachPath(t, func(t *testing.T) {
		for _, test := range []struct{ src, scale, sub, want float32 }{
			{0, 1, 0, 1},
			{-inf, 1, 0, 0},
			{-inf, 1, -80, 0},
			{-math.MaxFloat32, 3, 7, 0},
			{-1e9, 0.17, 2, 0},
			{-87.4, 1, 0, 0},
			{-104, 1, 0, 0},
			{88.8, 1, 0, most},
			{1e30, 1, 0, most},
			{inf, 1, 0, most},
			{math.MaxFloat32, 2, -5, most},
			{5, 1, inf, 0},
		} {
			x := []float32{test.src}
			sum := NewScratch().Exp(x, x, test.scale, test.sub)
			if math.Abs(float64(x[0]-test.want)) > 2e-7*float64(test.want) || sum != x[0] {
				t.Errorf("exp(%v*%v-%v) = %v with sum %v, want %v", test.src, test.scale, test.sub, x[0], sum, test.want)
			}
		}
		x := []float32{1, float32(math.NaN()), 2}
		if sum := NewScratch().Exp(x, x, 1, 0); x[1] == x[1] || sum == sum || x[2] != x[2] {
			t.Errorf("a value that is not a number gave %v with sum %v", x, sum)
		}
	})
}

// mostlyScores returns scores of which some are masked.
func mostlyScores(seed uint64, n int) []float32 {
	r := newRand(seed)
	x := normal(r, n)
	for i := range x {
		if x[i] *= 10; r.IntN(5) == 0 {
			x[i] = float32(math.Inf(-1))
		}
	}
	return x
}

func TestExpIsIndependentOfPosition(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		s := NewScratch()
		for n := range 100 {
			src := mostlyScores(uint64(n), n)
			dst := make([]float32, n)
			sum := s.Exp(dst, src, 0.7, 0.3)
			var lane [lanes]float32
			for i, v := range src {
				alone := []float32{v}
				s.Exp(alone, alone, 0.7, 0.3)
				sameBits(t, "alone", dst[i:i+1], alone)
				lane[i%lanes] += alone[0]
			}
			sameBits(t, "sum", []float32{sum}, []float32{total(&lane)})
			moved := append(make([]float32, n%7), src...)[n%7:]
			again := s.Exp(moved, moved, 0.7, 0.3)
			sameBits(t, "in place", append(moved, again), append(dst, sum))
		}
	})
}

func TestPathsOfAssemblyAgree(t *testing.T) {
	best := active
	defer func() { active = best }()
	if best != avx512 {
		t.Skip("needs AVX-512")
	}
	src := mostlyScores(1, 1000)
	var got [2][]float32
	for i, p := range []path{avx2, avx512} {
		active = p
		s := NewScratch()
		got[i] = make([]float32, len(src))
		got[i] = append(got[i], s.Exp(got[i], src, 0.7, 0.3))
		q := newProduct(newRand(2), 50, 70, 600)
		q.run(s)
		got[i] = append(got[i], q.c...)
	}
	sameBits(t, "avx2 against avx512", got[0], got[1])
}

func TestDotAndAxpy(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for n := range 100 {
			r := newRand(uint64(n))
			x, y := normal(r, n), normal(r, n)
			var want, size float64
			for i, v := range x {
				want += float64(v) * float64(y[i])
				size += math.Abs(float64(v) * float64(y[i]))
			}
			if got := Dot(x, y); math.Abs(float64(got)-want) > 1e-6*size {
				t.Errorf("dot product of %d elements = %v, want %v", n, got, want)
			}
			moved := append(make([]float32, n%5), x...)[n%5:]
			sameBits(t, "dot elsewhere", []float32{Dot(moved, y)}, []float32{Dot(x, y)})
			z := slices.Clone(y)
			Axpy(0.7, x, z)
			for i, v := range z {
				if math.Abs(float64(v)-(0.7*float64(x[i])+float64(y[i]))) > 1e-6 {
					t.Errorf("y[%d] of %d = %v", i, n, v)
				}
				alone := []float32{y[i]}
				Axpy(0.7, x[i:i+1], alone)
				sameBits(t, "alone", z[i:i+1], alone)
			}
		}
	})
}

func TestTotal(t *testing.T) {
	var halves func(x []float32) float32
	halves = func(x []float32) float32 {
		if len(x) == 1 {
			return x[0]
		}
		half := slices.Clone(x[:len(x)/2])
		for i, v := range x[len(x)/2:] {
			half[i] += v
		}
		return halves(half)
	}
	onEachPath(t, func(t *testing.T) {
		r := newRand(4)
		for range 100 {
			sum := [lanes]float32(normal(r, lanes))
			want := halves(sum[:])
			sameBits(t, "total", []float32{total(&sum)}, []float32{want})
		}
	})
}

func TestMax(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		r := newRand(3)
		for n := 1; n < 100; n++ {
			x := normal(r, n)
			Axpy(-5, slices.Repeat([]float32{1}, n), x) // all of them negative, as masked scores are
			if got, want := Max(x), slices.Max(x); got != want {
				t.Errorf("the largest of %v is %v, want %v", x, got, want)
			}
			x[r.IntN(n)] = float32(math.Inf(1))
			if got := Max(x); !math.IsInf(float64(got), 1) {
				t.Errorf("the largest of %v is %v", x, got)
			}
		}
	})
}

func TestVectorsOfDifferentLengthsPanic(t *testing.T) {
	x := make([]float32, 20)
	for name, call := range map[string]func(){
		"Exp":  func() { NewScratch().Exp(x, x[:19], 1, 0) },
		"Dot":  func() { Dot(x, x[:19]) },
		"Axpy": func() { Axpy(1, x, x[:19]) },

		"Normalize":       func() { Normalize(x, x, x[:19], 1) },
		"Weigh":           func() { Weigh(x, x, x, x[:19], 1) },
		"Project":         func() { Project(x, x[:19], 1, 1) },
		"Rotate":          func() { Rotate(x, x, x[:9], x[:10], false) },
		"Gate":            func() { Gate(x, x, x[:19]) },
		"GateBackward":    func() { GateBackward(x, x, x, x[:19]) },
		"SoftmaxBackward": func() { SoftmaxBackward(x, x[:19], 1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}
