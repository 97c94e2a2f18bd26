package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"spade"
	"spade/policy"
)

// tinyConfig is a shape in which every weight can be checked.
func tinyConfig() Config {
	return Config{VocabSize: 11, HiddenSize: 8, IntermediateSize: 6, Layers: 2, Heads: 4, KVHeads: 2,
		HeadDim: 4, Context: 128, RopeTheta: 100, NormEpsilon: 1e-6}
}

// roughModel returns a model with weights large enough that every part of it matters.
func roughModel(t testing.TB, c Config) *Model {
	t.Helper()
	r := spade.Stream(1, 0, 0, "test model")
	m, err := NewModel(c, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.weights.flat {
		m.weights.flat[i] += float32(r.NormFloat64() * 0.3)
	}
	return m
}

// randomPacked draws sequences of the given lengths; about two thirds of their positions predict.
func randomPacked(r *rand.Rand, vocab int, lengths ...int) *packed {
	b := &packed{starts: []int{0}}
	for _, n := range lengths {
		for range n {
			if r.IntN(3) > 0 {
				b.rows = append(b.rows, len(b.tokens))
			}
			b.tokens = append(b.tokens, int32(r.IntN(vocab)))
		}
		b.starts = append(b.starts, len(b.tokens))
	}
	return b
}

// referenceLoss sums f over the log-probabilities after every predicting row.
func referenceLoss(c *Config, flat []float64, b *packed, f func(i int, logProbs []float64) float64) float64 {
	w := newWeights64(c, flat)
	var logits [][]float64
	for s := range len(b.starts) - 1 {
		logits = append(logits, reference(c, w, b.tokens[b.starts[s]:b.starts[s+1]])...)
	}
	sum := 0.0
	for i, row := range b.rows {
		sum += f(i, logSoftmax64(logits[row]))
	}
	return sum
}

func TestGradientOfEveryWeight(t *testing.T) {
	c := tinyConfig()
	m := roughModel(t, c)
	r := spade.Stream(2, 0, 0, "test batch")
	b := randomPacked(r, c.VocabSize, 67, 1, 6)

	supervised := make([]supervisedTarget, len(b.rows))
	targets := make([]policyTarget, len(b.rows))
	ratios := make([]float64, len(b.rows)) // at the weights where gradients are taken
	start := widen(m.weights.flat)
	referenceLoss(&c, start, b, func(i int, logProbs []float64) float64 {
		token := int32(r.IntN(c.VocabSize))
		supervised[i] = supervisedTarget{token, r.Float64()}
		targets[i] = policyTarget{token: token, old: logProbs[token] + 0.5*r.NormFloat64(), advantage: r.NormFloat64(),
			weight: 0.5 + r.Float64(), entropy: 0.7,
			kl: 0.4, reference: logProbs[token] + 0.5*r.NormFloat64()}
		ratios[i] = math.Exp(logProbs[token] - targets[i].old)
		return 0
	})
	const low, high, truncation = 0.2, 0.28, 1.1
	// extras are the entropy bonus and the distance to the reference.
	extras := func(p policyTarget, logProbs []float64) float64 {
		entropy := 0.0
		for _, l := range logProbs {
			entropy -= math.Exp(l) * l
		}
		away := p.reference - logProbs[p.token]
		return -p.entropy*entropy + p.kl*(math.Exp(away)-away-1)
	}
	policyTotal := func(l tokenLoss) float64 { return l.(*policyLoss).stats.loss }

	tests := map[string]struct {
		loss   tokenLoss
		total  func(tokenLoss) float64
		oracle func(i int, logProbs []float64) float64
	}{
		"supervised": {
			loss:  &supervisedLoss{targets: supervised},
			total: func(l tokenLoss) float64 { return l.(*supervisedLoss).loss },
			oracle: func(i int, logProbs []float64) float64 {
				return -supervised[i].weight * logProbs[supervised[i].token]
			},
		},
		"clipped": {
			loss:  &policyLoss{Loss: policy.Loss{ClipLow: low, ClipHigh: high}, targets: targets},
			total: policyTotal,
			oracle: func(i int, logProbs []float64) float64 {
				p := targets[i]
				ratio := math.Exp(logProbs[p.token] - p.old)
				clipped := math.Max(1-low, math.Min(1+high, ratio))
				return -p.weight*math.Min(ratio*p.advantage, clipped*p.advantage) + extras(p, logProbs)
			},
		},
		"truncated": {
			loss:  &policyLoss{Loss: policy.Loss{Truncation: truncation}, targets: targets},
			total: policyTotal,
			oracle: func(i int, logProbs []float64) float64 {
				p := targets[i]
				return -p.weight*math.Min(ratios[i], truncation)*p.advantage*logProbs[p.token] + extras(p, logProbs)
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newWeights(&c, make([]float32, c.parameters()))
			newPass(m).run(b, test.loss, got)
			if l, want := test.total(test.loss), referenceLoss(&c, start, b, test.oracle); math.Abs(l-want) > 1e-4*math.Abs(want) {
				t.Errorf("loss %v, want %v", l, want)
			}
			flat := append([]float64(nil), start...)
			difference := make([]float32, len(flat))
			const step = 1e-5
			for i, v := range start {
				flat[i] = v + step
				up := referenceLoss(&c, flat, b, test.oracle)
				flat[i] = v - step
				down := referenceLoss(&c, flat, b, test.oracle)
				flat[i] = v
				difference[i] = float32((up - down) / (2 * step))
			}
			compareTensors(t, &c, got, newWeights(&c, difference))
		})
	}
}

// compareTensors fails for every tensor of which a component differs from the wanted one by more than a small
// part of the tensor's norm.
func compareTensors(t *testing.T, c *Config, got, want *weights) {
	t.Helper()
	wanted := want.tensors(c)
	for i, g := range got.tensors(c) {
		a, b := g.values(), wanted[i].values()
		norm, worst := 0.0, 0.0
		for j := range a {
			norm += float64(b[j]) * float64(b[j])
			worst = max(worst, math.Abs(float64(a[j]-b[j])))
		}
		rms := math.Sqrt(norm / float64(len(a)))
		if rms < 1e-3 {
			t.Errorf("%s: the wanted gradient vanishes (%v): nothing was tested", g.name, rms)
		}
		if !(worst < 1e-3*rms) {
			t.Errorf("%s: gradient off by %v, its size is %v", g.name, worst, rms)
		}
	}
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestShippedShapeIsFinite(t *testing.T) {
	c := DefaultConfig(1500)
	m, err := NewModel(c, spade.Stream(1, 0, 0, "test model"))
	if err != nil {
		t.Fatal(err)
	}
	b := randomPacked(spade.Stream(2, 0, 0, "test batch"), c.VocabSize, 300, 17)
	loss := &supervisedLoss{targets: make([]supervisedTarget, len(b.rows))}
	for i := range loss.targets {
		loss.targets[i] = supervisedTarget{int32(i), 1}
	}
	g := newWeights(&c, make([]float32, c.parameters()))
	newPass(m).run(b, loss, g)
	mean := loss.loss / float64(len(b.rows))
	if uniform := math.Log(float64(c.VocabSize)); math.Abs(mean-uniform) > 0.3 {
		t.Errorf("a fresh model has loss %v a token, want about %v", mean, uniform)
	}
	for i, v := range g.flat {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			t.Fatalf("gradient %d is %v", i, v)
		}
	}
}
