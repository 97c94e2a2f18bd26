package lab

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// reportVersion is that of the form of report.json. It rises when a key changes its meaning or goes away.
const reportVersion = 1

// Report is what a lab has found. Rates and shares are in [0, 1], times in seconds of processor time.
type Report struct {
	Version  int      `json:"version"`
	Settings Settings `json:"settings"`
	// Claims are the paper's, in the order of the issue; Arms in the order of the plan, by size.
	Claims      []Claim      `json:"claims"`
	Arms        []ArmReport  `json:"arms"`
	Comparisons []Comparison `json:"comparisons"`
}

// Settings say what was run.
type Settings struct {
	// Command makes the same lab again.
	Command string `json:"command"`
	// Tuning says that the seeds are those on which settings are chosen, so nothing in it is a result.
	Tuning    bool   `json:"tuning"`
	Cycles    int    `json:"cycles"`
	EvalEvery int    `json:"eval_every"`
	Suite     string `json:"suite"`
	// Environments and Episodes are the sizes of the suite: one measurement plays Episodes.
	Environments int `json:"environments"`
	Episodes     int `json:"episodes"`
	// Finished of Planned runs are over and in the report.
	Finished int `json:"finished"`
	Planned  int `json:"planned"`
}

// ArmReport is one arm at one size.
type ArmReport struct {
	Arm   string   `json:"arm"`
	Size  string   `json:"size,omitempty"`
	Seeds []uint64 `json:"seeds"`
	// HeldOut is the held-out win rate after each measurement, Late its mean over the measurements of the last quarter
	// of the run, Families the same by family of the suite.
	HeldOut  []Measured       `json:"held_out"`
	Late     Estimate         `json:"late"`
	Families []FamilyEstimate `json:"families"`
	// Curves are numbers of the training cycles.
	Curves []Curve `json:"curves"`
	// Memory is the mean over seeds of what memory held in the end.
	Memory MemoryReport `json:"memory"`
	Cost   CostReport   `json:"cost"`
}

// Measured is a held-out win rate, with the mean processor time that runs had taken by then.
type Measured struct {
	Cycle int     `json:"cycle"`
	CPU   float64 `json:"cpu_s"`
	Estimate
}

// FamilyEstimate is the late win rate on one family of the suite.
type FamilyEstimate struct {
	Family   string `json:"family"`
	Episodes int    `json:"episodes"`
	Estimate
}

// Curve is a number of the training cycles, in blocks of cycles.
type Curve struct {
	Name   string   `json:"name"`
	Points []Spread `json:"points"`
}

