package local

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the checkpoint in testdata/transformers anew; make.py there writes what is expected of it")

// TestTransformers: Hugging Face's library computes the same logits with our checkpoints. It was asked when
// expected.json was written; what is compared here is this package.
func TestTransformers(t *testing.T) {
	dir := filepath.Join("testdata", "transformers")
	if *update {
		m := roughModel(t, Config{VocabSize: testTokenizer().Size(), HiddenSize: 16, IntermediateSize: 24, Layers: 2,
			Heads: 4, KVHeads: 2, HeadDim: 8, Context: 128, RopeTheta: 10000, NormEpsilon: 1e-6})
		if err := Save(dir, m, testTokenizer()); err != nil {
			t.Fatal(err)
		}
	}
	m, tokenizer, err := Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Cases []struct {
			Text       string
			IDs        []int32
			Decoded    string
			LastLogits []float64 `json:"last_logits"`
		}
	}
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	for _, c := range expected.Cases {
		if got := tokenizer.Decode(c.IDs); got != c.Decoded {
			t.Errorf("the tokens of %q decode to %q, want %q", c.Text, got, c.Decoded)
		}
		if got := tokenizer.Encode(c.Decoded); c.Decoded == c.Text && !slices.Equal(got, c.IDs) {
			t.Errorf("%q is encoded as %v, want %v", c.Text, got, c.IDs)
		}
		logits := lastLogits(m, c.IDs)
		for i, want := range c.LastLogits {
			if diff := math.Abs(float64(logits[i]) - want); !(diff <= 1e-4) {
				t.Fatalf("%q: logit %d is %v, want %v", c.Text, i, logits[i], want)
			}
		}
	}
}

// lastLogits are those after the last of the tokens.
func lastLogits(m *Model, tokens []int32) []float32 {
	embedT := make([]float32, len(m.weights.embed))
	m.transposeEmbedding(embedT)
	cache := newCachePool(&m.config).get(len(tokens))
	rows := make([]decodeRow, len(tokens))
	for i, id := range tokens {
		rows[i] = decodeRow{cache: cache, token: id, position: i, emits: i == len(tokens)-1}
	}
	return newDecoder(m, embedT).step(rows)
}
