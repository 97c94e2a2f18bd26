package local

import (
	"context"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"spade"
	"spade/policy"
)

// data are the sequences of a batch in the form of Accumulate.
func data(b *policy.Batch) []Datum {
	list := make([]Datum, len(b.Sequences))
	for i, s := range b.Sequences {
		list[i] = Datum{Inputs: s.Tokens[:len(s.Tokens)-1], Targets: s.Tokens[1:]}
	}
	return list
}

// clipped is the slope of the surrogate of Train.
func clipped(b *policy.Batch) Slope {
	return func(d, i int, logProb float64) float64 {
		s := &b.Sequences[d]
		if !s.Mask[i+1] {
			return 0
		}
		ratio := math.Exp(logProb - float64(s.LogProbs[i+1]))
		free := ratio * s.Advantage
		if min(max(ratio, 1-b.Loss.ClipLow), 1+b.Loss.ClipHigh)*s.Advantage < free {
			return 0
		}
		return -s.Weight * free
	}
}

// TestAccumulateIsTrain: both ways of training give the same weights, to the bit where they compute the same rows.
func TestAccumulateIsTrain(t *testing.T) {
	for _, every := range []bool{true, false} {
		a, b := testPolicy(t, 2), testPolicy(t, 2)
		for range 3 {
			batch := testBatch(&a.model.config, 40)
			for i := range batch.Sequences {
				batch.Sequences[i].Entropy = 0
				for t := range batch.Sequences[i].Mask {
					batch.Sequences[i].Mask[t] = t > 0 && (every || batch.Sequences[i].Mask[t])
				}
			}
			numbers, err := a.Train(context.Background(), batch)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Accumulate(context.Background(), data(&batch), clipped(&batch)); err != nil {
				t.Fatal(err)
			}
			norm, err := b.Step(context.Background(), DefaultAdamW(), batch.LearningRate, batch.MaxGradNorm)
			if err != nil {
				t.Fatal(err)
			}
			if want := numbers["grad_norm"]; math.Abs(norm-want) > 1e-5*want {
				t.Errorf("the gradient's norm is %v, want %v", norm, want)
			}
		}
		worst := 0.0
		for i, w := range a.model.weights.flat {
			worst = max(worst, math.Abs(float64(w-b.model.weights.flat[i])))
		}
		if every && worst != 0 || worst > 1e-4 {
			t.Errorf("every token %v: weights differ by %v", every, worst)
		}
		if a.Version() != b.Version() {
			t.Errorf("versions %d and %d", a.Version(), b.Version())
		}
	}
}

