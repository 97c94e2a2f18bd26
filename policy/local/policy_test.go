package local

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/policytest"
	"spade/policy/token"
)

// testTokenizer is trained on a few lines: what it holds matters little.
var testTokenizer = sync.OnceValue(func() *token.Tokenizer {
	texts := []string{strings.Repeat("crane lifts pump oven radar drill ok add no hoist the\ndef step(s,a):\n return 1\n", 3)}
	t, err := token.Train(texts, token.TrainConfig{Size: 340, Words: []string{"1", "2", "3", "7"}, Stems: []string{"Crane", "crane"},
		Special: SpecialTokens(), MaxPiece: 12})
	if err != nil {
		panic(err)
	}
	return t
})

// testModel is small, and its weights are large enough that replies vary.
func testModel(t testing.TB) *Model {
	t.Helper()
	return roughModel(t, Config{VocabSize: testTokenizer().Size(), HiddenSize: 32, IntermediateSize: 48, Layers: 2,
		Heads: 4, KVHeads: 2, HeadDim: 8, Context: 192, RopeTheta: 10000, NormEpsilon: 1e-6})
}

func testPolicy(t testing.TB, workers int) *Policy {
	t.Helper()
	p, err := New(testModel(t), testTokenizer(), Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPolicyKeepsTheContract(t *testing.T) {
	for _, workers := range []int{1, 3} {
		policytest.RunTrainer(t, func(t *testing.T) policy.Trainer { return testPolicy(t, workers) })
	}
}

// sampleAll plays conversations 0 to n-1, all at once in the given order, and returns their replies.
func sampleAll(t testing.TB, p *Policy, order []int) [][]policy.Reply {
	t.Helper()
	replies := make([][]policy.Reply, len(order))
	var group sync.WaitGroup
	for _, i := range order {
		group.Go(func() {
			role := []spade.Role{spade.Designer, spade.Agent}[i%2]
			spec := policy.Spec{Role: role, Rand: spade.Stream(1, 0, i, "test"), Temperature: 0.9, MaxTokens: 3 + i%40}
			if i%3 == 0 {
				spec.TopP, spec.TopK = 0.9, 50
			}
			session, err := p.Open(context.Background(), spec)
			if err != nil {
				t.Error(err)
				return
			}
			defer session.Close()
			for turn := range 4 {
				r, err := session.Reply(context.Background(), spade.Message{Speaker: spade.User,
					Content: strings.Repeat("crane lifts 3 ", 1+(i+turn)%9)})
				if err != nil {
					t.Error(err)
					return
				}
				replies[i] = append(replies[i], r)
			}
		})
	}
	group.Wait()
	return replies
}

func TestSamplingDependsOnNothingElse(t *testing.T) {
	const n = 60
	var want [][]policy.Reply
	for _, workers := range []int{1, 2, 4} {
		for shuffle := range 3 {
			got := sampleAll(t, testPolicy(t, workers), spade.Stream(uint64(shuffle), 0, 0, "order").Perm(n))
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d workers, order %d: replies differ", workers, shuffle)
			}
		}
	}
}

// testBatch makes sequences of many lengths with arbitrary numbers.
func testBatch(c *Config, n int) policy.Batch {
	r := spade.Stream(5, 0, 0, "test batch")
	b := policy.Batch{Loss: policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}, LearningRate: 1e-3, MaxGradNorm: 1}
	for range n {
		s := policy.Sequence{Advantage: r.NormFloat64(), Weight: 1e-3, Entropy: 1e-5}
		for t := range 2 + r.IntN(c.Context-2) {
			s.Tokens = append(s.Tokens, int32(r.IntN(c.VocabSize)))
			s.LogProbs = append(s.LogProbs, float32(-4*r.Float64()))
			s.Mask = append(s.Mask, t > 0 && r.IntN(2) == 0)
		}
		b.Sequences = append(b.Sequences, s)
	}
	return b
}

func TestTrainingDoesNotDependOnWorkers(t *testing.T) {
	var want *Policy
	var wantNumbers map[string]float64
	for _, workers := range []int{1, 2, 4} {
		p := testPolicy(t, workers)
		var numbers map[string]float64
		for range 2 {
			var err error
			if numbers, err = p.Train(context.Background(), testBatch(&p.model.config, 200)); err != nil {
				t.Fatal(err)
			}
		}
		if want == nil {
			want, wantNumbers = p, numbers
			if workers := len(partition(examplesOf(testBatch(&p.model.config, 200)))); workers <= gradientLanes {
				t.Fatalf("%d micro-batches do not fill the lanes twice", workers)
			}
		}
		if !reflect.DeepEqual(p.model.weights.flat, want.model.weights.flat) || !reflect.DeepEqual(numbers, wantNumbers) {
			t.Errorf("%d workers give other weights or numbers: %v and %v", workers, numbers, wantNumbers)
		}
	}
}

func examplesOf(b policy.Batch) []example {
	var list []example
	for _, s := range b.Sequences {
		e := example{tokens: s.Tokens}
		for t, m := range s.Mask {
			if m {
				e.targets = append(e.targets, t)
			}
		}
		list = append(list, e)
	}
	return list
}

