package lab

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spade"
)

// Estimate is a mean with a 95 % interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Seeds is the number of seeds behind it. With one, the interval does not cover that another seed would have
	// come out differently.
	Seeds int `json:"seeds"`
}

// Decided reports whether the interval leaves out 0.
func (e Estimate) Decided() bool { return e.Low > 0 || e.High < 0 }

// bootstrapDraws is how often an experiment is drawn again.
const bootstrapDraws = 2000

// Crossed estimates the mean of values[seed][environment] over both, environments weighted by weights. Seeds and
// environments are drawn again with replacement, independently of each other, as both are samples of what could have
// been used and every seed is measured on every environment; environments within their stratum, whose share is
// no accident. The interval lies between the 2.5 % and 97.5 % quantiles of the means. That is the bootstrap for crossed
// effects of Owen (2007), "The pigeonhole bootstrap", with what seeds contribute widened for their small number.
func Crossed(values [][]float64, weights []float64, strata []string) Estimate {
	e := Estimate{Seeds: len(values)}
	groups := indices(strata)
	e.Mean = mean(bySeed(values, slices.Repeat([]float64{1}, len(weights)), weights))
	r := spade.Stream(0, 0, 0, "bootstrap")
	means, items, drawn := make([]float64, bootstrapDraws), make([]float64, len(weights)), make([]int, len(values))
	spread := seedSpread(len(values))
	for d := range means {
		draw(r, drawn)
		clear(items)
		for _, group := range groups {
			for range group {
				items[group[r.IntN(len(group))]]++
			}
		}
		means[d] = meanOfDraws(bySeed(values, items, weights), drawn, spread)
	}
	e.Low, e.High = interval(means)
	return e
}

// seedSpread is what the distance of a drawn mean of n seeds to the mean of all of them is multiplied by, so that a
// quantile of the bootstrap becomes that of Student's distribution: few seeds vary less among themselves than those they
// stand for, by a factor of sqrt((n-1)/n), and their own spread is an uncertain measure. It is 1.6 for five, 2.7 for three
// and 9.2 for two.
func seedSpread(n int) float64 {
	if n < 2 {
		return 1 // one seed has no spread at all
	}
	freedom := float64(n - 1)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return student.Quantile(0.975) / distuv.UnitNormal.Quantile(0.975) * math.Sqrt(float64(n)/freedom)
}

// meanOfDraws is the mean of one value a seed over the drawn seeds, spread.
func meanOfDraws(values []float64, drawn []int, spread float64) float64 {
	sum := 0.0
	for _, s := range drawn {
		sum += values[s]
	}
	middle := mean(values)
	return middle + spread*(sum/float64(len(drawn))-middle)
}

// indices lists the positions of each stratum, in the order in which strata first appear.
func indices(strata []string) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i, s := range strata {
		g, known := at[s]
		if !known {
			g = len(groups)
			at[s] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// bySeed is the mean of each seed's values, in which environment i counts items[i] times its weight.
func bySeed(values [][]float64, items, weights []float64) []float64 {
	means := make([]float64, len(values))
	all := 0.0
	for i, n := range items {
		all += n * weights[i]
	}
	for s := range values {
		for i, v := range values[s] {
			means[s] += items[i] * weights[i] * v / all
		}
	}
	return means
}

// draw fills drawn with as many indices of its elements, with replacement.
func draw(r *rand.Rand, drawn []int) {
	for k := range drawn {
		drawn[k] = r.IntN(len(drawn))
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// OverSeeds estimates the mean of one value a seed: Crossed with a single environment.
func OverSeeds(values []float64) Estimate {
	seeds := make([][]float64, len(values))
	for i, v := range values {
		seeds[i] = []float64{v}
	}
	return Crossed(seeds, []float64{1}, []string{""})
}

func interval(means []float64) (low, high float64) {
	slices.Sort(means)
	return quantile(means, 0.025), quantile(means, 0.975)
}

// quantile interpolates between the sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(math.Floor(at))
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
