package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is how many elements a pass handles: the partial sums of a reduction.
const lanes = 16

// overBlocks writes a loop over n/lanes blocks, n > 0, of the given arrays.
func overBlocks(n reg.Register, arrays []reg.Register, block func()) {
	build.SHRQ(operand.U8(4), n)
	build.Label("block")
	block()
	for _, p := range arrays {
		build.ADDQ(operand.U32(lanes*4), p)
	}
	build.DECQ(n)
	build.JNZ(operand.LabelRef("block"))
}

// loadSums loads the lanes that sum points at.
func (s isa) loadSums(sum reg.Register) []reg.VecVirtual {
	sums := make([]reg.VecVirtual, lanes*4/s.bytes)
	for v := range sums {
		sums[v] = s.vector()
		build.VMOVUPS(at(sum, v*s.bytes), sums[v])
	}
	return sums
}

func (s isa) storeSums(sums []reg.VecVirtual, sum reg.Register) {
	for v := range sums {
		build.VMOVUPS(sums[v], at(sum, v*s.bytes))
	}
}

func dot() {
	build.TEXT("dotAVX2", build.NOSPLIT, "func(n int, x, y, sum *float32)")
	build.Pragma("noescape")
	build.Doc("dotAVX2 adds x[i]*y[i] to lane i mod 16 of sum, for n > 0 elements, a multiple of 16.")
	n, x, y, sum := param("n"), param("x"), param("y"), param("sum")
	s := isa256
	sums := s.loadSums(sum)
	overBlocks(n, []reg.Register{x, y}, func() {
		for v := range sums {
			t := s.vector()
			build.VMOVUPS(at(x, v*s.bytes), t)
			build.VFMADD231PS(at(y, v*s.bytes), t, sums[v])
		}
	})
	s.storeSums(sums, sum)
	ret()
}

func largest() {
	build.TEXT("largestAVX2", build.NOSPLIT, "func(n int, x, last *float32) float32")
	build.Pragma("noescape")
	build.Doc("largestAVX2 returns the largest of n elements at x, n > 0 and a multiple of 16, and of the 16 elements at last.")
	n, x, last := param("n"), param("x"), param("last")
	s := isa256
	tops := s.loadSums(last)
	overBlocks(n, []reg.Register{x}, func() {
		for v := range tops {
			build.VMAXPS(at(x, v*s.bytes), tops[v], tops[v])
		}
	})
	build.Store(pairwise(tops, build.VMAXPS), build.ReturnIndex(0))
	ret()
}

func total() {
	build.TEXT("totalAVX2", build.NOSPLIT, "func(sum *float32) float32")
	build.Pragma("noescape")
	build.Doc("totalAVX2 adds the 16 lanes of sum pairwise: each half to the other, until one is left.")
	build.Store(pairwise(isa256.loadSums(param("sum")), build.VADDPS), build.ReturnIndex(0))
	ret()
}

// pairwise joins the lanes of two vectors: each half with the other, until one is left, the first of what it returns.
func pairwise(vs []reg.VecVirtual, join func(...operand.Op)) reg.VecVirtual {
	join(vs[1], vs[0], vs[0])
	all, half := build.XMM(), build.XMM()
	build.VEXTRACTF128(operand.U8(1), vs[0], all)
	join(all, vs[0].AsX(), all)
	for _, swapped := range []operand.U8{0x4e, 0xb1} { // the halves of four, then of each pair
		build.VPERMILPS(swapped, all, half)
		join(half, all, all)
	}
	return all
}

func axpy() {
	build.TEXT("axpyAVX2", build.NOSPLIT, "func(n int, a float32, x, y *float32)")
	build.Pragma("noescape")
	build.Doc("axpyAVX2 adds a*x[i] to y[i], for n > 0 elements, a multiple of 16.")
	n, x, y := param("n"), param("x"), param("y")
	s := isa256
	a := s.vector()
	arg, err := build.Param("a").Resolve()
	if err != nil {
		panic(err)
	}
	build.VBROADCASTSS(arg.Addr, a)
	overBlocks(n, []reg.Register{x, y}, func() {
		for v := range lanes * 4 / s.bytes {
			t := s.vector()
			build.VMOVUPS(at(y, v*s.bytes), t)
			build.VFMADD231PS(at(x, v*s.bytes), a, t)
			build.VMOVUPS(t, at(y, v*s.bytes))
		}
	})
	ret()
}
