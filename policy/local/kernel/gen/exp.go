package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ln 2 in two parts; the high one has so few bits that its multiples are exact.
const (
	ln2High = 0.693145751953125
	ln2Low  = math.Ln2 - ln2High
)

// expTerms are the coefficients of q in e^r ≈ 1 + r + r²·q(r) for |r| ≤ ln(2)/2,
// highest power first: the Chebyshev interpolant of degree 4, whose error is below
// 8e-9 of e^r.
var expTerms = []float32{0.0013926213, 0.008363203, 0.041666554, 0.16666577, 0.5}

// exp writes e^x for x = src*scale - sub as 2^t·e^r with integer t: t goes into the
// exponent bits, r into a polynomial. Both instruction sets do the same operations.
func exp(name string, s isa, c expConstants) {
	build.TEXT(name, build.NOSPLIT, "func(n int, dst, src *float32, scale, sub, low, high float32, sum *float32)")
	build.Pragma("noescape")
	build.Doc(name+" sets dst[i] = exp(min(src[i]*scale-sub, high)), or 0 where that is below low, and adds it to lane i mod 16 of sum,",
		"for n > 0 elements, a multiple of 16.")
	n, dst, src, sum := param("n"), param("dst"), param("src"), param("sum")
	scale, sub, low, high := s.everywhere("scale"), s.everywhere("sub"), s.everywhere("low"), s.everywhere("high")
	log2e, ln2High, ln2Low, one := s.constant(c.log2e), s.constant(c.ln2High), s.constant(c.ln2Low), s.constant(c.one)
	var terms []operand.Op
	for _, term := range c.terms {
		terms = append(terms, s.constant(term))
	}
	sums := s.loadSums(sum)
	overBlocks(n, []reg.Register{dst, src}, func() {
		for v := range sums {
			x, r, t, bits, p := s.vector(), s.vector(), s.vector(), s.vector(), s.vector()
			build.VMOVUPS(at(src, v*s.bytes), x)
			build.VFMSUB213PS(sub, scale, x)
			build.VMINPS(x, high, r) // not a number stays so
			build.VMULPS(log2e, r, t)
			build.VCVTPS2DQ(t, bits)
			build.VCVTDQ2PS(bits, t)
			build.VFNMADD231PS(ln2High, t, r)
			build.VFNMADD231PS(ln2Low, t, r)
			build.VMOVUPS(terms[0], p)
			for _, term := range terms[1:] {
				build.VFMADD213PS(term, r, p)
			}
			build.VFMADD213PS(one, r, p)
			build.VFMADD213PS(one, r, p)
			build.VPSLLD(operand.U8(23), bits, bits)
			build.VPADDD(bits, p, p)
			s.zeroBelow(low, x, p)
			build.VADDPS(p, sums[v], sums[v])
			build.VMOVUPS(p, at(dst, v*s.bytes))
		}
	})
	s.storeSums(sums, sum)
	ret()
}

// zeroBelow clears the elements of p where x < low.
func (s isa) zeroBelow(low, x, p reg.VecVirtual) {
	const notLess = 5 // true where either is not a number
	if s.bytes == 64 {
		keep := build.K()
		build.VCMPPS(operand.U8(notLess), low, x, keep)
		build.VMOVAPS_Z(p, keep, p)
		return
	}
	build.VCMPPS(operand.U8(notLess), low, x, x)
	build.VANDPS(x, p, p)
}

// everywhere loads a float32 argument into each element of a vector.
func (s isa) everywhere(arg string) reg.VecVirtual {
	a, err := build.Param(arg).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.vector()
	build.VBROADCASTSS(a.Addr, v)
	return v
}

// constant loads c into each element of a vector where there are registers to keep
// it; the narrow set reads it from memory each time.
func (s isa) constant(c constant) operand.Op {
	if s.bytes == 32 {
		return c.mem
	}
	v := s.vector()
	build.VMOVUPS(c.mem, v)
	return v
}

// constant is one that fills the widest vector.
type constant struct{ mem operand.Mem }

func newConstant(name string, c float32) constant {
	mem := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range isa512.bytes / 4 {
		build.DATA(4*i, operand.F32(c))
	}
	return constant{mem}
}

// expConstants are those of exp, in the order of use.
type expConstants struct {
	log2e, ln2High, ln2Low, one constant
	terms                       []constant
}

func newExpConstants() expConstants {
	c := expConstants{
		log2e:   newConstant("log2e", math.Log2E),
		ln2High: newConstant("ln2High", ln2High),
		ln2Low:  newConstant("ln2Low", ln2Low),
		one:     newConstant("one", 1),
	}
	for i, term := range expTerms {
		c.terms = append(c.terms, newConstant(fmt.Sprintf("expTerm%d", len(expTerms)+1-i), term))
	}
	return c
}