// Spread is a block of cycles that ends with Cycle: the mean over seeds, and the smallest and largest seed.
type Spread struct {
	Cycle int     `json:"cycle"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
}

// MemoryReport is Memory as means over seeds.
type MemoryReport struct {
	Environments float64 `json:"environments"`
	Mechanics    float64 `json:"mechanics"`
	Teachable    float64 `json:"teachable"`
}

// CostReport is the mean processor time over seeds of a run without its held-out measurements, and of one of its cycles;
// Episodes and Tokens are what a run played, and sampled or trained on.
type CostReport struct {
	CPU         float64 `json:"cpu_s"`
	CPUPerCycle float64 `json:"cpu_s_per_cycle"`
	Episodes    float64 `json:"episodes"`
	Tokens      float64 `json:"tokens"`
}

// Comparison is arm A minus arm B, of the same size, in the late held-out win rate, after equally many updates and after equal processor
// time (that of the cheaper of the two runs of a seed); the latter is null where times were not measured.
type Comparison struct {
	A             string    `json:"a"`
	B             string    `json:"b"`
	Size          string    `json:"size,omitempty"`
	EqualUpdates  Estimate  `json:"equal_updates"`
	EqualCPU      *Estimate `json:"equal_cpu"`
	CPURatio      float64   `json:"cpu_ratio"`
	SeedsInCommon int       `json:"seeds_in_common"`
}

// SeedsDiffer reports whether some arms have other seeds than the rest, so that their means do not compare.
func (r Report) SeedsDiffer() bool {
	return slices.ContainsFunc(r.Arms, func(a ArmReport) bool { return !slices.Equal(a.Seeds, r.Arms[0].Seeds) })
}

// NewReport computes the report of the runs that are over.
func NewReport(p Plan, command string, suite Suite, runs []Run) Report {
	r := &results{suite: suite, runs: runs}
	report := Report{
		Version: reportVersion,
		Settings: Settings{
			Command: command, Tuning: p.Tuning, Cycles: p.Cycles, EvalEvery: p.EvalEvery, Suite: suite.Name,
			Environments: len(suite.Episodes), Finished: len(runs), Planned: len(p.Cells()),
		},
		Claims: r.claims(), Arms: []ArmReport{}, Comparisons: []Comparison{}, // in JSON a list, also without elements
	}
	for _, n := range suite.Episodes {
		report.Settings.Episodes += n
	}
	for _, size := range p.Sizes {
		for _, arm := range p.Arms {
			if len(r.of(arm, size)) == 0 {
				continue
			}
			report.Arms = append(report.Arms, r.arm(arm, size))
		}
		report.Comparisons = append(report.Comparisons, r.comparisons(p.Arms, size)...)
	}
	return report
}

// comparisons are those of every two arms that have a seed in common, spade first and the others in the order of arms.
func (r *results) comparisons(arms []string, size string) []Comparison {
	others := slices.DeleteFunc(slices.Clone(arms), func(arm string) bool { return arm == "spade" })
	arms = append([]string{"spade"}, others...)
	var all []Comparison
	for i, a := range arms {
		for _, b := range arms[i+1:] {
			if e := r.crossed(r.difference(a, b, size)); e != nil {
				all = append(all, Comparison{
					A: a, B: b, Size: size, EqualUpdates: *e, EqualCPU: r.crossed(r.atEqualCPU(a, b, size)),
					CPURatio: r.cpuRatio(a, b, size), SeedsInCommon: e.Seeds,
				})
			}
		}
	}
	return all
}

// JSON is report.json.
func (r Report) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return append(data, '\n'), nil
}

func (r *results) arm(arm, size string) ArmReport {
	runs := r.of(arm, size)
	a := ArmReport{Arm: arm, Size: size, Late: *r.heldOut(arm, size)}
	for _, run := range runs {
		a.Seeds = append(a.Seeds, run.Seed)
	}
	for i, p := range runs[0].measured() {
		m := Measured{Cycle: p.Cycle}
		var values [][]float64
		for _, run := range runs {
			point := run.measured()[i]
			values = append(values, r.suite.rates(point))
			m.CPU += point.CPU / float64(len(runs))
		}
		m.Estimate = *r.crossed(values)
		a.HeldOut = append(a.HeldOut, m)
	}
	episodes := map[string]int{}
	var families []string
	for i, f := range r.suite.Families {
		if episodes[f] == 0 {
			families = append(families, f)
		}
		episodes[f] += r.suite.Episodes[i]
	}
	slices.Sort(families)
	for _, f := range families {
		a.Families = append(a.Families, FamilyEstimate{f, episodes[f], *r.family(arm, size, f)})
	}
	for _, c := range curves {
		if curve := c.of(runs); len(curve.Points) > 0 {
			a.Curves = append(a.Curves, curve)
		}
	}
	n := float64(len(runs))
	for _, run := range runs {
		a.Memory.Environments += float64(run.Memory.Environments) / n
		a.Memory.Mechanics += float64(run.Memory.Mechanics) / n
		a.Memory.Teachable += float64(run.Memory.Teachable) / n
		a.Cost.CPU += run.cpu() / n
		for _, p := range run.Points {
			a.Cost.Episodes += float64(p.Stats.Episodes) / n
			a.Cost.Tokens += float64(p.Stats.SampledTokens+p.Stats.TrainedTokens) / n
		}
	}
	a.Cost.CPUPerCycle = a.Cost.CPU / float64(len(runs[0].Points)-1)
	return a
}

// cpuRatio is the processor time of arm a over that of arm b, 0 where it was not measured.
func (r *results) cpuRatio(a, b, size string) float64 {
	var x, y float64
	r.pairs(a, b, size, func(p, q *Run) { x, y = x+p.cpu(), y+q.cpu() })
	if y == 0 {
		return 0
	}
	return x / y
}

// number is one number of the training cycles.
type number struct {
	name string
	at   func(Point) (float64, bool)
}

// curves are shown in this order. A point without a number is left out.
var curves = []number{
	{"win rate, blind", func(p Point) (float64, bool) { return p.Stats.WinRate, p.Stats.Episodes > 0 }},
	{"win rate, hinted", func(p Point) (float64, bool) { return p.Stats.HintedWinRate, p.Stats.Episodes > 0 }},
	{"regret", func(p Point) (float64, bool) { return p.Stats.Regret, p.Stats.Episodes > 0 }},
	{"groups with a gradient", func(p Point) (float64, bool) { return p.Stats.Signal, p.Stats.Episodes > 0 }},
	{"win rate in (0.15, 0.85)", func(p Point) (float64, bool) { return p.Stats.InBand, p.Stats.Episodes > 0 }},
	{"valid share of designs", func(p Point) (float64, bool) {
		return float64(p.Stats.Admitted) / float64(max(1, p.Stats.Judged())), p.Stats.Judged() > 0
	}},
	{"diversity (Vendi/n of the last 60)", func(p Point) (float64, bool) { return p.Stats.Vendi, p.Stats.Vendi > 0 }},
	{"horizon of what is played", func(p Point) (float64, bool) { return p.Horizon, p.Horizon > 0 }},
	{"share with a hidden rule", func(p Point) (float64, bool) { return p.Hidden, p.Horizon > 0 }},
	{"regret where a rule is hidden", func(p Point) (float64, bool) { return p.HiddenRegret, p.Hidden > 0 && !math.IsNaN(p.HiddenRegret) }},
	{"mechanics among the last 60", func(p Point) (float64, bool) { return float64(p.Mechanics), p.Mechanics > 0 }},
}

// curveBlocks is the largest number of blocks in a curve.
const curveBlocks = 25

// of takes the number's means over blocks of cycles in every run, and their spread over runs.
func (n number) of(runs []*Run) Curve {
	cycles := runs[0].Points[len(runs[0].Points)-1].Cycle
	width := (cycles + curveBlocks - 1) / curveBlocks
	curve := Curve{Name: n.name}
	for end := width; end < cycles+width; end += width {
		s := Spread{Cycle: min(end, cycles)}
		seeds := 0.0
		for _, run := range runs {
			value, ok := run.part(float64(end-width)/float64(cycles), float64(s.Cycle)/float64(cycles), n.at)
			if !ok {
				continue
			}
			if seeds == 0 {
				s.Min, s.Max = value, value
			}
			s.Min, s.Max = min(s.Min, value), max(s.Max, value)
			s.Mean += value
			seeds++
		}
		if seeds > 0 {
			s.Mean /= seeds
			curve.Points = append(curve.Points, s)
		}
	}
	return curve
}
