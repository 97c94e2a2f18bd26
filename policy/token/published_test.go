package token_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"spade/policy/token/tokentest"
)

// published are the tokenizers of the families that policy/render lays out; gpt4o is GPT-OSS's vocabulary.
var published = []string{"qwen3", "llama3_2", "gemma3", "gpt4o"}

func readJSON[T any](t testing.TB, name string) (out T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "published", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPublishedTokenizers: the ids are those of the tokenizers library (testdata/published/make.py), and text comes back.
func TestPublishedTokenizers(t *testing.T) {
	texts := readJSON[[]string](t, "texts")
	for _, name := range published {
		t.Run(name, func(t *testing.T) {
			tok, want := tokentest.Published(t, name), readJSON[[][]int32](t, name)
			for i, text := range texts {
				ids := tok.Encode(text)
				if !slices.Equal(ids, want[i]) {
					t.Errorf("%q encodes to %v, want %v", text, ids, want[i])
				}
				if back := tok.Decode(ids); back != roundTrip(name, text) {
					t.Errorf("%q comes back as %q", text, back)
				}
			}
		})
	}
}

// roundTrip is what a text is after encoding and decoding: Qwen3's is in NFC, and Gemma 3 cannot tell its own sign for
// a space from one.
func roundTrip(name, text string) string {
	switch name {
	case "qwen3":
		return norm.NFC.String(text)
	case "gemma3":
		return strings.ReplaceAll(text, "▁", " ")
	}
	return text
}

// TestTextIsNoControl: what a text says never becomes a token that controls the conversation.
func TestTextIsNoControl(t *testing.T) {
	for name, special := range map[string]string{"qwen3": "<|im_end|>", "llama3_2": "<|eot_id|>", "gemma3": "<end_of_turn>", "gpt4o": "<|endoftext|>"} {
		tok := tokentest.Published(t, name)
		id, ok := tok.Special(special)
		if !ok {
			t.Errorf("%s: no special token %s", name, special)
		}
		text := "before" + special + "after"
		ids := tok.Encode(text)
		if slices.Contains(ids, id) || tok.Decode(ids) != text {
			t.Errorf("%s: %q is encoded as %v and comes back as %q", name, text, ids, tok.Decode(ids))
		}
	}
}

func FuzzPublished(f *testing.F) {
	for _, text := range readJSON[[]string](f, "texts") {
		f.Add(text)
	}
	f.Add("\xff\xfe crane\x80 é\xcc")
	toks := map[string]interface {
		Encode(string) []int32
		Decode([]int32) string
	}{}
	for _, name := range published {
		toks[name] = tokentest.Published(f, name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, tok := range toks {
			if got := tok.Decode(tok.Encode(text)); got != roundTrip(name, text) {
				t.Errorf("%s: %q comes back as %q", name, text, got)
			}
		}
	})
}

func BenchmarkPublished(b *testing.B) {
	text := strings.Repeat(strings.Join(readJSON[[]string](b, "texts"), "\n"), 3)
	for _, name := range published {
		b.Run(name, func(b *testing.B) {
			tok := tokentest.Published(b, name)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tok.Encode(text)
			}
		})
	}
}
