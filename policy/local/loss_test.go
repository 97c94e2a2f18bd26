package local

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"spade/policy"
	"spade/policy/local/kernel"
)

// TestPolicyLossOfPyTorch holds the losses of a step and their gradients in the logits against PyTorch's automatic
// differentiation on random data (testdata/policy_loss.py).
func TestPolicyLossOfPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/policy_loss.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name                                                 string
			ClipLow                                              float64 `json:"clip_low"`
			ClipHigh                                             float64 `json:"clip_high"`
			Truncation                                           float64
			Logits                                               [][]float32
			Token                                                []int32
			Old, Reference, Advantage, Weight, Entropy, KL, Loss []float64
			Gradient                                             [][]float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 3 {
		t.Fatalf("%d losses", len(file.Cases))
	}
	for _, c := range file.Cases {
		l := policyLoss{Loss: policy.Loss{ClipLow: c.ClipLow, ClipHigh: c.ClipHigh, Truncation: c.Truncation}}
		for i, token := range c.Token {
			l.targets = append(l.targets, policyTarget{token: token, old: c.Old[i], reference: c.Reference[i],
				advantage: c.Advantage[i], weight: c.Weight[i], entropy: c.Entropy[i], kl: c.KL[i]})
		}
		worst, k := 0.0, kernel.NewScratch()
		for i := range c.Token {
			before := l.stats.loss
			l.gradient(k, i, c.Logits[i])
			worst = max(worst, math.Abs(l.stats.loss-before-c.Loss[i]))
			for j, g := range c.Logits[i] {
				worst = max(worst, math.Abs(float64(g)-c.Gradient[i][j]))
			}
		}
		t.Logf("%s: at most %.1e from PyTorch over %d tokens, %d bounded", c.Name, worst, len(c.Token), l.stats.clipped)
		if worst > 1e-5 {
			t.Errorf("%s differs by %v", c.Name, worst)
		}
	}
}
