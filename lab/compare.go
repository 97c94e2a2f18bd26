package lab

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"spade/policy/local"
)

// results are the runs of a lab that are over, with what they are measured on.
type results struct {
	suite Suite
	runs  []Run
}

// of returns the runs of an arm and size, by seed.
func (r *results) of(arm, size string) []*Run {
	var runs []*Run
	for i := range r.runs {
		if r.runs[i].Arm == arm && r.runs[i].Size == size {
			runs = append(runs, &r.runs[i])
		}
	}
	slices.SortFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Seed, b.Seed) })
	return runs
}

// arms returns the arms with runs of a size that begin with prefix, in the order in which they first appear.
func (r *results) arms(size, prefix string) []string {
	var arms []string
	for _, run := range r.runs {
		if run.Size == size && strings.HasPrefix(run.Arm, prefix) && !slices.Contains(arms, run.Arm) {
			arms = append(arms, run.Arm)
		}
	}
	return arms
}

// sizes returns those that have runs, the smallest first.
func (r *results) sizes() []string {
	var sizes []string
	for _, run := range r.runs {
		if !slices.Contains(sizes, run.Size) {
			sizes = append(sizes, run.Size)
		}
	}
	slices.SortFunc(sizes, local.BySize)
	return sizes
}

// crossed estimates values[seed][environment], nil without a seed.
func (r *results) crossed(values [][]float64) *Estimate {
	if len(values) == 0 {
		return nil
	}
	weights := make([]float64, len(r.suite.Episodes))
	for i, n := range r.suite.Episodes {
		weights[i] = float64(n)
	}
	e := Crossed(values, weights, r.suite.Families)
	return &e
}

// heldOut is the late held-out win rate of an arm.
func (r *results) heldOut(arm, size string) *Estimate {
	var values [][]float64
	for _, run := range r.of(arm, size) {
		values = append(values, r.suite.late(run))
	}
	return r.crossed(values)
}

// family is heldOut within one family of the suite.
func (r *results) family(arm, size, family string) *Estimate {
	var values [][]float64
	var weights []float64
	var strata []string
	for i, f := range r.suite.Families {
		if f == family {
			weights, strata = append(weights, float64(r.suite.Episodes[i])), append(strata, f)
		}
	}
	for _, run := range r.of(arm, size) {
		var own []float64
		for i, rate := range r.suite.late(run) {
			if r.suite.Families[i] == family {
				own = append(own, rate)
			}
		}
		values = append(values, own)
	}
	if len(values) == 0 {
		return nil
	}
	e := Crossed(values, weights, strata)
	return &e
}

// pairs calls visit for every seed that has a run of both arms.
func (r *results) pairs(a, b, size string, visit func(a, b *Run)) {
	for _, x := range r.of(a, size) {
		for _, y := range r.of(b, size) {
			if x.Seed == y.Seed {
				visit(x, y)
			}
		}
	}
}

// difference is the late held-out win rate of arm a minus that of arm b, by seed and environment.
func (r *results) difference(a, b, size string) [][]float64 {
	var values [][]float64
	r.pairs(a, b, size, func(x, y *Run) { values = append(values, minus(r.suite.late(x), r.suite.late(y))) })
	return values
}

// growth is the lead of spade over an arm at the large size minus that over an arm at the small one, by the seeds that all
// four have.
func (r *results) growth(small, overSmall, large, overLarge string) [][]float64 {
	leads := map[uint64][]float64{}
	r.pairs("spade", overSmall, small, func(x, y *Run) { leads[x.Seed] = minus(r.suite.late(x), r.suite.late(y)) })
	var values [][]float64
	r.pairs("spade", overLarge, large, func(x, y *Run) {
		if lead, known := leads[x.Seed]; known {
			values = append(values, minus(minus(r.suite.late(x), r.suite.late(y)), lead))
		}
	})
	return values
}

// atEqualCPU is the same after the processor time that the cheaper of the two runs took in all.
func (r *results) atEqualCPU(a, b, size string) [][]float64 {
	var values [][]float64
	r.pairs(a, b, size, func(x, y *Run) {
		seconds := min(x.cpu(), y.cpu())
		if seconds > 0 {
			values = append(values, minus(r.suite.atCPU(x, seconds), r.suite.atCPU(y, seconds)))
		}
	})
	return values
}

// best is the arm of which spade is least ahead on the seeds that both have, "" without any: arms may have different
// seeds, so their own means do not compare.
func (r *results) best(arms []string, size string) string {
	if len(arms) == 0 {
		return ""
	}
	return slices.MinFunc(arms, func(a, b string) int { return cmp.Compare(r.lead(a, size), r.lead(b, size)) })
}

func (r *results) lead(arm, size string) float64 {
	if e := r.crossed(r.difference("spade", arm, size)); e != nil {
		return e.Mean
	}
	return math.Inf(1)
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// part is the mean of a number over the points of a run whose cycle lies in (from, to], as shares of its length; points
// without that number are left out, ok says whether any is left.
func (r *Run) part(from, to float64, number func(Point) (float64, bool)) (mean float64, ok bool) {
	last := float64(r.Points[len(r.Points)-1].Cycle)
	n := 0
	for _, p := range r.Points {
		if at := float64(p.Cycle); p.Cycle == 0 || at <= from*last || at > to*last {
			continue
		}
		if v, has := number(p); has {
			mean += v
			n++
		}
	}
	return mean / float64(max(n, 1)), n > 0
}
