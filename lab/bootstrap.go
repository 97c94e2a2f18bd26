package lab

import (
	"math"
	"math/rand/v2"
	"slices"

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

// bootstrapDraws is how often an experiment is drawn again.
const bootstrapDraws = 2000

// Crossed estimates the mean of values[seed][environment] over both, environments weighted by weights. Seeds and
// environments are drawn again with replacement, independently of each other, as both are samples of what could have
// been used and every seed is measured on every environment; environments within their stratum, whose share is
// no accident. The interval lies between the 2.5 % and 97.5 % quantiles of the means. That is the bootstrap for crossed
// effects of Owen (2007), "The pigeonhole bootstrap", which errs on the side of wide intervals; with few seeds quantiles
// err the other way, by a factor of sqrt((n-1)/n) in the part that seeds contribute.
func Crossed(values [][]float64, weights []float64, strata []string) Estimate {
	e := Estimate{Seeds: len(values)}
	groups := indices(strata)
	ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	e.Mean = weighted(values, ones(len(values)), ones(len(weights)), weights)
	r := spade.Stream(0, 0, 0, "bootstrap")
	means := make([]float64, bootstrapDraws)
	seeds, items := make([]float64, len(values)), make([]float64, len(weights))
	for d := range means {
		clear(seeds)
		clear(items)
		for range values {
			seeds[r.IntN(len(values))]++
		}
		for _, group := range groups {
			for range group {
				items[group[r.IntN(len(group))]]++
			}
		}
		means[d] = weighted(values, seeds, items, weights)
	}
	e.Low, e.High = interval(means)
	return e
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

// weighted is the mean of values in which seed s counts seeds[s] times and environment i items[i] times its weight.
func weighted(values [][]float64, seeds, items, weights []float64) float64 {
	var sum, all float64
	for s, times := range seeds {
		if times == 0 {
			continue
		}
		for i, v := range values[s] {
			w := times * items[i] * weights[i]
			sum += w * v
			all += w
		}
	}
	return sum / all
}

// OverSeeds estimates the mean of one value a seed, drawing seeds again.
func OverSeeds(values []float64) Estimate {
	e := Estimate{Seeds: len(values)}
	for _, v := range values {
		e.Mean += v / float64(len(values))
	}
	r := spade.Stream(0, 0, 0, "bootstrap over seeds")
	means := make([]float64, bootstrapDraws)
	for d := range means {
		means[d] = meanOfDraws(r, values)
	}
	e.Low, e.High = interval(means)
	return e
}

func meanOfDraws(r *rand.Rand, values []float64) float64 {
	sum := 0.0
	for range values {
		sum += values[r.IntN(len(values))]
	}
	return sum / float64(len(values))
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
