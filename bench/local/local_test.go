package local

import (
	"os/exec"
	"testing"

	"spade/policy/local"
	"spade/policy/local/base"
)

// small is a model that is measured in a moment.
func small(t *testing.T) Options {
	t.Helper()
	model, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	config := model.Config()
	config.HiddenSize, config.IntermediateSize, config.Layers, config.Heads, config.KVHeads, config.HeadDim = 8, 8, 1, 2, 1, 4
	config.Context = 4 * sequenceTokens
	return Options{Config: config, Tokenizer: vocabulary, Rounds: 1, Progress: func(string) {}}
}

func TestRun(t *testing.T) {
	o := small(t)
	if python, err := exec.LookPath("python3"); err == nil && HasPyTorch(t.Context(), python) {
		o.Python = python
	}
	figures, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) < 5 {
		t.Fatalf("only %d figures", len(figures))
	}
	for _, f := range figures {
		compared := o.Python != "" || f.Against != "PyTorch"
		if !(f.Value > 0) || compared && f.Against != "" && !(f.Ratio > 0) {
			t.Errorf("%+v", f)
		}
	}
}

// TestOperations: the formula agrees with a count by hand for a shape of ones and twos.
func TestOperations(t *testing.T) {
	c := local.Config{VocabSize: 3, HiddenSize: 2, IntermediateSize: 4, Layers: 1, Heads: 1, KVHeads: 1, HeadDim: 2}
	// A token passes 2·6 weights of queries, keys and values, 2·2 of the output, 3·2·4 of the feed-forward layer and 2·3 of the
	// vocabulary, and attends to half of 256 tokens: 2 products for the score of each and 2 for the mixture.
	const weights, attention = 12 + 4 + 24 + 6, 128 * 4
	if got, want := operations(c), float64(3*2*(weights+attention)); got != want {
		t.Errorf("%v operations a token, want %v", got, want)
	}
}

func TestPythonWithoutPyTorchIsAnError(t *testing.T) {
	o := small(t)
	o.Python = "false"
	if HasPyTorch(t.Context(), o.Python) {
		t.Fatal("false has PyTorch")
	}
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("nothing was said about a comparison that did not happen")
	}
}