// TestAccumulateAddsUp: two parts of a batch give the step of the whole.
func TestAccumulateAddsUp(t *testing.T) {
	ctx := context.Background()
	whole, parts := testPolicy(t, 2), testPolicy(t, 2)
	batch := testBatch(&whole.model.config, 20)
	slope := clipped(&batch)
	if _, err := whole.Accumulate(ctx, data(&batch), slope); err != nil {
		t.Fatal(err)
	}
	list := data(&batch)
	for _, part := range [][2]int{{0, 7}, {7, 20}} {
		shifted := func(d, i int, logProb float64) float64 { return slope(d+part[0], i, logProb) }
		if _, err := parts.Accumulate(ctx, list[part[0]:part[1]], shifted); err != nil {
			t.Fatal(err)
		}
	}
	a, err := whole.Step(ctx, DefaultAdamW(), 1e-3, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := parts.Step(ctx, DefaultAdamW(), 1e-3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a-b) > 1e-5*a {
		t.Errorf("the whole has a gradient of norm %v, its parts %v", a, b)
	}
	before := append([]float32(nil), parts.model.weights.flat...)
	if norm, err := parts.Step(ctx, DefaultAdamW(), 0, 0); err != nil || norm != 0 {
		t.Errorf("a step after the step has a gradient of norm %v, %v", norm, err)
	}
	if !reflect.DeepEqual(before, parts.model.weights.flat) {
		t.Error("a step of rate 0 changed the weights")
	}
}

// TestCompleteIsASession: a completion of what a session feeds is what the session samples, and its scores are the
// log-probabilities that both state.
func TestCompleteIsASession(t *testing.T) {
	ctx := context.Background()
	p := testPolicy(t, 2)
	spec := func() policy.Spec {
		return policy.Spec{Role: spade.Agent, Rand: spade.Stream(3, 0, 0, "test"), Temperature: 1, MaxTokens: 20}
	}
	want, err := mustOpen(t, p, spec()).Reply(ctx, user("", "crane lifts 3"))
	if err != nil {
		t.Fatal(err)
	}
	fed := 0
	for !want.Mask[fed] {
		fed++
	}
	snapshot, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Train(ctx, testBatch(&p.model.config, 3)); err != nil { // the snapshot stays as it is
		t.Fatal(err)
	}
	got, err := snapshot.Complete(ctx, want.Tokens[:fed], spec(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Tokens, want.Tokens) || !reflect.DeepEqual(got.LogProbs, want.LogProbs) || got.Stop != want.Stop {
		t.Errorf("the completion is %+v, the session's reply %+v", got, want)
	}
	scores, err := snapshot.Accumulate(ctx, []Datum{{Inputs: got.Tokens[:len(got.Tokens)-1], Targets: got.Tokens[1:]}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := fed; i < len(got.Tokens); i++ {
		if d := math.Abs(float64(scores[0][i-1] - got.LogProbs[i])); d > 1e-4 {
			t.Errorf("token %d was sampled with log-probability %v and scores %v", i, got.LogProbs[i], scores[0][i-1])
		}
	}
}

func TestCompleteStops(t *testing.T) {
	ctx := context.Background()
	p := testPolicy(t, 1)
	spec := policy.Spec{Rand: spade.Stream(3, 0, 0, "test"), Temperature: 1, MaxTokens: 9}
	never := func([]int32) bool { return false }
	r, err := p.Complete(ctx, []int32{1, 2, 3}, spec, never)
	if err != nil || r.Stop != policy.StopLength || len(r.Tokens) != 12 {
		t.Errorf("without an end: %+v, %v", r, err)
	}
	r, err = p.Complete(ctx, []int32{1, 2, 3}, spec, func(sampled []int32) bool { return len(sampled) == 4 })
	if err != nil || r.Stop != policy.StopEnd || len(r.Tokens) != 7 {
		t.Errorf("an end after four tokens: %+v, %v", r, err)
	}
	r, err = p.Complete(ctx, make([]int32, p.model.config.Context-2), spec, never)
	if err != nil || r.Stop != policy.StopContext {
		t.Errorf("two tokens before the context's end: %+v, %v", r, err)
	}
	r, err = p.Complete(ctx, make([]int32, p.model.config.Context), spec, never)
	if err != nil || r.Stop != policy.StopContext || len(r.Tokens) != 0 {
		t.Errorf("a full context: %+v, %v", r, err)
	}
	for name, prompt := range map[string][]int32{"an empty prompt": nil, "a token outside the vocabulary": {int32(p.model.config.VocabSize)}} {
		if _, err := p.Complete(ctx, prompt, spec, never); err == nil {
			t.Errorf("%s is completed", name)
		}
	}
}

func TestAccumulateRefuses(t *testing.T) {
	p := testPolicy(t, 1)
	long := make([]int32, p.model.config.Context+1)
	for name, d := range map[string]Datum{
		"lengths":            {Inputs: []int32{1, 2}, Targets: []int32{1}},
		"too long":           {Inputs: long, Targets: long},
		"outside vocabulary": {Inputs: []int32{1}, Targets: []int32{-1}},
	} {
		if _, err := p.Accumulate(context.Background(), []Datum{d}, nil); err == nil {
			t.Errorf("%s: scored", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	one := []Datum{{Inputs: []int32{1, 2}, Targets: []int32{2, 3}}}
	if _, err := p.Accumulate(ctx, one, func(int, int, float64) float64 { return 1 }); err == nil || p.pending != nil {
		t.Errorf("a cancelled call says %v and leaves %v", err, p.pending != nil)
	}
	if _, err := p.Step(ctx, DefaultAdamW(), 1e-3, 0); err == nil {
		t.Error("a cancelled step succeeds")
	}
	if scores, err := p.Accumulate(context.Background(), []Datum{{}}, nil); err != nil || len(scores) != 1 {
		t.Errorf("an empty datum: %v, %v", scores, err)
	}
}

// TestSnapshotsTrainApart: a policy and its snapshot have one reference, and train at the same time.
func TestSnapshotsTrainApart(t *testing.T) {
	p := testPolicy(t, 2)
	s, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	batch := testBatch(&p.model.config, 6)
	for i := range batch.Sequences {
		batch.Sequences[i].KL = batch.Sequences[i].Weight
	}
	var group sync.WaitGroup
	for _, one := range []*Policy{p, s} {
		group.Go(func() {
			for range 3 {
				if _, err := one.Train(context.Background(), batch); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if !slices.Equal(p.model.weights.flat, s.model.weights.flat) {
		t.Error("the same steps lead elsewhere")
	}
}

// TestRestoreForgets: a gradient of the weights before is not part of the first step after.
func TestRestoreForgets(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	p := testPolicy(t, 1)
	if err := p.Save(ctx, dir); err != nil {
		t.Fatal(err)
	}
	b := testBatch(&p.model.config, 3)
	if _, err := p.Accumulate(ctx, data(&b), clipped(&b)); err != nil {
		t.Fatal(err)
	}
	if err := p.Restore(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if norm, err := p.Step(ctx, DefaultAdamW(), 1e-3, 0); err != nil || norm != 0 {
		t.Errorf("a step along a gradient of norm %v, %v", norm, err)
	}
}

func TestForget(t *testing.T) {
	ctx := context.Background()
	p := testPolicy(t, 1)
	b := testBatch(&p.model.config, 3)
	if _, err := p.Accumulate(ctx, data(&b), clipped(&b)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Step(ctx, DefaultAdamW(), 1e-3, 0); err != nil {
		t.Fatal(err)
	}
	p.Forget()
	if norm, err := p.Step(ctx, DefaultAdamW(), 1e-3, 0); err != nil || norm != 0 || p.Version() != 1 {
		t.Errorf("after forgetting, a step has a gradient of norm %v and leads to version %d, %v", norm, p.Version(), err)
	}
}
