package memory

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"spade"
)

// staleAfter is how many cycles old a measurement is when it is worth making again.
const staleAfter = 10

// Examples picks what a designer of skill is shown: environments to learn from, then environments to avoid, at most as
// many of each as asked for. Positive ones have a win rate in [0.15, 0.85] and are sampled from the 3n (at least
// 10) with the largest regret or, unless byRegret, from the 3n with the win rate nearest to one half, those measured in
// the last ten cycles before all others: what was half won longer ago is won by now. Negative ones have a win rate above
// 0.9 or below 0.1. Only environments of the same skill are shown, since another skill's would say nothing of how hard
// to make this one; skill "" takes any. r is the caller's stream.
func (m *Memory) Examples(r *rand.Rand, skill string, positives, negatives int, byRegret bool) []spade.Remembered {
	top, order := 3*positives, m.nearerHalf()
	if byRegret {
		top, order = max(top, 10), moreRegret
	}
	show := m.pick(r, skill, positives, top, teachable, order)
	return append(show, m.pick(r, skill, negatives, Capacity, extreme, moreRegret)...)
}

// order says which of two environments is shown rather, as slices.SortFunc wants it.
type order func(a, b spade.Remembered) int

// pick samples n environments of skill that fit from the top ones in the given order.
func (m *Memory) pick(r *rand.Rand, skill string, n, top int, fits func(*spade.Remembered) bool, by order) []spade.Remembered {
	var from []spade.Remembered
	for _, e := range m.Environments {
		if fits(&e) && (skill == "" || e.Skill == skill) {
			from = append(from, e)
		}
	}
	return sample(r, from, n, top, by)
}

// sample draws at most n of the top environments in the given order, without replacement.
func sample(r *rand.Rand, from []spade.Remembered, n, top int, by order) []spade.Remembered {
	slices.SortFunc(from, by)
	from = from[:min(len(from), top)]
	n = min(n, len(from))
	if n <= 0 {
		return nil
	}
	var picked []spade.Remembered
	for _, i := range r.Perm(len(from))[:n] {
		picked = append(picked, from[i])
	}
	return picked
}

// recent is the number of environments over which WinRate takes its mean.
const recent = 8

// WinRate returns the mean win rate of the environments of skill that were measured last, up to eight, and whether there
// are any.
func (m *Memory) WinRate(skill string) (rate float64, ok bool) {
	var of []spade.Remembered
	for _, e := range m.Environments {
		if e.Skill == skill {
			of = append(of, e)
		}
	}
	slices.SortStableFunc(of, func(a, b spade.Remembered) int { return cmp.Compare(b.Measured, a.Measured) })
	of = of[:min(len(of), recent)]
	for _, e := range of {
		rate += e.WinRate / float64(len(of))
	}
	return rate, len(of) > 0
}

// moreRegret puts larger regret first, then the fresher measurement.
func moreRegret(a, b spade.Remembered) int {
	return cmp.Or(cmp.Compare(b.Regret, a.Regret), cmp.Compare(b.Measured, a.Measured), strings.Compare(a.EnvID, b.EnvID))
}

// nearerHalf puts what is not stale first, then the win rate nearest to one half, then the fresher measurement.
func (m *Memory) nearerHalf() order {
	newest := m.newest()
	return func(a, b spade.Remembered) int {
		if old := newest-a.Measured >= staleAfter; old != (newest-b.Measured >= staleAfter) {
			if old {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(math.Abs(a.WinRate-0.5), math.Abs(b.WinRate-0.5)), cmp.Compare(b.Measured, a.Measured),
			strings.Compare(a.EnvID, b.EnvID))
	}
}

// newest is the last cycle of which there is a measurement.
func (m *Memory) newest() int {
	newest := 0
	for _, e := range m.Environments {
		newest = max(newest, e.Measured)
	}
	return newest
}

// Replays returns at most n environments to play again, those measured longest ago first: mastered or hopeless ones,
// to see whether they still are, and any whose measurement is at least ten cycles older than the newest one in memory.
// What was measured last is not played again at once.
func (m *Memory) Replays(n int) []spade.Remembered {
	newest := m.newest()
	var due []spade.Remembered
	for _, e := range m.Environments {
		age := newest - e.Measured
		if age >= staleAfter || (age > 0 && extreme(&e)) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b spade.Remembered) int {
		return cmp.Or(cmp.Compare(a.Measured, b.Measured), strings.Compare(a.EnvID, b.EnvID))
	})
	return due[:min(len(due), max(n, 0))]
}

// MostTeachable returns the environment with the largest regret among those with a win rate in [0.15, 0.85], or nil
// if there is none.
func (m *Memory) MostTeachable() *spade.Remembered {
	var best *spade.Remembered
	for _, e := range m.Environments {
		if teachable(&e) && (best == nil || moreRegret(e, *best) < 0) {
			best = &e
		}
	}
	return best
}
