package lab

import (
	"math"
	"slices"
	"testing"

	"spade"
)

func within(t *testing.T, got, want, tolerance float64, what string) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.4f, want %.4f", what, got, want)
	}
}

// width is that of a 95 % interval of a normal distribution, in standard deviations.
const width = 2 * 1.96

// TestCrossedKnown compares with what can be said in closed form.
func TestCrossedKnown(t *testing.T) {
	ones := slices.Repeat([]float64{1}, 400)
	one := make([]string, 400)

	// One seed, environments won at random: the standard error of a share.
	r := spade.Stream(1, 0, 0, "test")
	share := make([]float64, 400)
	mean := 0.0
	for i := range share {
		if r.Float64() < 0.3 {
			share[i] = 1
		}
		mean += share[i] / 400
	}
	e := Crossed([][]float64{share}, ones, one)
	within(t, e.Mean, mean, 1e-12, "mean of one seed")
	within(t, e.High-e.Low, width*math.Sqrt(mean*(1-mean)/400), 0.01, "width over environments")

	// Environments that do not differ: only seeds do. Five values have Student's interval with four degrees of freedom.
	values := [][]float64{}
	for _, v := range []float64{0.1, 0.2, 0.3, 0.4, 0.5} {
		values = append(values, slices.Repeat([]float64{v}, 400))
	}
	e = Crossed(values, ones, one)
	within(t, e.Mean, 0.3, 1e-12, "mean of seeds")
	within(t, e.High-e.Low, 2*2.776*math.Sqrt(0.025/5), 0.04, "width over seeds")
	if over := OverSeeds([]float64{0.1, 0.2, 0.3, 0.4, 0.5}); math.Abs(over.Low-e.Low) > 0.01 || math.Abs(over.High-e.High) > 0.01 || math.Abs(over.Mean-e.Mean) > 1e-9 || over.Seeds != 5 {
		t.Errorf("over seeds %+v, crossed %+v", over, e)
	}

	// Both: variances add.
	for s := range values {
		for i := range values[s] {
			values[s][i] = 0.1*float64(s+1) + share[i] - mean
		}
	}
	e = Crossed(values, ones, one)
	within(t, e.High-e.Low, 2*math.Sqrt(2.776*2.776*0.025/5+1.96*1.96*mean*(1-mean)/400), 0.04, "width over both")

	// Strata that differ and are uniform inside leave nothing to draw; weights count.
	e = Crossed([][]float64{{1, 1, 0, 0}}, []float64{3, 3, 1, 1}, []string{"a", "a", "b", "b"})
	if (e != Estimate{Mean: 0.75, Low: 0.75, High: 0.75, Seeds: 1}) {
		t.Errorf("strata: %+v", e)
	}
}

// TestCrossedCovers: over experiments in which seeds and environments are drawn anew, at least about 95 % of intervals
// hold the truth, also where seeds are few and differ more than environments.
func TestCrossedCovers(t *testing.T) {
	const experiments, items, fewest = 100, 20, 91 // 95 less two standard deviations
	for _, c := range []struct {
		seeds          int
		bySeed, byItem float64
	}{{8, 0.05, 0.2}, {5, 0.1, 0.05}, {3, 0.1, 0.05}, {2, 0.1, 0.05}} {
		held, over := 0, 0
		for k := range experiments {
			r := spade.Stream(uint64(k), 0, c.seeds, "coverage")
			item := make([]float64, items)
			for i := range item {
				item[i] = c.byItem * r.NormFloat64()
			}
			values, means := make([][]float64, c.seeds), make([]float64, c.seeds)
			for s := range values {
				seed := c.bySeed * r.NormFloat64()
				means[s] = 0.5 + seed
				values[s] = make([]float64, items)
				for i := range values[s] {
					values[s][i] = 0.5 + seed + item[i] + 0.3*r.NormFloat64()
				}
			}
			if e := Crossed(values, slices.Repeat([]float64{1}, items), make([]string, items)); e.Low <= 0.5 && e.High >= 0.5 {
				held++
			}
			if e := OverSeeds(means); e.Low <= 0.5 && e.High >= 0.5 {
				over++
			}
		}
		if held < fewest || over < fewest {
			t.Errorf("%d seeds: %d and, over seeds alone, %d of %d intervals hold the truth", c.seeds, held, over, experiments)
		}
	}
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4, 0.25: 1.75} {
		if got := quantile([]float64{1, 2, 3, 4}, q); got != want {
			t.Errorf("quantile %g: %g, want %g", q, got, want)
		}
	}
	if got := quantile([]float64{7}, 0.3); got != 7 {
		t.Errorf("quantile of one value: %g", got)
	}
}
