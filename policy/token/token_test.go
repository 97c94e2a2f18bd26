package token

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// texts to train on: code and prose with barrier words in both.
var trainingTexts = []string{
	"import random\nclass CraneEnv:\n def reset(s,seed=None):\n  r=s.r=random.Random(seed);s.t=0;s.L=6;s.b=2\n",
	"import random\nclass PumpEnv:\n def reset(s,seed=None):\n  r=s.r=random.Random(seed);s.t=0;s.L=12;s.b=1\n",
	"the crane can hoist and lower 7 loads, then hoist again; already 12 loads are lower",
	"the pump can hoist water, and the crane can lower the pump after the rain",
	"crane add 3 ok add 12 no 7 add 1 ok",
}

var trainingConfig = TrainConfig{
	Size:     400,
	Words:    []string{"crane", "pump", "hoist", "lower", "add", "1", "2", "3", "7", "12"},
	Stems:    []string{"Crane", "Pump"},
	Special:  []string{"<|a|>", "<|b|>"},
	MaxPiece: 24,
}

func trained(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := Train(trainingTexts, trainingConfig)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func pieces(tok *Tokenizer, text string) []string {
	var out []string
	for _, id := range tok.Encode(text) {
		out = append(out, tok.Piece(id))
	}
	return out
}

func TestBarrierWordsStandAlone(t *testing.T) {
	tok := trained(t)
	for _, c := range []struct {
		text string
		want []string // tokens that must appear
		not  []string // tokens that must not
	}{
		{"crane add 12", []string{"crane", " add", " 12"}, nil},
		{"class CraneEnv", []string{" Crane"}, []string{" crane"}},
		{"s.b=12\n", []string{"12"}, []string{"1"}},
		{"cranes add_12 x12", nil, []string{"crane", " add", "12"}},
		{"(add)", []string{"add"}, nil},
	} {
		got := pieces(tok, c.text)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q encodes to %q, without %q", c.text, got, w)
			}
		}
		for _, w := range c.not {
			if slices.Contains(got, w) {
				t.Errorf("%q encodes to %q, with %q", c.text, got, w)
			}
		}
	}
}

func TestMergesAreBounded(t *testing.T) {
	tok := trained(t)
	longest := 0
	for id := range int32(tok.Size() - len(trainingConfig.Special)) {
		longest = max(longest, len(tok.Piece(id)))
	}
	if longest > trainingConfig.MaxPiece || longest < 12 {
		t.Errorf("longest token has %d bytes, want at most %d and a merge worth the name", longest, trainingConfig.MaxPiece)
	}
}

func TestSpecialTokens(t *testing.T) {
	tok := trained(t)
	a, ok := tok.Special("<|a|>")
	if !ok || tok.Piece(a) != "<|a|>" || int(a) != tok.Size()-2 {
		t.Fatalf("Special(<|a|>) = %d, %v of %d", a, ok, tok.Size())
	}
	if _, ok := tok.Special("crane"); ok {
		t.Error("an ordinary token is special")
	}
	if got := tok.Encode("<|a|>"); slices.Contains(got, a) {
		t.Errorf("text encodes to a special id: %v", got)
	}
	if got := tok.Decode(append([]int32{a}, tok.Encode("x<|a|>")...)); got != "x<|a|>" {
		t.Errorf("decoded %q", got)
	}
}

func TestWriteReadKeepsEverything(t *testing.T) {
	tok := trained(t)
	var first, second bytes.Buffer
	n, err := tok.WriteTo(&first)
	if err != nil || n != int64(first.Len()) {
		t.Fatalf("wrote %d of %d: %v", n, first.Len(), err)
	}
	back, err := Read(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.WriteTo(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("reading and writing again changes the file")
	}
	again := trained(t)
	var third bytes.Buffer
	if _, err := again.WriteTo(&third); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), third.Bytes()) {
		t.Error("training again gives another tokenizer")
	}
	for _, text := range trainingTexts {
		if !slices.Equal(tok.Encode(text), back.Encode(text)) {
			t.Errorf("%q encodes differently after reading back", text)
		}
	}
}

