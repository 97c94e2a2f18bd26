// Gen writes the amd64 assembly of package kernel and its Go declarations.
//
// It is run by go generate in the folder above; the same sources always give the
// same output.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	tile("tileAVX512", isa512, 12)
	tile("tileAVX2", isa256, 6)
	c := newExpConstants()
	exp("expAVX512", isa512, c)
	exp("expAVX2", isa256, c)
	dot()
	largest()
	total()
	axpy()
	scale()
	normalize()
	weigh()
	project()
	rotate()
	gate(c.one)
	gateBackward(c.one)
	softmaxBackward()
	transpose8()
	panel("panelAVX512", isa512)
	panel("panelAVX2", isa256)
	peak("peakAVX512", isa512)
	peak("peakAVX2", isa256)
	build.Generate()
}

// isa is what the generators need to know of an instruction set.
type isa struct {
	bytes  int // of a vector
	vector func() reg.VecVirtual
	zero   func(reg.VecVirtual)
}

var isa512 = isa{64, build.ZMM, func(v reg.VecVirtual) { build.VPXORD(v, v, v) }}

var isa256 = isa{32, build.YMM, func(v reg.VecVirtual) { build.VXORPS(v, v, v) }}

// zeroed returns n vectors that hold zeros.
func (s isa) zeroed(n int) []reg.VecVirtual {
	vs := make([]reg.VecVirtual, n)
	for i := range vs {
		vs[i] = s.vector()
		s.zero(vs[i])
	}
	return vs
}

// param loads an argument of the function into a 64-bit register.
func param(name string) reg.Register { return build.Load(build.Param(name), build.GP64()) }

// elements loads an argument that counts float32 elements and turns it into bytes.
func elements(name string) reg.Register {
	r := param(name)
	build.SHLQ(operand.U8(2), r)
	return r
}

func at(base reg.Register, offset int) operand.Mem { return operand.Mem{Base: base, Disp: offset} }

func ret() {
	build.VZEROUPPER()
	build.RET()
}
