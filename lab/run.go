package lab

import (
	"spade"
	"spade/library"
)

// Suite is the held-out suite that all runs of a lab are measured on.
type Suite struct {
	Name string
	// Families and Episodes hold each environment's family and how often it is played.
	Families []string
	Episodes []int
}

// Run is what a lab reads of one run.
type Run struct {
	Cell
	// Points are the cycles, from 0 (before the first one) on.
	Points []Point
	// Memory is what the designer's memory held in the end.
	Memory Memory
}

// Point is one cycle of a run.
type Point struct {
	Cycle int
	Stats spade.CycleStats
	// Horizon is the mean horizon of the environments that were played, in turns, and Mechanics the number of
	// mechanics among the last 60 of them; both are read off sources in the library's manner, 0 without any.
	Horizon   float64
	Mechanics int
	// Hidden is the share of those environments in which a rule is hidden, and HiddenRegret their mean regret: not a number
	// where none was played with its hint.
	Hidden, HiddenRegret float64
	// CPU is the processor time of the run up to the end of the cycle, in seconds, without held-out measurements.
	CPU float64
}

// Memory counts what a memory holds.
type Memory struct {
	Environments int `json:"environments"`
	// Mechanics is the number of different mechanics, Teachable the number of environments with a win rate in
	// [0.15, 0.85].
	Mechanics int `json:"mechanics"`
	Teachable int `json:"teachable"`
}

// recentKept is the number of environments over which mechanics are counted, as diversity is.
const recentKept = 60

// Trace follows what the environments of a run are, cycle by cycle.
type Trace struct{ recent []string }

// Played is an environment with what its plays in a cycle came to.
type Played struct {
	Source string
	Score  spade.Score
}

// Read puts into p what the environments are that its cycle played, replays from memory apart.
func (t *Trace) Read(p *Point, played []Played) {
	horizon, known, hidden := 0, 0, 0
	regret, hinted := 0.0, 0
	for _, e := range played {
		traits, ok := library.Inspect(e.Source)
		if !ok {
			continue
		}
		horizon, known = horizon+traits.Horizon, known+1
		t.recent = append(t.recent, traits.Mechanic)
		if !traits.Twisted {
			continue
		}
		hidden++
		if e.Score.HintedPlays > 0 {
			regret, hinted = regret+e.Score.Regret, hinted+1
		}
	}
	if extra := len(t.recent) - recentKept; extra > 0 {
		t.recent = t.recent[extra:]
	}
	if known > 0 {
		p.Horizon, p.Hidden = float64(horizon)/float64(known), float64(hidden)/float64(known)
	}
	p.HiddenRegret = regret / float64(hinted)
	p.Mechanics = different(t.recent)
}

// CountMemory counts what a memory holds.
func CountMemory(environments []spade.Remembered) Memory {
	m := Memory{Environments: len(environments)}
	var mechanics []string
	for _, e := range environments {
		if e.WinRate >= 0.15 && e.WinRate <= 0.85 {
			m.Teachable++
		}
		if traits, ok := library.Inspect(e.Source); ok {
			mechanics = append(mechanics, traits.Mechanic)
		}
	}
	m.Mechanics = different(mechanics)
	return m
}

func different(names []string) int {
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	return len(seen)
}

// measured returns the points at which held-out environments were played.
func (r *Run) measured() []Point {
	var points []Point
	for _, p := range r.Points {
		if p.Stats.HeldOutWins != nil {
			points = append(points, p)
		}
	}
	return points
}

// rates are the win rates of one measurement, by environment of the suite.
func (s *Suite) rates(p Point) []float64 {
	rates := make([]float64, len(s.Episodes))
	for i, wins := range p.Stats.HeldOutWins {
		rates[i] = float64(wins) / float64(s.Episodes[i])
	}
	return rates
}

// late are the win rates at the end of a run: the mean over the measurements of its last quarter, which are less noisy
// than the last one.
func (s *Suite) late(r *Run) []float64 {
	points := r.measured()
	last := points[len(points)-1].Cycle
	sum, n := make([]float64, len(s.Episodes)), 0
	for _, p := range points {
		if 4*p.Cycle <= 3*last && p.Cycle < last {
			continue
		}
		n++
		for i, rate := range s.rates(p) {
			sum[i] += rate
		}
	}
	for i := range sum {
		sum[i] /= float64(n)
	}
	return sum
}

// atCPU are the win rates after the given processor time, between two measurements in proportion.
func (s *Suite) atCPU(r *Run, seconds float64) []float64 {
	points := r.measured()
	after := 0
	for after < len(points)-1 && points[after].CPU < seconds {
		after++
	}
	if after == 0 || points[after].CPU <= seconds {
		return s.rates(points[after])
	}
	a, b := points[after-1], points[after]
	share := (seconds - a.CPU) / (b.CPU - a.CPU)
	rates, next := s.rates(a), s.rates(b)
	for i := range rates {
		rates[i] += share * (next[i] - rates[i])
	}
	return rates
}

// cpu is the processor time of the whole run.
func (r *Run) cpu() float64 { return r.Points[len(r.Points)-1].CPU }
