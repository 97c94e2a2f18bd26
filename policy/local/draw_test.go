package local

import (
	"math"
	"sort"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/local/kernel"
)

// wantDistribution is the distribution that spec describes, computed the plain way.
func wantDistribution(logits []float32, spec policy.Spec) []float64 {
	scaled := make([]float64, len(logits))
	for i, v := range logits {
		scaled[i] = float64(v) / spec.Temperature
	}
	p := logSoftmax64(scaled)
	order := make([]int, len(p))
	for i := range p {
		p[i], order[i] = math.Exp(p[i]), i
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] > p[order[b]] })
	if spec.TopK > 0 && spec.TopK < len(order) {
		order = order[:spec.TopK]
	}
	mass := 0.0
	for _, i := range order {
		mass += p[i]
	}
	if spec.TopP > 0 && spec.TopP < 1 {
		sum := 0.0
		for n, i := range order {
			if sum += p[i]; sum >= spec.TopP*mass {
				order, mass = order[:n+1], sum
				break
			}
		}
	}
	want := make([]float64, len(p))
	for _, i := range order {
		want[i] = p[i] / mass
	}
	return want
}

func TestDrawFollowsTheDistribution(t *testing.T) {
	logits := []float32{1, 2.5, -3, 0.5, 2, -40, 1.5, 0}
	tests := map[string]policy.Spec{
		"plain":           {Temperature: 1},
		"cold":            {Temperature: 0.3},
		"hot":             {Temperature: 3},
		"top-k":           {Temperature: 1, TopK: 3},
		"top-k of all":    {Temperature: 1, TopK: 8},
		"top-p":           {Temperature: 1, TopP: 0.8},
		"top-p of one":    {Temperature: 1, TopP: 0.01},
		"top-p of all":    {Temperature: 1, TopP: 1},
		"top-k and top-p": {Temperature: 1.5, TopK: 5, TopP: 0.7},
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			var d drawer
			k := kernel.NewScratch()
			spec.Rand = spade.Stream(1, 0, 0, "draw")
			const draws = 20000
			counts := make([]int, len(logits))
			want := wantDistribution(logits, spec)
			for range draws {
				id, logProb := d.draw(k, append([]float32(nil), logits...), &spec)
				counts[id]++
				if w := math.Log(want[id]); math.Abs(float64(logProb)-w) > 1e-5*max(1, math.Abs(w)) {
					t.Fatalf("token %d has log-probability %v, want %v", id, logProb, w)
				}
			}
			for i, n := range counts {
				mean := draws * want[i]
				if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean+1e-9) {
					t.Errorf("token %d was drawn %d times, want about %.0f", i, n, mean)
				}
			}
		})
	}
}

func TestDrawUsesOneNumber(t *testing.T) {
	for _, spec := range []policy.Spec{{Temperature: 1}, {Temperature: 1, TopK: 2}, {Temperature: 1, TopP: 0.5}} {
		var d drawer
		a, b := spade.Stream(1, 0, 0, "draw"), spade.Stream(1, 0, 0, "draw")
		spec.Rand = a
		d.draw(kernel.NewScratch(), []float32{1, 2, 3, 4}, &spec)
		b.Float64()
		if a.Uint64() != b.Uint64() {
			t.Errorf("%+v: a draw takes more or less than one number of the stream", spec)
		}
	}
}

func TestDrawOfNoNumbers(t *testing.T) {
	nan := float32(math.NaN())
	for _, spec := range []policy.Spec{{Temperature: 1}, {Temperature: 1, TopK: 2}, {Temperature: 1, TopP: 0.5}} {
		var d drawer
		spec.Rand = spade.Stream(1, 0, 0, "draw")
		if _, logProb := d.draw(kernel.NewScratch(), []float32{nan, nan, nan}, &spec); !math.IsNaN(float64(logProb)) {
			t.Errorf("%+v: logits that are no numbers give the log-probability %v", spec, logProb)
		}
	}
}
