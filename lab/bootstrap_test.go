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

	// Environments that do not differ: only seeds do. Five values have the population deviation of the bootstrap.
	values := [][]float64{}
	for _, v := range []float64{0.1, 0.2, 0.3, 0.4, 0.5} {
		values = append(values, slices.Repeat([]float64{v}, 400))
	}
	e = Crossed(values, ones, one)
	within(t, e.Mean, 0.3, 1e-12, "mean of seeds")
	within(t, e.High-e.Low, width*math.Sqrt(0.02/5), 0.02, "width over seeds")
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
	within(t, e.High-e.Low, width*math.Sqrt(0.02/5+mean*(1-mean)/400), 0.02, "width over both")

	// Strata that differ and are uniform inside leave nothing to draw; weights count.
	e = Crossed([][]float64{{1, 1, 0, 0}}, []float64{3, 3, 1, 1}, []string{"a", "a", "b", "b"})
	if (e != Estimate{Mean: 0.75, Low: 0.75, High: 0.75, Seeds: 1}) {
		t.Errorf("strata: %+v", e)
	}
}

// TestCrossedCovers: over experiments in which seeds and environments are drawn anew, about 95 % of intervals hold the
// truth; with eight seeds a little less, by the small sample.
func TestCrossedCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 100 experiments 2000 times")
	}
	const experiments, seeds, items = 100, 8, 60
	held := 0
	for k := range experiments {
		r := spade.Stream(uint64(k), 0, 0, "coverage")
		item := make([]float64, items)
		for i := range item {
			item[i] = 0.2 * r.NormFloat64()
		}
		values := make([][]float64, seeds)
		for s := range values {
			seed := 0.05 * r.NormFloat64()
			values[s] = make([]float64, items)
			for i := range values[s] {
				values[s][i] = 0.5 + seed + item[i] + 0.3*r.NormFloat64()
			}
		}
		if e := Crossed(values, slices.Repeat([]float64{1}, items), make([]string, items)); e.Low <= 0.5 && e.High >= 0.5 {
			held++
		}
	}
	if held < 86 {
		t.Errorf("%d of %d intervals hold the truth", held, experiments)
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
