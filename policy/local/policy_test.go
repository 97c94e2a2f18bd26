package local

import (
	"context"
	"reflect"
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