func TestReadRefusesWhatItCannotReproduce(t *testing.T) {
	var buf bytes.Buffer
	if _, err := trained(t).WriteTo(&buf); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"normalizer": null`, `"normalizer": {"type":"NFKD"}`, "normalizer"},
		{`"type": "BPE"`, `"type": "Unigram"`, "Unigram"},
		{`"byte_fallback": false`, `"byte_fallback": true`, "normalizer"},
		{`"behavior": "Isolated"`, `"behavior": "Removed"`, "Split"},
		{`"use_regex": false`, `"use_regex": true`, "ByteLevel"},
		{`"lstrip": false`, `"lstrip": true`, "plain"},
		{`"Ġcrane": `, `"Ġcrane": 9`, "has id"},
		{`"!": `, `"日": `, "no byte"},
		{`|Crane`, `|Cr.ne`, "pattern"},
		{`" ?(?<`, `"(?<`, "pattern"},
		{`" ?(?<![0-9A-Za-z_])(`, `" ?(?>(`, "pattern"},
		{`{`, `[`, "invalid character"},
	} {
		broken := strings.Replace(buf.String(), c.old, c.new, 1)
		if broken == buf.String() {
			t.Fatalf("%q is not in the file", c.old)
		}
		if _, err := Read(strings.NewReader(broken)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.new, err, c.want)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for name, change := range map[string]func(*TrainConfig){
		"size":  func(c *TrainConfig) { c.Size = 260 },
		"words": func(c *TrainConfig) { c.Words = []string{"a b"} },
		"none":  func(c *TrainConfig) { c.Words, c.Stems = nil, nil },
		"twice": func(c *TrainConfig) { c.Special = []string{"<|a|>", "<|a|>"} },
	} {
		c := trainingConfig
		change(&c)
		if _, err := Train(trainingTexts, c); err == nil {
			t.Errorf("%s: trained", name)
		}
	}
}

func TestEncodeIsSafeForConcurrentUse(t *testing.T) {
	tok := trained(t)
	want := tok.Encode(strings.Join(trainingTexts, " "))
	fresh := trained(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got := fresh.Encode(strings.Join(trainingTexts, " ")); !slices.Equal(got, want) {
				t.Error("concurrent encoding differs")
			}
		})
	}
	wait.Wait()
}

// The file testdata/reference.json holds ids that the Hugging Face tokenizers library (0.23.3) computed from
// testdata/tokenizer.json.
func TestIDsOfTheReferenceLibrary(t *testing.T) {
	f, err := os.Open("testdata/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tok, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text string  `json:"text"`
		IDs  []int32 `json:"ids"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		if got := tok.Encode(c.Text); !slices.Equal(got, c.IDs) {
			t.Errorf("%q encodes to %v, want %v", c.Text, got, c.IDs)
		}
	}
}

// naive merges as the definition says, in quadratic time.
func naive(ids []int32, merges map[pair]merge) []int32 {
	ids = slices.Clone(ids)
	for {
		at, best := -1, merge{}
		for i := 1; i < len(ids); i++ {
			if m, ok := merges[pair{ids[i-1], ids[i]}]; ok && (at < 0 || m.rank < best.rank) {
				at, best = i, m
			}
		}
		if at < 0 {
			return ids
		}
		ids[at-1] = best.id
		ids = slices.Delete(ids, at, at+1)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, text := range trainingTexts {
		f.Add(text)
	}
	f.Add("")
	f.Add("\xff\xfe crane\x80 12\x00é12 日本 CraneCrane <|a|> ")
	tok := trained(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(text)
		if got := tok.Decode(ids); got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= tok.Size()-len(trainingConfig.Special) {
				t.Fatalf("%q encodes to id %d", text, id)
			}
		}
		raw := make([]int32, len(text))
		for i := range raw {
			raw[i] = tok.bytes[text[i]]
		}
		if want, got := naive(raw, tok.merges), applyMerges(slices.Clone(raw), tok.merges); !slices.Equal(got, want) {
			t.Fatalf("%q merges to %v, want %v", text, got, want)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tok := trained(b)
	text := strings.Join(trainingTexts, "\n")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Encode(text)
	}
}
