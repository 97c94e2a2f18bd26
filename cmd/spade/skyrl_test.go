package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/policy"
)

// TestSkyRL samples from, trains, saves and restores a model on a server of SkyRL tx. python/conformance/skyrl_tx.sh starts
// one with a small random model.
func TestSkyRL(t *testing.T) {
	at := os.Getenv("SPADE_SKYRL")
	if at == "" {
		t.Skip("SPADE_SKYRL holds no URL#MODEL?tokenizer=FILE of a SkyRL server; python/conformance/skyrl_tx.sh starts one")
	}
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "checkpoint")
	p, err := openTinker(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if notes := strings.Join(p.Info().Notes, " "); !strings.Contains(notes, "SkyRL") {
		t.Errorf("the server is not taken for SkyRL: %s", notes)
	}
	replies := skyrlReplies(t, p, 2)
	batch := policy.Batch{Loss: policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}, LearningRate: 1e-2, MaxGradNorm: 1}
	sampled := 0
	for i := range 2 {
		s := policy.Sequence{Role: spade.Agent, Advantage: float64(1 - 2*i)}
		for _, r := range replies[i] {
			s.Tokens, s.LogProbs, s.Mask = append(s.Tokens, r.Tokens...), append(s.LogProbs, r.LogProbs...), append(s.Mask, r.Mask...)
		}
		for _, m := range s.Mask {
			if m {
				sampled++
			}
		}
		batch.Sequences = append(batch.Sequences, s)
	}
	for i := range batch.Sequences {
		batch.Sequences[i].Weight = 1 / float64(sampled)
	}
	numbers, err := p.Train(ctx, batch)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the first step: %v", numbers)
	// The server computes again, in training, how probable its own samples are.
	if kl := numbers["kl"]; math.Abs(kl) > 1e-3 || numbers["tokens"] != float64(sampled) || p.Version() != 1 {
		t.Errorf("a step of version %d on %d tokens gives %v", p.Version(), sampled, numbers)
	}
	after := skyrlReplies(t, p, 1)
	if moved := difference(replies[0][0], after[0][0]); moved == 0 {
		t.Error("a step did not change what is sampled: the sampler kept the first weights")
	}
	if err := p.Save(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Train(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if err := p.Restore(ctx, dir); err != nil || p.Version() != 1 {
		t.Fatalf("restored version %d: %v", p.Version(), err)
	}
	if moved := difference(after[0][0], skyrlReplies(t, p, 1)[0][0]); moved > 1e-4 {
		t.Errorf("what was saved and restored differs by %g in log-probability", moved)
	}
}

// skyrlReplies holds n conversations of two turns.
func skyrlReplies(t *testing.T, p policy.Sampler, n int) [][]policy.Reply {
	t.Helper()
	all := make([][]policy.Reply, n)
	for i := range all {
		session, err := p.Open(t.Context(), policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, i, "skyrl"), Temperature: 1, MaxTokens: 8})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r, err := session.Reply(t.Context(), spade.Message{Speaker: spade.User, Content: "Which way?"})
			if err != nil {
				t.Fatal(err)
			}
			all[i] = append(all[i], r)
		}
		session.Close()
	}
	return all
}

// difference is how far the log-probability of a reply's first sampled token is from that of another reply to the same
// prompt with the same draws, infinite where the token is another one.
func difference(a, b policy.Reply) float64 {
	for i, m := range a.Mask {
		if m && a.Tokens[i] == b.Tokens[i] {
			return math.Abs(float64(a.LogProbs[i] - b.LogProbs[i]))
		}
		if m {
			break
		}
	}
	return math.Inf(1)
}
