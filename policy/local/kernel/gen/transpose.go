package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose8 turns eight rows into eight columns, 8×8 at a time. Rows i and i+4
// share a vector, so that shuffles within its two halves suffice.
func transpose8() {
	build.TEXT("transposeAVX2", build.NOSPLIT, "func(blocks int, dst *float32, width int, src *float32, stride int)")
	build.Pragma("noescape")
	build.Doc("transposeAVX2 sets dst[p*width+j] = src[j*stride+p] for j < 8 and p < 8*blocks, blocks > 0.")
	blocks, dst, width := param("blocks"), param("dst"), elements("width")
	src, stride := param("src"), elements("stride")
	top := rowsFrom(src, stride)
	low := build.GP64()
	build.LEAQ(operand.Mem{Base: src, Index: stride, Scale: 4}, low)
	bottom := top
	bottom.base = low
	out := rowsFrom(dst, width)

	build.Label("block")
	for half := range 2 {
		var rows [4]reg.VecVirtual
		for i := range rows {
			rows[i] = build.YMM()
			build.VMOVUPS(top.row(i, 16*half), rows[i].AsX())
			build.VINSERTF128(operand.U8(1), bottom.row(i, 16*half), rows[i], rows[i])
		}
		for i, column := range transpose4(rows) {
			build.VMOVUPS(column, out.row(i, 0))
		}
		build.LEAQ(operand.Mem{Base: dst, Index: width, Scale: 4}, dst)
	}
	build.ADDQ(operand.U32(32), src)
	build.ADDQ(operand.U32(32), low)
	build.DECQ(blocks)
	build.JNZ(operand.LabelRef("block"))
	ret()
}

// transpose4 transposes the 4×4 blocks in both halves of four vectors.
func transpose4(r [4]reg.VecVirtual) [4]reg.VecVirtual {
	var pairs, columns [4]reg.VecVirtual
	for i := range pairs {
		pairs[i], columns[i] = build.YMM(), build.YMM()
	}
	build.VUNPCKLPS(r[1], r[0], pairs[0])
	build.VUNPCKHPS(r[1], r[0], pairs[1])
	build.VUNPCKLPS(r[3], r[2], pairs[2])
	build.VUNPCKHPS(r[3], r[2], pairs[3])
	const low, high = 0x44, 0xee // the low or high two elements of both operands
	build.VSHUFPS(operand.U8(low), pairs[2], pairs[0], columns[0])
	build.VSHUFPS(operand.U8(high), pairs[2], pairs[0], columns[1])
	build.VSHUFPS(operand.U8(low), pairs[3], pairs[1], columns[2])
	build.VSHUFPS(operand.U8(high), pairs[3], pairs[1], columns[3])
	return columns
}

// rows4 addresses four rows that are step bytes apart.
type rows4 struct{ base, step, step3 reg.Register }

func rowsFrom(base, step reg.Register) rows4 {
	step3 := build.GP64()
	build.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	return rows4{base, step, step3}
}

func (r rows4) row(i, offset int) operand.Mem {
	m := at(r.base, offset)
	switch i {
	case 1, 2:
		m.Index, m.Scale = r.step, uint8(i)
	case 3:
		m.Index, m.Scale = r.step3, 1
	}
	return m
}
