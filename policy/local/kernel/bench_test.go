package kernel

import (
	"fmt"
	"testing"
)

// The products of the embedded model: sampling with 1 to 300 sequences, attention
// with heads 32 wide, and training on 2000 tokens; the last two are for comparison
// with published figures.
var benchShapes = []struct {
	name           string
	m, n, k        int
	transA, transB bool
}{
	{"decode/qkv/1", 1, 256, 96, false, false},
	{"decode/up/1", 1, 512, 96, false, false},
	{"decode/down/1", 1, 96, 256, false, false},
	{"decode/vocab/1", 1, 1500, 96, false, false},
	{"decode/vocab/NT/1", 1, 1500, 96, false, true},
	{"decode/qkv/2", 2, 256, 96, false, false},
	{"decode/qkv/4", 4, 256, 96, false, false},
	{"decode/qkv/13", 13, 256, 96, false, false},
	{"decode/qkv/16", 16, 256, 96, false, false},
	{"decode/qkv/32", 32, 256, 96, false, false},
	{"decode/up/32", 32, 512, 96, false, false},
	{"decode/down/32", 32, 96, 256, false, false},
	{"decode/vocab/32", 32, 1500, 96, false, false},
	{"decode/vocab/NT/32", 32, 1500, 96, false, true},
	{"decode/up/300", 300, 512, 96, false, false},
	{"decode/vocab/NT/300", 300, 1500, 96, false, true},
	{"attention/scores/1", 1, 200, 32, false, true},
	{"attention/mix/1", 1, 32, 200, false, false},
	{"attention/scores/64", 64, 200, 32, false, true},
	{"attention/mix/64", 64, 32, 200, false, false},
	{"attention/dKeys/64", 200, 32, 64, true, false},
	{"train/qkv", 2000, 256, 96, false, false},
	{"train/up", 2000, 512, 96, false, false},
	{"train/down", 2000, 96, 256, false, false},
	{"train/vocab/NT", 2000, 1500, 96, false, true},
	{"train/dX/up", 2000, 96, 512, false, true},
	{"train/dX/vocab", 2000, 96, 1500, false, false},
	{"train/dW/up", 96, 512, 2000, true, false},
	{"train/dW/down", 256, 96, 2000, true, false},
	{"train/dW/vocab", 1500, 96, 2000, true, false},
	{"4096x256x128", 4096, 256, 128, false, false},
	{"32x384x128", 32, 384, 128, false, false},
}

func BenchmarkMatMul(b *testing.B) {
	best := active
	defer func() { active = best }()
	for p := best; p >= portable; p-- {
		for _, sh := range benchShapes {
			b.Run(fmt.Sprintf("%v/%s", p, sh.name), func(b *testing.B) {
				active = p
				r, s := newRand(1), NewScratch()
				q := product{m: sh.m, n: sh.n, k: sh.k, transA: sh.transA, transB: sh.transB}
				q.a, q.b, q.c = normal(r, sh.m*sh.k), normal(r, sh.k*sh.n), make([]float32, sh.m*sh.n)
				q.lda, q.ldb, q.ldc = sh.k, sh.n, sh.n
				if sh.transA {
					q.lda = sh.m
				}
				if sh.transB {
					q.ldb = sh.k
				}
				for b.Loop() {
					q.run(s)
				}
				flop := 2 * float64(sh.m) * float64(sh.n) * float64(sh.k) * float64(b.N)
				b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkExp(b *testing.B) {
	best := active
	defer func() { active = best }()
	for p := best; p >= portable; p-- {
		for _, n := range []int{32, 200, 1500} {
			b.Run(fmt.Sprintf("%v/%d", p, n), func(b *testing.B) {
				active = p
				s, src, dst := NewScratch(), normal(newRand(1), n), make([]float32, n)
				for b.Loop() {
					s.Exp(dst, src, 0.2, 1)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(n)/float64(b.N), "ns/element")
			})
		}
	}
}

func BenchmarkPeak(b *testing.B) {
	best := active
	defer func() { active = best }()
	for p := best; p >= portable; p-- {
		b.Run(p.String(), func(b *testing.B) {
			active = p
			operations := 0
			for b.Loop() {
				operations += Peak(10000)
			}
			b.ReportMetric(float64(operations)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
