package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// peakSums is how many running sums the loop of peak keeps: more than the multiply-add units have instructions in flight.
const peakSums = 12

// peak writes a loop that does nothing but multiply and add in registers.
func peak(name string, s isa) {
	build.TEXT(name, build.NOSPLIT, "func(n int)")
	build.Doc(name + " does n > 0 times 12 fused multiply-adds of whole vectors, none of which waits for another of its turn.")
	n := param("n")
	a, b := s.vector(), s.vector()
	s.zero(a)
	s.zero(b)
	sums := s.zeroed(peakSums)
	build.Label("turn")
	for _, sum := range sums {
		build.VFMADD231PS(a, b, sum)
	}
	build.DECQ(n)
	build.JNZ(operand.LabelRef("turn"))
	ret()
}
