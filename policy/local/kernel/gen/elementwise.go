package main

import (
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elementwise writes a function over n > 0 elements of the arrays, a multiple of 16. step is given the scalars, spread over a
// vector each, and a place in every array, and does one vector. Nothing is fused: every operation rounds, as Go's do.
func elementwise(name, doc string, scalars, arrays []string, step func(scalar []reg.VecVirtual, array []operand.Mem)) {
	signature := "func(n int, "
	if len(scalars) > 0 {
		signature += strings.Join(scalars, ", ") + " float32, "
	}
	build.TEXT(name, build.NOSPLIT, signature+strings.Join(arrays, ", ")+" *float32)")
	build.Pragma("noescape")
	build.Doc(name + " " + doc + ", for n > 0 elements, a multiple of 16.")
	s := isa256
	n := param("n")
	spread := make([]reg.VecVirtual, len(scalars))
	for i, scalar := range scalars {
		spread[i] = s.everywhere(scalar)
	}
	pointers := make([]reg.Register, len(arrays))
	for i, array := range arrays {
		pointers[i] = param(array)
	}
	overBlocks(n, pointers, func() {
		for v := range lanes * 4 / s.bytes {
			places := make([]operand.Mem, len(pointers))
			for i, p := range pointers {
				places[i] = at(p, v*s.bytes)
			}
			step(spread, places)
		}
	})
	ret()
}

// load is a vector with what lies at a place.
func load(place operand.Mem) reg.VecVirtual {
	v := build.YMM()
	build.VMOVUPS(place, v)
	return v
}

// times, plus, minus and over are a new vector each; the second operand of times and plus may lie in memory.
func times(x reg.VecVirtual, y operand.Op) reg.VecVirtual {
	v := build.YMM()
	build.VMULPS(y, x, v)
	return v
}

func plus(x reg.VecVirtual, y operand.Op) reg.VecVirtual {
	v := build.YMM()
	build.VADDPS(y, x, v)
	return v
}

func minus(x, y reg.VecVirtual) reg.VecVirtual {
	v := build.YMM()
	build.VSUBPS(y, x, v)
	return v
}

func over(x, y reg.VecVirtual) reg.VecVirtual {
	v := build.YMM()
	build.VDIVPS(y, x, v)
	return v
}

func scale() {
	elementwise("scaleAVX2", "multiplies x[i] by a", []string{"a"}, []string{"x"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			build.VMOVUPS(times(scalar[0], array[0]), array[0])
		})
}

func normalize() {
	elementwise("normalizeAVX2", "sets y[i] = x[i]*r*w[i]", []string{"r"}, []string{"y", "x", "w"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			y, x, w := array[0], array[1], array[2]
			build.VMOVUPS(times(times(scalar[0], x), w), y)
		})
}

func weigh() {
	elementwise("weighAVX2", "adds dy[i]*x[i]*r to dw[i] and multiplies dy[i] by w[i]", []string{"r"}, []string{"dw", "dy", "x", "w"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			dw, dy, x, w := array[0], array[1], array[2], array[3]
			g := load(dy)
			build.VMOVUPS(plus(times(times(g, x), scalar[0]), dw), dw)
			build.VMOVUPS(times(g, w), dy)
		})
}

func project() {
	elementwise("projectAVX2", "sets dy[i] = r*dy[i] - pull*x[i]", []string{"r", "pull"}, []string{"dy", "x"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			dy, x := array[0], array[1]
			build.VMOVUPS(minus(times(scalar[0], dy), times(scalar[1], x)), dy)
		})
}

func rotate() {
	elementwise("rotateAVX2", "sets y1[i] = x1[i]*cos[i] - x2[i]*sin[i]*side and y2[i] = x2[i]*cos[i] + x1[i]*sin[i]*side, side being 1 or -1",
		[]string{"side"}, []string{"y1", "y2", "x1", "x2", "cos", "sin"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			y1, y2, a, b, c := array[0], array[1], load(array[2]), load(array[3]), load(array[4])
			s := times(scalar[0], array[5])
			build.VMOVUPS(minus(times(a, c), times(b, s)), y1)
			build.VMOVUPS(plus(times(b, c), times(a, s)), y2)
		})
}

func gate(one constant) {
	elementwise("gateAVX2", "sets y[i] = gate[i]/(1+y[i])*up[i]", nil, []string{"y", "gate", "up"},
		func(_ []reg.VecVirtual, array []operand.Mem) {
			y, gate, up := array[0], array[1], array[2]
			build.VMOVUPS(times(over(load(gate), plus(load(y), one.mem)), up), y)
		})
}

func gateBackward(one constant) {
	elementwise("gateBackwardAVX2", "replaces gate[i] and up[i] by their gradients, given e[i] = exp(-gate[i]) and the gradient dy[i] of gate[i]/(1+e[i])*up[i]",
		nil, []string{"gate", "up", "e", "dy"},
		func(_ []reg.VecVirtual, array []operand.Mem) {
			gate, up, e, dy := array[0], array[1], array[2], array[3]
			d := load(dy)
			sigmoid := over(load(one.mem), plus(load(e), one.mem))
			silu := times(sigmoid, gate)
			slope := minus(plus(sigmoid, silu), times(silu, sigmoid))
			build.VMOVUPS(times(times(d, up), slope), gate)
			build.VMOVUPS(times(d, silu), up)
		})
}

func softmaxBackward() {
	elementwise("softmaxBackwardAVX2", "sets dy[i] = y[i]*(dy[i]-pull)*a", []string{"pull", "a"}, []string{"dy", "y"},
		func(scalar []reg.VecVirtual, array []operand.Mem) {
			dy, y := array[0], array[1]
			build.VMOVUPS(times(times(minus(load(dy), scalar[0]), y), scalar[1]), dy)
		})
}
