package reward

import (
	"math"

	"spade"
)

// Normalisation says how returns become advantages inside a group. The set is closed.
type Normalisation string

const (
	// PopulationStd is (r - mean) / (std + Epsilon) with divisor n: the published form and the default.
	PopulationStd Normalisation = "population_std"
	// SampleStd is the same with divisor n-1.
	SampleStd Normalisation = "sample_std"
	// CentredOnly is r - mean.
	CentredOnly Normalisation = "centred_only"
	// LeaveOneOut is r minus the mean of the others.
	LeaveOneOut Normalisation = "leave_one_out"
)

const (
	// Epsilon keeps the division by a standard deviation finite.
	Epsilon = 1e-8
	// flatBelow is the spread (largest minus smallest) under which returns count as equal: rounding alone would
	// otherwise become an advantage.
	flatBelow = 1e-12
)

// Advantages gives the advantage of each return of one group. Rows with excluded[i] true and rows that are not
// finite get exactly 0 and move nothing; excluded may be nil. flat says that the kept returns are equal up to rounding
// (or fewer than two): every advantage is then exactly 0 and the group teaches nothing.
func Advantages(n Normalisation, returns []float64, excluded []bool) (advantages []float64, flat bool) {
	advantages = make([]float64, len(returns))
	keep := func(i int) bool { return finite(returns[i]) && (excluded == nil || !excluded[i]) }
	lo, hi := math.Inf(1), math.Inf(-1)
	var kept []float64
	for i, r := range returns {
		if keep(i) {
			kept = append(kept, r)
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	if len(kept) < 2 || hi-lo < flatBelow {
		return advantages, true
	}
	m, divisor := mean(kept), n.divisor(kept)
	for i, r := range returns {
		if keep(i) {
			advantages[i] = (r - m) / divisor
		}
	}
	return advantages, false
}

// divisor is what centred returns are divided by; there are at least two returns.
func (n Normalisation) divisor(returns []float64) float64 {
	count := float64(len(returns))
	switch n {
	case SampleStd:
		return math.Sqrt(variance(returns)*count/(count-1)) + Epsilon
	case CentredOnly:
		return 1
	case LeaveOneOut:
		return (count - 1) / count
	default:
		return math.Sqrt(variance(returns)) + Epsilon
	}
}

// Group is the episodes of one environment and arm in one cycle.
type Group struct {
	Cycle int
	EnvID string
	Arm   spade.Arm
	// Kept is the number of episodes that count.
	Kept int
	// Flat says that their returns are equal: the group carries no gradient.
	Flat bool
}

// AgentAdvantages normalises the returns of episodes inside their groups. The advantages are in the order of
// episodes, 0 for those that do not count; the groups in the order in which they first appear.
func AgentAdvantages(n Normalisation, episodes []spade.Episode) (advantages []float64, groups []Group) {
	type key struct {
		cycle int
		env   string
		arm   spade.Arm
	}
	at := make(map[key]int)
	var members [][]int
	for i := range episodes {
		e := &episodes[i]
		k := key{e.Cycle, e.EnvID, e.Arm}
		g, known := at[k]
		if !known {
			g = len(groups)
			at[k] = g
			groups = append(groups, Group{Cycle: e.Cycle, EnvID: e.EnvID, Arm: e.Arm})
			members = append(members, nil)
		}
		members[g] = append(members[g], i)
	}
	advantages = make([]float64, len(episodes))
	for g, rows := range members {
		returns, excluded := make([]float64, len(rows)), make([]bool, len(rows))
		for j, i := range rows {
			returns[j], excluded[j] = episodes[i].Return, !episodes[i].Counts()
			if !excluded[j] && finite(returns[j]) {
				groups[g].Kept++
			}
		}
		var normalised []float64
		normalised, groups[g].Flat = Advantages(n, returns, excluded)
		for j, i := range rows {
			advantages[i] = normalised[j]
		}
	}
	return advantages, groups
}
