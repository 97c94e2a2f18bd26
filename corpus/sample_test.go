package corpus

import (
	"slices"
	"sync"
	"testing"
)

func TestAt(t *testing.T) {
	c := Builtin()
	n := c.Len()
	order := func(seed uint64, epoch int) []string {
		var ids []string
		for draw := epoch * n; draw < (epoch+1)*n; draw++ {
			p, err := c.At(seed, draw)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, p.ID)
		}
		return ids
	}
	first, second, other := order(7, 0), order(7, 1), order(8, 0)
	if slices.Equal(first, second) || slices.Equal(first, other) {
		t.Error("passes and seeds share an order")
	}
	for _, ids := range [][]string{first, second, other} {
		if sorted := slices.Sorted(slices.Values(ids)); len(slices.Compact(sorted)) != n {
			t.Errorf("a pass draws %d of %d passages", len(slices.Compact(sorted)), n)
		}
	}
	// A draw depends on its number only, whatever was drawn before and by whom.
	var wg sync.WaitGroup
	for _, draw := range []int{n + 3, 5, n - 1, 2*n - 1, 0} {
		wg.Go(func() {
			p, err := Builtin().At(7, draw)
			q, err2 := c.At(7, draw)
			if want := append(slices.Clone(first), second...)[draw]; err != nil || err2 != nil || p.ID != want || q.ID != want {
				t.Errorf("draw %d: %s and %s, want %s", draw, p.ID, q.ID, want)
			}
		})
	}
	wg.Wait()
}

func TestCoverage(t *testing.T) {
	c := Builtin()
	for draws, want := range map[int]int{0: 0, 1: 1, 408: 408, 409: 408} {
		if used, total := c.Coverage(draws); used != want || total != 408 {
			t.Errorf("Coverage(%d) = %d, %d", draws, used, total)
		}
	}
}
