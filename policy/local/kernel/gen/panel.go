package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panel writes a function that copies rows of a tile's width one behind the other.
func panel(name string, s isa) {
	build.TEXT(name, build.NOSPLIT, "func(k int, dst, src *float32, stride int)")
	build.Pragma("noescape")
	width := tileVectors * s.bytes
	build.Doc(fmt.Sprintf("%s copies k > 0 rows of %d elements, which lie stride elements apart at src, one behind the other to dst.", name, width/4))
	k, dst, src, stride := param("k"), param("dst"), param("src"), elements("stride")
	build.Label("row")
	var row [tileVectors]reg.VecVirtual
	for v := range row {
		row[v] = s.vector()
		build.VMOVUPS(at(src, v*s.bytes), row[v])
	}
	for v := range row {
		build.VMOVUPS(row[v], at(dst, v*s.bytes))
	}
	build.ADDQ(stride, src)
	build.ADDQ(operand.U32(width), dst)
	build.DECQ(k)
	build.JNZ(operand.LabelRef("row"))
	ret()
}
