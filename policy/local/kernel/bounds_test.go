//go:build unix

package kernel

import (
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fenced is memory between two pages that fault when they are touched.
type fenced struct{ mem []float32 }

func newFenced(t *testing.T, bytes int) fenced {
	page := os.Getpagesize()
	size := (bytes + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return fenced{unsafe.Slice((*float32)(unsafe.Pointer(&all[page])), size/4)}
}

// hold copies x against the lower or the upper fence.
func (f fenced) hold(x []float32, upper bool) []float32 {
	at := f.mem[:len(x):len(x)]
	if upper {
		at = f.mem[len(f.mem)-len(x):]
	}
	copy(at, x)
	return at
}

// faulty runs f and reports whether it touched a fence.
func faulty(f func()) (bad bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { bad = recover() != nil }()
	f()
	return false
}

func TestFencesFault(t *testing.T) {
	f := newFenced(t, 4096)
	start := unsafe.Pointer(unsafe.SliceData(f.mem))
	for _, outside := range []int{-4, 4 * len(f.mem)} {
		if !faulty(func() { *(*float32)(unsafe.Add(start, outside)) = 1 }) {
			t.Errorf("writing at offset %d does not fault", outside)
		}
	}
}

func TestNothingOutsideOperandsIsTouched(t *testing.T) {
	const most = 1 << 20
	fa, fb, fc := newFenced(t, most), newFenced(t, most), newFenced(t, most)
	onEachPath(t, func(t *testing.T) {
		r, s := newRand(6), NewScratch()
		for range 400 {
			q := newProduct(r, 1+r.IntN(64), 1+r.IntN(80), 1+r.IntN(70))
			upper := r.IntN(2) == 0
			q.a, q.b, q.c = fa.hold(q.a, upper), fb.hold(q.b, upper), fc.hold(q.c, upper)
			if faulty(func() { q.run(s) }) {
				t.Fatalf("%v: touched memory outside, upper=%v", q, upper)
			}
		}
		for n := range 100 {
			for _, upper := range []bool{false, true} {
				x, y := fa.hold(normal(r, n), upper), fb.hold(normal(r, n), upper)
				if faulty(func() { s.Exp(y, x, 1, 0); Dot(x, y); Axpy(2, x, y) }) || n > 0 && faulty(func() { Max(x) }) {
					t.Fatalf("vectors of %d elements: touched memory outside, upper=%v", n, upper)
				}
				z := fc.hold(normal(r, n), upper)
				if faulty(func() {
					Scale(2, x)
					Normalize(x, y, z, 2)
					Weigh(x, y, z, x, 2)
					Project(x, y, 2, 3)
					Gate(x, y, z)
					GateBackward(x, y, z, z)
					SoftmaxBackward(x, y, 2, 3)
					Rotate(x[:n/2*2], y[:n/2*2], z[:n/2], z[:n/2], true)
				}) {
					t.Fatalf("element by element, %d of them: touched memory outside, upper=%v", n, upper)
				}
			}
		}
	})
}
