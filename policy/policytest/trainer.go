package policytest

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"spade/policy"
)

// RunTrainer checks that a trainer keeps the contract of package policy, that of samplers included. open
// returns a fresh trainer, with the same weights and optimiser state every time.
func RunTrainer(t *testing.T, open func(t *testing.T) policy.Trainer) {
	Run(t, func(t *testing.T) policy.Sampler { return open(t) })
	tests := map[string]func(*testing.T, func(*testing.T) policy.Trainer){
		"a step changes weights":       checkStep,
		"steps move towards advantage": checkDirection,
		"equal steps":                  checkEqualSteps,
		"save and restore":             checkSave,
		"restore of nothing":           checkRestoreNothing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// probe is a conversation that the suite never trains on.
const probe = 97

// sampleBatch samples conversations from the trainer and makes a batch of them; advantages alternate in sign
// unless they are all to be positive.
func sampleBatch(t *testing.T, p policy.Trainer, positive bool) policy.Batch {
	t.Helper()
	batch := policy.Batch{Loss: policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}, LearningRate: 1e-3, MaxGradNorm: 1}
	total := 0
	for n := range 12 {
		s := policy.Sequence{Role: roleOf(n), Advantage: 1, Entropy: 1e-5}
		if n%2 == 0 && !positive {
			s.Advantage = -1
		}
		for _, r := range mustConverse(t, p, n) {
			s.Tokens = append(s.Tokens, r.Tokens...)
			s.LogProbs = append(s.LogProbs, r.LogProbs...)
			s.Mask = append(s.Mask, r.Mask...)
		}
		batch.Sequences = append(batch.Sequences, s)
		total += masked(s)
	}
	for i := range batch.Sequences {
		batch.Sequences[i].Weight = 1 / float64(total)
	}
	return batch
}

func masked(s policy.Sequence) int {
	n := 0
	for _, m := range s.Mask {
		if m {
			n++
		}
	}
	return n
}

func mustTrain(t *testing.T, p policy.Trainer, b policy.Batch) map[string]float64 {
	t.Helper()
	numbers, err := p.Train(context.Background(), b)
	if err != nil {
		t.Fatalf("Train: %v", err)
	}
	return numbers
}

func checkStep(t *testing.T, open func(*testing.T) policy.Trainer) {
	p := open(t)
	before, version := mustConverse(t, p, probe), p.Version()
	batch := sampleBatch(t, p, false)
	numbers := mustTrain(t, p, batch)
	for _, name := range []string{"loss", "grad_norm", "entropy", "kl", "clip_fraction", "tokens"} {
		if v, ok := numbers[name]; !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("Train says %s = %v (present: %v)", name, v, ok)
		}
	}
	want := 0
	for _, s := range batch.Sequences {
		want += masked(s)
	}
	if got := numbers["tokens"]; got != float64(want) {
		t.Errorf("Train says it trained on %v tokens, want %d", got, want)
	}
	if kl := numbers["kl"]; math.Abs(kl) > 1e-3 {
		t.Errorf("kl between the sampling policy and itself is %v", kl)
	}
	if p.Version() != version+1 {
		t.Errorf("a step took the version from %d to %d", version, p.Version())
	}
	after := mustConverse(t, p, probe)
	if after[0].Version != p.Version() {
		t.Errorf("a reply of version %d says %d", p.Version(), after[0].Version)
	}
	if reflect.DeepEqual(before[0].LogProbs, after[0].LogProbs) {
		t.Error("a step did not change what is sampled")
	}
}

func checkDirection(t *testing.T, open func(*testing.T) policy.Trainer) {
	p := open(t)
	batch := sampleBatch(t, p, true)
	for range 3 {
		mustTrain(t, p, batch)
	}
	if kl := mustTrain(t, p, batch)["kl"]; !(kl < 0) {
		t.Errorf("after three steps with positive advantage, old minus new log-probability is %v, want less than 0", kl)
	}
}

func checkEqualSteps(t *testing.T, open func(*testing.T) policy.Trainer) {
	a, b := open(t), open(t)
	batch := sampleBatch(t, a, false)
	for range 2 {
		if x, y := mustTrain(t, a, batch), mustTrain(t, b, batch); !reflect.DeepEqual(x, y) {
			t.Errorf("equal steps give %v and %v", x, y)
		}
	}
	if x, y := mustConverse(t, a, probe), mustConverse(t, b, probe); !reflect.DeepEqual(x, y) {
		t.Errorf("after equal steps replies differ:\n%+v\n%+v", x, y)
	}
}

// checkSave: a trainer that restores what another one saved goes on exactly as that one does.
func checkSave(t *testing.T, open func(*testing.T) policy.Trainer) {
	ctx := context.Background()
	p, dir := open(t), filepath.Join(t.TempDir(), "new", "checkpoint")
	mustTrain(t, p, sampleBatch(t, p, false))
	if err := p.Save(ctx, dir); err != nil {
		t.Fatalf("Save: %v", err)
	}
	version := p.Version()
	batch := sampleBatch(t, p, true)
	want := mustTrain(t, p, batch)
	replies := mustConverse(t, p, probe)

	for name, q := range map[string]policy.Trainer{"another trainer": open(t), "the same trainer": p} {
		if err := q.Restore(ctx, dir); err != nil {
			t.Fatalf("%s: Restore: %v", name, err)
		}
		if q.Version() != version {
			t.Errorf("%s: restored version %d, want %d", name, q.Version(), version)
		}
		if got := mustTrain(t, q, batch); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the step after restoring gives %v, want %v", name, got, want)
		}
		if got := mustConverse(t, q, probe); !reflect.DeepEqual(got, replies) {
			t.Errorf("%s: after restoring, replies are\n%+v\nwant\n%+v", name, got, replies)
		}
	}
}

func checkRestoreNothing(t *testing.T, open func(*testing.T) policy.Trainer) {
	p := open(t)
	want := mustConverse(t, p, probe)
	if err := p.Restore(context.Background(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("restoring a missing folder succeeds")
	}
	if got := mustConverse(t, p, probe); !reflect.DeepEqual(got, want) {
		t.Error("a failed Restore changed what is sampled")
	}
}
