package memory

import (
	"cmp"
	"slices"
	"strings"

	"spade"
)

// Capacity is the number of environments that a memory holds, as published.
const Capacity = 200

// The bands of win rates, as published. Between them lie environments that are neither worth imitating nor clearly
// worth avoiding.
const (
	teachableFrom, teachableTo = 0.15, 0.85
	hopelessBelow              = 0.1
	masteredAbove              = 0.9
)

// reserved is how many places environments outside the teachable band keep when memory is full.
const reserved = Capacity / 5

// Memory is the environments of a run. Use New; decoding its JSON restores it. It is not safe for concurrent use.
type Memory struct {
	// Environments are in the order in which they were first measured.
	Environments []spade.Remembered `json:"environments"`
}

// New returns an empty memory.
func New() *Memory { return &Memory{Environments: []spade.Remembered{}} }

// All returns every remembered environment, in the order in which they were first measured. It is a copy.
func (m *Memory) All() []spade.Remembered { return slices.Clone(m.Environments) }

// Measure records what the plays of env in cycle came to: an environment that is known is brought up to date, a
// new one enters. A score without an unhinted play says nothing and is ignored; a score without a hinted one
// leaves the hinted numbers as they were. packed says that its episodes may share a process.
//
// When memory is full, one environment leaves. Places are shared: the teachable ones (win rate in [0.15, 0.85])
// give one up only if fewer than a fifth of all places are held by others. Of the side that gives one up, the
// environment leaves that was measured longest ago, since its numbers say least about today's weights; among those,
// the one with the lowest regret. A replay is a measurement, so what stays teachable stays.
func (m *Memory) Measure(cycle int, env spade.Environment, packed bool, score spade.Score) {
	if score.Plays == 0 {
		return
	}
	i := slices.IndexFunc(m.Environments, func(r spade.Remembered) bool { return r.EnvID == env.ID })
	if i < 0 {
		i = len(m.Environments)
		m.Environments = append(m.Environments, spade.Remembered{
			EnvID: env.ID, Skill: env.Skill, Hint: env.Hint, Source: env.Source, Class: env.Class, Kind: env.Kind,
			PassageID: env.PassageID, Slot: env.Slot, Packed: packed, Cycle: env.Cycle,
		})
	}
	r := &m.Environments[i]
	r.WinRate = score.WinRate
	if score.HintedPlays > 0 {
		r.HintedWinRate, r.Regret = score.HintedWinRate, score.Regret
	}
	r.Plays += score.Plays
	r.Measured = cycle
	if len(m.Environments) > Capacity {
		m.evict()
	}
}

// evict removes one environment, by the rule of Measure.
func (m *Memory) evict() {
	others := 0
	for i := range m.Environments {
		if !teachable(&m.Environments[i]) {
			others++
		}
	}
	side := others <= reserved
	leaving := -1
	for i := range m.Environments {
		if teachable(&m.Environments[i]) != side {
			continue
		}
		if leaving < 0 || less(&m.Environments[i], &m.Environments[leaving]) {
			leaving = i
		}
	}
	m.Environments = slices.Delete(m.Environments, leaving, leaving+1)
}

// less says that a leaves before b.
func less(a, b *spade.Remembered) bool {
	return cmp.Or(cmp.Compare(a.Measured, b.Measured), cmp.Compare(a.Regret, b.Regret), strings.Compare(a.EnvID, b.EnvID)) < 0
}

func teachable(r *spade.Remembered) bool {
	return r.WinRate >= teachableFrom && r.WinRate <= teachableTo
}

// extreme says that the agent wins nearly always or nearly never.
func extreme(r *spade.Remembered) bool { return r.WinRate > masteredAbove || r.WinRate < hopelessBelow }