func agentSpec(maxTokens int) policy.Spec {
	return policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, 0, "test"), Temperature: 1, MaxTokens: maxTokens}
}

func mustOpen(t *testing.T, p *Policy, spec policy.Spec) policy.Session {
	t.Helper()
	s, err := p.Open(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestOpenRefuses(t *testing.T) {
	p := testPolicy(t, 1)
	tests := map[string]func(*policy.Spec){
		"unknown role":      func(s *policy.Spec) { s.Role = "judge" },
		"no stream":         func(s *policy.Spec) { s.Rand = nil },
		"zero temperature":  func(s *policy.Spec) { s.Temperature = 0 },
		"top-p above one":   func(s *policy.Spec) { s.TopP = 1.1 },
		"negative top-k":    func(s *policy.Spec) { s.TopK = -1 },
		"no tokens allowed": func(s *policy.Spec) { s.MaxTokens = 0 },
	}
	for name, spoil := range tests {
		spec := agentSpec(5)
		spoil(&spec)
		if _, err := p.Open(context.Background(), spec); err == nil {
			t.Errorf("%s: a session opens", name)
		}
	}
}

func TestSessionsEndWithTheirWeights(t *testing.T) {
	p := testPolicy(t, 1)
	dir := t.TempDir()
	if err := p.Save(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	trained, restored := mustOpen(t, p, agentSpec(3)), policy.Session(nil)
	if _, err := trained.Reply(context.Background(), user("", "crane")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Train(context.Background(), testBatch(&p.model.config, 2)); err != nil {
		t.Fatal(err)
	}
	restored = mustOpen(t, p, agentSpec(3))
	if err := p.Restore(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]policy.Session{"a step": trained, "restoring": restored} {
		if _, err := s.Reply(context.Background(), user("", "pump")); err == nil || !strings.Contains(err.Error(), "weights") {
			t.Errorf("a session from before %s replies, or says %v", name, err)
		}
	}
}

func TestCancellingAReply(t *testing.T) {
	p := testPolicy(t, 1)
	want := sampleAll(t, p, []int{0, 1, 2})
	for i := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		s := mustOpen(t, p, agentSpec(150))
		if i == 0 {
			cancel() // before the reply begins
		}
		go cancel()
		_, err := s.Reply(ctx, user("", "crane"))
		if err == nil {
			continue // the reply was faster
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("a cancelled reply says %v", err)
		}
		if _, err := s.Reply(context.Background(), user("", "pump")); err == nil {
			t.Error("a session goes on after a reply was cancelled")
		}
	}
	if got := sampleAll(t, p, []int{0, 1, 2}); !reflect.DeepEqual(got, want) {
		t.Error("cancelled replies changed others")
	}
}

func TestBrokenWeightsAreAnError(t *testing.T) {
	p := testPolicy(t, 1)
	p.model.weights.norm[0] = float32(math.NaN())
	if r, err := mustOpen(t, p, agentSpec(3)).Reply(context.Background(), user("", "crane")); err == nil {
		t.Errorf("weights that are no numbers reply %+v", r)
	}
	before := append([]float32(nil), p.model.weights.embed...)
	if _, err := p.Train(context.Background(), testBatch(&p.model.config, 2)); err == nil {
		t.Error("a step with a gradient that is no number succeeds")
	}
	if !reflect.DeepEqual(before, p.model.weights.embed) || p.Version() != 0 {
		t.Error("a failed step changed weights or version")
	}
	p = testPolicy(t, 1)
	batch := testBatch(&p.model.config, 2)
	batch.LearningRate = 1e39
	if _, err := p.Train(context.Background(), batch); !errors.Is(err, policy.ErrDiverged) {
		t.Errorf("a step that leaves no finite weights: %v", err)
	}
}

func TestTrainRefuses(t *testing.T) {
	p := testPolicy(t, 1)
	tests := map[string]func(*policy.Batch){
		"learning rate":          func(b *policy.Batch) { b.LearningRate = -1 },
		"clip range":             func(b *policy.Batch) { b.Loss.ClipLow = 0 },
		"lengths":                func(b *policy.Batch) { b.Sequences[0].Mask = nil },
		"too long":               func(b *policy.Batch) { b.Sequences[0] = longSequence(p.model.config.Context + 1) },
		"no predecessor":         func(b *policy.Batch) { b.Sequences[0].Mask[0] = true },
		"outside vocabulary":     func(b *policy.Batch) { b.Sequences[0].Tokens[0] = int32(p.model.config.VocabSize) },
		"advantage not a number": func(b *policy.Batch) { b.Sequences[0].Advantage = math.NaN() },
	}
	for name, spoil := range tests {
		b := testBatch(&p.model.config, 2)
		spoil(&b)
		if _, err := p.Train(context.Background(), b); err == nil {
			t.Errorf("%s: the step succeeds", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Train(ctx, testBatch(&p.model.config, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled step says %v", err)
	}
	if p.Version() != 0 {
		t.Errorf("refused steps led to version %d", p.Version())
	}
}

func longSequence(n int) policy.Sequence {
	return policy.Sequence{Tokens: make([]int32, n), LogProbs: make([]float32, n), Mask: make([]bool, n), Advantage: 1, Weight: 1}
}

func TestEmptyBatchIsNoStep(t *testing.T) {
	p := testPolicy(t, 1)
	b := testBatch(&p.model.config, 0)
	b.Sequences = []policy.Sequence{longSequence(0), longSequence(1), longSequence(5)}
	numbers, err := p.Train(context.Background(), b)
	if err != nil || numbers["tokens"] != 0 || p.Version() != 0 {
		t.Errorf("got %v, %v and version %d", numbers, err, p.Version())
	}
}

func TestMeasurements(t *testing.T) {
	p := testPolicy(t, 2)
	if p.Busy() != 0 || p.SampledTokens() != 0 {
		t.Errorf("a fresh policy was busy for %v with %d tokens", p.Busy(), p.SampledTokens())
	}
	sampled := 0
	for _, replies := range sampleAll(t, p, []int{0, 1, 2, 3}) {
		for _, r := range replies {
			for _, m := range r.Mask {
				if m {
					sampled++
				}
			}
		}
	}
	if p.SampledTokens() != int64(sampled) {
		t.Errorf("%d tokens were counted, %d sampled", p.SampledTokens(), sampled)
	}
	afterSampling := p.Busy()
	if _, err := p.Train(context.Background(), testBatch(&p.model.config, 2)); err != nil {
		t.Fatal(err)
	}
	if !(0 < afterSampling && afterSampling < p.Busy()) {
		t.Errorf("busy for %v after sampling and %v after training", afterSampling, p.Busy())
	}
}

// TestReplyAfterALateCancel: a context that ends just as its reply is complete takes nothing from the next one.
func TestReplyAfterALateCancel(t *testing.T) {
	p := testPolicy(t, 1)
	s := mustOpen(t, p, agentSpec(20))
	if _, err := s.Reply(context.Background(), user("", "crane")); err != nil {
		t.Fatal(err)
	}
	s.(*session).cancelled.Store(true) // what such a context leaves
	if r, err := s.Reply(context.Background(), user("", "pump")); err != nil || !slices.Contains(r.Mask, true) {
		t.Errorf("the next reply: %v, with %d tokens of which none is sampled", err, len(r.Tokens))
	}
}

// TestKLHoldsTheReference: with the distance to the reference in the loss, steps lead less far from where the policy began,
// whatever the number of workers, and a restored policy still has the same reference.
func TestKLHoldsTheReference(t *testing.T) {
	moved := func(kl float64, workers int) (weights []float32, distance float64) {
		p := testPolicy(t, workers)
		start := slices.Clone(p.model.weights.flat)
		batch := testBatch(&p.model.config, 8)
		batch.LearningRate = 1e-3
		for i := range batch.Sequences {
			batch.Sequences[i].KL = kl * batch.Sequences[i].Weight
		}
		for step := range 12 {
			if _, err := p.Train(context.Background(), batch); err != nil {
				t.Fatal(err)
			}
			if step == 5 {
				dir := t.TempDir()
				if err := p.Save(context.Background(), dir); err != nil {
					t.Fatal(err)
				}
				if err := p.Restore(context.Background(), dir); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range batch.Sequences {
			batch.Sequences[i].KL = 1
		}
		examples, now := trainedOn(&batch)
		newFrozen(p.model, 1).score(examples, now)
		_, then := trainedOn(&batch)
		p.reference.score(examples, then)
		n := 0
		for i := range now {
			for j := range now[i] {
				away := then[i][j].reference - now[i][j].reference
				distance += math.Exp(away) - away - 1
				n++
			}
		}
		if slices.Equal(start, p.model.weights.flat) {
			t.Error("the weights have not moved")
		}
		return p.model.weights.flat, distance / float64(n)
	}
	_, free := moved(0, 1)
	held, near := moved(2, 1)
	if !(near < free/2) {
		t.Errorf("distance %v with KL, %v without", near, free)
	}
	if again, _ := moved(2, 3); !slices.Equal(held, again) {
		t.Error("the step depends on the number of workers")
	}
}

// TestReferenceReadsWhatIsHeld: sequences whose distance does not count are not read, and change nothing for the others.
func TestReferenceReadsWhatIsHeld(t *testing.T) {
	p := testPolicy(t, 2)
	batch := testBatch(&p.model.config, 9)
	for i := range batch.Sequences {
		batch.Sequences[i].KL = 1
	}
	examples, all := trainedOn(&batch)
	p.reference.score(examples, all)
	for i := 0; i < len(batch.Sequences); i += 2 {
		batch.Sequences[i].KL = 0
	}
	examples, some := trainedOn(&batch)
	p.reference.score(examples, some)
	for i := range some {
		for j, target := range some[i] {
			want := all[i][j].reference
			if i%2 == 0 {
				want = 0
			}
			if target.reference != want {
				t.Fatalf("target %d of sequence %d: reference %v, want %v", j, i, target.reference, want)
			}
		}
	}
}
