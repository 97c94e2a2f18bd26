package local

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"spade"
)

// testDocument is a sequence that counts up from a random start: easy to learn, and the same for equal i.
func testDocument(c *Config, i int) Document {
	r := spade.Stream(1, 0, i, "document")
	d := Document{}
	first := r.IntN(c.VocabSize)
	for t := range 10 + r.IntN(60) {
		d.Tokens = append(d.Tokens, int32((first+t)%c.VocabSize))
		d.Weights = append(d.Weights, []float32{1, 0.1}[t%2])
	}
	return d
}

func pretrained(t *testing.T, workers int) (*Model, []PretrainProgress) {
	t.Helper()
	m := testModel(t)
	var steps []PretrainProgress
	err := Pretrain(context.Background(), m, func(i int) Document { return testDocument(&m.config, i) }, PretrainOptions{
		Tokens: 60_000, BatchTokens: 2000, LearningRate: 1e-2, Warmup: 0.1, FinalShare: 0.1, MaxGradNorm: 1, Workers: workers,
		Progress: func(p PretrainProgress) { steps = append(steps, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, steps
}

func TestPretrainIsReproducible(t *testing.T) {
	m, steps := pretrained(t, 1)
	first, last := steps[0], steps[len(steps)-1]
	if !(last.Loss < first.Loss/2) {
		t.Errorf("the loss went from %v to %v", first.Loss, last.Loss)
	}
	if last.Tokens < 60_000 || steps[len(steps)-2].Tokens >= 60_000 || last.Step != len(steps) {
		t.Errorf("%d steps, the last is %+v, want to stop at the first with 60000 tokens", len(steps), last)
	}
	for _, workers := range []int{2, 4} {
		n, others := pretrained(t, workers)
		if !reflect.DeepEqual(m.weights.flat, n.weights.flat) || !reflect.DeepEqual(steps, others) {
			t.Errorf("%d workers give other weights or losses", workers)
		}
	}
}

func TestLearningRateSchedule(t *testing.T) {
	o := PretrainOptions{LearningRate: 2, Warmup: 0.2, FinalShare: 0.1}
	for share, want := range map[float64]float64{0.1: 1, 0.2: 2, 0.6: 1.1, 1: 0.2} {
		if got := o.rate(share); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %v of the tokens the rate is %v, want %v", share, got, want)
		}
	}
	o.Warmup = 0
	if got := o.rate(0); got != 2 {
		t.Errorf("without warm-up the first rate is %v, want 2", got)
	}
}

func TestPretrainRefuses(t *testing.T) {
	m := testModel(t)
	good := PretrainOptions{Tokens: 100, BatchTokens: 50, LearningRate: 1e-3}
	tests := map[string]Document{
		"empty":              {},
		"lengths":            {Tokens: []int32{1, 2}, Weights: []float32{1}},
		"outside vocabulary": {Tokens: []int32{1, -1}, Weights: []float32{1, 1}},
		"negative weight":    {Tokens: []int32{1, 2}, Weights: []float32{1, -1}},
		"infinite weight":    {Tokens: []int32{1, 2}, Weights: []float32{1, float32(math.Inf(1))}},
		"too long":           {Tokens: make([]int32, 1000), Weights: make([]float32, 1000)},
	}
	for name, d := range tests {
		if err := Pretrain(context.Background(), m, func(int) Document { return d }, good); err == nil {
			t.Errorf("%s: the document is accepted", name)
		}
	}
	source := func(i int) Document { return testDocument(&m.config, i) }
	if err := Pretrain(context.Background(), m, source, PretrainOptions{}); err == nil {
		t.Error("no options are accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Pretrain(ctx, m, source, good); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled warm start says %v", err)
	}
}
