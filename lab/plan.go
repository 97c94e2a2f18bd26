package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spade"
	"spade/selfplay"
)

// FirstTuningSeed is the first seed on which settings may be chosen; those that are reported lie below it.
const FirstTuningSeed = 1001

// Plan says which runs make up an experiment.
type Plan struct {
	// Arms are arms as selfplay.ParseArm reads them.
	Arms []string
	// Sizes are sizes of the embedded model ("" is the shipped one).
	Sizes []string
	// Seeds is the number of seeds, from 1 on, or from FirstTuningSeed where Tuning is set, so that settings are not
	// chosen by runs that are reported.
	Seeds  int
	Tuning bool
	// Fewer holds the number of seeds, from the first one on, of arms that are played on fewer than Seeds.
	Fewer map[string]int
	// Cycles is the length of every run, and EvalEvery the number of cycles between held-out measurements, a divisor of
	// it: all arms take equally many optimiser steps and are measured after the same ones.
	Cycles, EvalEvery int
}

// Cell is one run of a plan.
type Cell struct {
	Arm  string `json:"arm"`
	Size string `json:"size,omitempty"`
	Seed uint64 `json:"seed"`
}

// Name is the name of the cell's files.
func (c Cell) Name() string {
	name := strings.ReplaceAll(c.Arm, ":", "")
	if c.Size != "" {
		name += "-" + c.Size
	}
	return fmt.Sprintf("%s-seed%d", name, c.Seed)
}

// WarmStart is a checkpoint that runs begin with.
type WarmStart struct {
	Size string
	Seed uint64
}

// warmStartSeed is that of the shipped checkpoint.
const warmStartSeed = 1

// WarmStart returns what the cell's run begins with. Of every five seeds the last two have warm starts of their own, the
// others share one, so that intervals cover that too.
func (c Cell) WarmStart() WarmStart {
	w := WarmStart{Size: c.Size, Seed: warmStartSeed}
	if k := c.Seed % 5; k == 4 || k == 0 {
		w.Seed = c.Seed
	}
	return w
}

// Shipped reports whether the warm start is the checkpoint that the program carries.
func (w WarmStart) Shipped() bool { return w.Size == "" && w.Seed == warmStartSeed }

// Name is the name of the warm start's folder.
func (w WarmStart) Name() string {
	size := w.Size
	if size == "" {
		size = "shipped-size"
	}
	return fmt.Sprintf("%s-seed%d", size, w.Seed)
}

// Validate reports the first thing in the plan that makes no sense.
func (p Plan) Validate() error {
	for _, arm := range p.Arms {
		if _, err := selfplay.ParseArm(arm); err != nil {
			return err
		}
	}
	switch {
	case len(p.Arms) == 0 || len(p.Sizes) == 0:
		return wrong("name at least one", "a lab needs arms and sizes")
	case repeats(p.Arms) || repeats(p.Sizes):
		return wrong("name each once", "an arm or a size is named twice")
	case p.Seeds < 1 || p.Seeds >= FirstTuningSeed:
		return wrong("5 seeds are enough for most claims", "%d seeds: 1 to %d are possible", p.Seeds, FirstTuningSeed-1)
	case p.Cycles < 1:
		return wrong("100 cycles take a few minutes a run", "%d cycles: at least 1 is needed", p.Cycles)
	case p.EvalEvery < 1 || p.Cycles%p.EvalEvery != 0:
		return wrong("a tenth of the cycles is a good choice", "held-out measurements every %d cycles: that must be a divisor of %d", p.EvalEvery, p.Cycles)
	}
	return p.validateFewer()
}

// validateFewer reports the first arm in Fewer whose number of seeds makes no sense.
func (p Plan) validateFewer() error {
	for _, arm := range slices.Sorted(maps.Keys(p.Fewer)) {
		if n := p.Fewer[arm]; n < 1 || n > p.Seeds || !slices.Contains(p.Arms, arm) {
			return wrong(fmt.Sprintf("write ARM@N with an arm of the lab and N within 1 to %d", p.Seeds), "%s@%d: its number of seeds does not fit", arm, n)
		}
	}
	return nil
}

func wrong(next, format string, args ...any) error {
	return spade.Errorf(spade.ByUser, next, format, args...)
}

func repeats(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) != len(names)
}

// Cells returns the runs in the order in which they are played: all arms of a seed before the next seed, so that a lab
// that is cut short still compares.
func (p Plan) Cells() []Cell {
	first := uint64(1)
	if p.Tuning {
		first = FirstTuningSeed
	}
	var cells []Cell
	for s := range p.Seeds {
		for _, size := range p.Sizes {
			for _, arm := range p.Arms {
				if n, fewer := p.Fewer[arm]; fewer && s >= n {
					continue
				}
				cells = append(cells, Cell{Arm: arm, Size: size, Seed: first + uint64(s)})
			}
		}
	}
	return cells
}
