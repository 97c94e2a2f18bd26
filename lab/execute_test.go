package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"spade"
)

// fake is a machine whose runs take one call; those in broken fail.
type fake struct {
	mu       sync.Mutex
	played   []string
	prepared []string
	broken   map[string]bool
	cycles   int
}

var errFake = errors.New("it is broken")

func (f *fake) Prepare(_ context.Context, w WarmStart) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prepared = append(f.prepared, w.Name())
	return nil
}

func (f *fake) Play(_ context.Context, c Cell, cycle func(int)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken[c.Name()] {
		return errFake
	}
	f.played = append(f.played, c.Name())
	for n := 1; n <= f.cycles; n++ {
		cycle(n)
	}
	return nil
}

func (f *fake) Read(c Cell) (Run, error) { return Run{Cell: c}, nil }

func plan(seeds int, arms ...string) Plan {
	return Plan{Arms: arms, Sizes: []string{""}, Seeds: seeds, Cycles: 4, EvalEvery: 2}
}

func TestExecute(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		m := &fake{cycles: 4}
		var told, finished []int
		p := plan(5, "spade", "fixed:96")
		runs, err := Execute(t.Context(), p, m, parallel, func(p Progress) {
			if p.Done {
				finished = append(finished, p.Finished)
			} else {
				told = append(told, p.Cycle)
			}
		}, func(over []Run) error {
			if !slices.IsSortedFunc(over, func(a, b Run) int { return int(a.Seed) - int(b.Seed) }) {
				t.Errorf("out of order: %v", over)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(told) != 40 || len(finished) != 10 || slices.Max(finished) != 10 {
			t.Errorf("told of %d cycles, %v runs", len(told), finished)
		}
		var names []string
		for i, run := range runs {
			names = append(names, run.Name())
			if run.Cell != p.Cells()[i] {
				t.Errorf("run %d is %s", i, run.Name())
			}
		}
		slices.Sort(m.prepared)
		if !slices.Equal(m.prepared, []string{"shipped-size-seed4", "shipped-size-seed5"}) {
			t.Errorf("prepared %v", m.prepared)
		}
		slices.Sort(m.played)
		slices.Sort(names)
		if !slices.Equal(m.played, names) {
			t.Errorf("played %v", m.played)
		}
	}
}

// TestExecuteFails: runs that fail are named, and all others are played.
func TestExecuteFails(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		m := &fake{broken: map[string]bool{"spade-seed1": true, "fixed96-seed2": true}}
		last := 0
		runs, err := Execute(t.Context(), plan(3, "spade", "fixed:96"), m, parallel, nil, func(over []Run) error {
			last = len(over)
			return nil
		})
		if !errors.Is(err, errFake) || err.Error() != "run spade-seed1: it is broken\nrun fixed96-seed2: it is broken" {
			t.Errorf("%v", err)
		}
		if len(m.played) != 4 || len(runs) != 4 || last != 4 {
			t.Errorf("played %v, returned %d, reported %d", m.played, len(runs), last)
		}
	}
	m := &fake{}
	if _, err := Execute(t.Context(), plan(3, "spade", "fixed:96"), m, 1, nil, func([]Run) error { return errFake }); !errors.Is(err, errFake) || len(m.played) != 1 {
		t.Errorf("a report that cannot be written: %v after %v", err, m.played)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Execute(ctx, plan(1, "spade"), m, 1, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestPlan(t *testing.T) {
	p := Plan{Arms: []string{"spade", "ladder:1-8"}, Sizes: []string{"", "3M"}, Seeds: 2, Tuning: true, Cycles: 10, EvalEvery: 5}
	var names []string
	for _, c := range p.Cells() {
		names = append(names, c.Name())
	}
	want := []string{"spade-seed1001", "ladder1-8-seed1001", "spade-3M-seed1001", "ladder1-8-3M-seed1001",
		"spade-seed1002", "ladder1-8-seed1002", "spade-3M-seed1002", "ladder1-8-3M-seed1002"}
	if !slices.Equal(names, want) {
		t.Errorf("cells %v", names)
	}
	starts := map[string]bool{}
	for seed := uint64(1); seed <= 10; seed++ {
		w := Cell{Arm: "spade", Seed: seed}.WarmStart()
		starts[fmt.Sprint(w.Seed, w.Shipped())] = true
	}
	if len(starts) != 5 || !starts["1 true"] || !starts["4 false"] || !starts["10 false"] {
		t.Errorf("warm starts %v", starts)
	}
	if (Cell{Size: "3M", Seed: 1}).WarmStart().Shipped() {
		t.Error("another size is shipped")
	}
	p.Fewer = map[string]int{"ladder:1-8": 1}
	if cells := p.Cells(); len(cells) != 6 || p.Validate() != nil {
		t.Errorf("fewer seeds: %v, %v", cells, p.Validate())
	}
	for name, change := range map[string]func(*Plan){
		"no seeds of an arm": func(p *Plan) { p.Fewer = map[string]int{"fixed": 0} }, "more seeds of an arm": func(p *Plan) { p.Fewer = map[string]int{"fixed": 3} },
		"seeds of another arm": func(p *Plan) { p.Fewer = map[string]int{"no-corpus": 1} },
		"arm":                  func(p *Plan) { p.Arms[0] = "nonesuch" }, "no arms": func(p *Plan) { p.Arms = nil },
		"twice": func(p *Plan) { p.Arms[1] = "spade" }, "no sizes": func(p *Plan) { p.Sizes = nil },
		"seeds": func(p *Plan) { p.Seeds = 0 }, "many seeds": func(p *Plan) { p.Seeds = 1001 },
		"cycles": func(p *Plan) { p.Cycles = 0 }, "divisor": func(p *Plan) { p.EvalEvery = 3 }, "never": func(p *Plan) { p.EvalEvery = 0 },
	} {
		p := plan(2, "spade", "fixed")
		change(&p)
		var e *spade.Error
		if err := p.Validate(); !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
