package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileVectors is the width of a tile in vectors.
const tileVectors = 2

// tile writes a function that computes a tile of C of any height up to maxRows,
// two vectors wide. All sums stay in registers while k advances, so every element
// sees the same sequence of operations whatever the height.
func tile(name string, s isa, maxRows int) {
	build.TEXT(name, build.NOSPLIT, "func(rows, k int, a *float32, rowStep, colStep int, b *float32, ldb int, c *float32, ldc int, acc bool)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s computes a tile of 1 to %d rows and %d columns, k > 0 terms deep.", name, maxRows, tileVectors*s.bytes/4))
	rows := param("rows")
	t := tileArgs{
		isa: s, k: param("k"),
		a: param("a"), rowStep: elements("rowStep"), colStep: elements("colStep"),
		b: param("b"), ldb: elements("ldb"),
		c: param("c"), ldc: elements("ldc"),
		acc: build.Load(build.Param("acc"), build.GP8()),
	}
	for n := maxRows; n > 1; n-- {
		build.CMPQ(rows, operand.U32(n))
		build.JEQ(operand.LabelRef(fmt.Sprintf("rows%d", n)))
	}
	for n := 1; n <= maxRows; n++ {
		t.body(n)
	}
}

type tileArgs struct {
	isa
	k                   reg.Register
	a, rowStep, colStep reg.Register
	b, ldb              reg.Register
	c, ldc              reg.Register
	acc                 reg.Register
}

// body writes the code for tiles of n rows.
func (t tileArgs) body(n int) {
	label := func(part string) string { return fmt.Sprintf("%s%d", part, n) }
	build.Label(label("rows"))
	a := t.rowPointers(n)
	sums := t.zeroed(n * tileVectors)

	build.Label(label("step"))
	var b [tileVectors]reg.VecVirtual
	for v := range b {
		b[v] = t.vector()
		build.VMOVUPS(at(t.b, v*t.bytes), b[v])
	}
	build.ADDQ(t.ldb, t.b)
	for i := range n {
		x := t.vector()
		build.VBROADCASTSS(a.row(i), x)
		for v := range b {
			build.VFMADD231PS(b[v], x, sums[i*tileVectors+v])
		}
	}
	for _, p := range a.base {
		build.ADDQ(t.colStep, p)
	}
	build.DECQ(t.k)
	build.JNZ(operand.LabelRef(label("step")))

	build.TESTB(t.acc, t.acc)
	build.JZ(operand.LabelRef(label("store")))
	row := build.GP64()
	build.MOVQ(t.c, row)
	t.eachOfC(n, row, func(i int, c operand.Mem) { build.VADDPS(c, sums[i], sums[i]) })
	build.Label(label("store"))
	t.eachOfC(n, t.c, func(i int, c operand.Mem) { build.VMOVUPS(sums[i], c) })
	ret()
}

// eachOfC calls f for each vector of n rows of C, advancing row over them.
func (t tileArgs) eachOfC(n int, row reg.Register, f func(i int, c operand.Mem)) {
	for i := range n {
		for v := range tileVectors {
			f(i*tileVectors+v, at(row, v*t.bytes))
		}
		if i < n-1 {
			build.ADDQ(t.ldc, row)
		}
	}
}

// rowPointers addresses the rows of A: a base register for each four rows, and
// the distances of one and three rows.
type rowPointers struct {
	base        []reg.Register
	step, step3 reg.Register
}

func (t tileArgs) rowPointers(n int) rowPointers {
	p := rowPointers{base: []reg.Register{t.a}, step: t.rowStep}
	if n > 3 {
		step3 := build.GP64()
		build.LEAQ(operand.Mem{Base: t.rowStep, Index: t.rowStep, Scale: 2}, step3)
		p.step3 = step3
	}
	for i := 4; i < n; i += 4 {
		next := build.GP64()
		build.LEAQ(operand.Mem{Base: p.base[len(p.base)-1], Index: t.rowStep, Scale: 4}, next)
		p.base = append(p.base, next)
	}
	return p
}

func (p rowPointers) row(i int) operand.Mem {
	m := operand.Mem{Base: p.base[i/4]}
	switch i % 4 {
	case 1, 2:
		m.Index, m.Scale = p.step, uint8(i%4)
	case 3:
		m.Index, m.Scale = p.step3, 1
	}
	return m
}
