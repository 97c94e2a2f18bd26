package token

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// The structs mirror tokenizer.json. Fields of kind any must be null: they are steps that we do not take.
type file struct {
	Version       string       `json:"version"`
	Truncation    any          `json:"truncation"`
	Padding       any          `json:"padding"`
	AddedTokens   []addedToken `json:"added_tokens"`
	Normalizer    any          `json:"normalizer"`
	PreTokenizer  preTokenizer `json:"pre_tokenizer"`
	PostProcessor any          `json:"post_processor"`
	Decoder       byteLevel    `json:"decoder"`
	Model         model        `json:"model"`
}

type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type preTokenizer struct {
	Type          string            `json:"type"`
	Pretokenizers []json.RawMessage `json:"pretokenizers"`
}

type splitStep struct {
	Type    string `json:"type"`
	Pattern struct {
		Regex string
	} `json:"pattern"`
	Behavior string `json:"behavior"`
	Invert   bool   `json:"invert"`
}

type byteLevel struct {
	Type           string `json:"type"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	TrimOffsets    bool   `json:"trim_offsets"`
	UseRegex       bool   `json:"use_regex"`
}

type model struct {
	Type                    string           `json:"type"`
	Dropout                 any              `json:"dropout"`
	UnkToken                any              `json:"unk_token"`
	ContinuingSubwordPrefix any              `json:"continuing_subword_prefix"`
	EndOfWordSuffix         any              `json:"end_of_word_suffix"`
	FuseUnk                 bool             `json:"fuse_unk"`
	ByteFallback            bool             `json:"byte_fallback"`
	IgnoreMerges            bool             `json:"ignore_merges"`
	Vocab                   map[string]int32 `json:"vocab"`
	Merges                  []mergeLine      `json:"merges"`
}

// mergeLine is written as a list of two; older files write both in one text with a space between.
type mergeLine [2]string

func (m *mergeLine) UnmarshalJSON(data []byte) error {
	var both string
	if json.Unmarshal(data, &both) == nil {
		left, right, ok := strings.Cut(both, " ")
		if !ok {
			return fmt.Errorf("merge %q holds no space", both)
		}
		*m = mergeLine{left, right}
		return nil
	}
	return json.Unmarshal(data, (*[2]string)(m))
}

// Read reads a tokenizer.json. It refuses files whose ids it could not reproduce: other models than byte-level
// BPE with ignore_merges, other pre-tokenizers, normalizers, post-processors, added tokens that are not
// special, and vocabularies that lack a byte or whose ids have holes.
func Read(r io.Reader) (*Tokenizer, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	words, err := f.check()
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	pieces, err := f.pieces()
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	ranked, err := f.ranked()
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	special, err := f.special(len(pieces))
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	t, err := newTokenizer(words, pieces, ranked, special)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	return t, nil
}

// check returns the barrier words if every step of the file is one that we take.
func (f *file) check() (*barrier, error) {
	for _, step := range []struct {
		name  string
		value any
	}{
		{"truncation", f.Truncation}, {"padding", f.Padding}, {"normalizer", f.Normalizer},
		{"post_processor", f.PostProcessor}, {"dropout", f.Model.Dropout}, {"unk_token", f.Model.UnkToken},
		{"continuing_subword_prefix", f.Model.ContinuingSubwordPrefix}, {"end_of_word_suffix", f.Model.EndOfWordSuffix},
	} {
		if step.value != nil && step.value != "" {
			return nil, fmt.Errorf("%s is not supported", step.name)
		}
	}
	if f.Model.Type != "BPE" || !f.Model.IgnoreMerges || f.Model.ByteFallback {
		return nil, fmt.Errorf("model is not byte-level BPE with ignore_merges")
	}
	if f.PreTokenizer.Type != "Sequence" || len(f.PreTokenizer.Pretokenizers) != 2 {
		return nil, fmt.Errorf("pre_tokenizer is not a Sequence of Split and ByteLevel")
	}
	var s splitStep
	if err := json.Unmarshal(f.PreTokenizer.Pretokenizers[0], &s); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if s.Type != "Split" || s.Behavior != "Isolated" || s.Invert {
		return nil, fmt.Errorf("the first pre_tokenizer is not an isolating Split")
	}
	var b byteLevel
	if err := json.Unmarshal(f.PreTokenizer.Pretokenizers[1], &b); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if b.Type != "ByteLevel" || b.AddPrefixSpace || b.UseRegex || f.Decoder.Type != "ByteLevel" {
		return nil, fmt.Errorf("the second pre_tokenizer and the decoder are not plain ByteLevel")
	}
	return readBarrier(s.Pattern.Regex)
}

// pieces returns the vocabulary as raw bytes by id.
func (f *file) pieces() ([]string, error) {
	pieces := make([]string, len(f.Model.Vocab))
	for _, text := range slices.Sorted(maps.Keys(f.Model.Vocab)) {
		id := f.Model.Vocab[text]
		if id < 0 || int(id) >= len(pieces) {
			return nil, fmt.Errorf("token %q has id %d in a vocabulary of %d", text, id, len(pieces))
		}
		raw, err := rawBytes(text)
		if err != nil {
			return nil, err
		}
		if raw == "" {
			return nil, fmt.Errorf("token %d is empty", id)
		}
		if pieces[id] != "" {
			return nil, fmt.Errorf("two tokens have id %d", id)
		}
		pieces[id] = raw
	}
	return pieces, nil
}

func (f *file) ranked() ([]pair, error) {
	ranked := make([]pair, len(f.Model.Merges))
	for rank, m := range f.Model.Merges {
		left, ok := f.Model.Vocab[m[0]]
		right, alsoOK := f.Model.Vocab[m[1]]
		if !ok || !alsoOK {
			return nil, fmt.Errorf("merge %d of %q and %q has a side that the vocabulary lacks", rank, m[0], m[1])
		}
		ranked[rank] = pair{left, right}
	}
	return ranked, nil
}

// special returns the names of the added tokens, whose ids must follow the vocabulary without holes.
func (f *file) special(first int) ([]string, error) {
	added := slices.SortedFunc(slices.Values(f.AddedTokens), func(a, b addedToken) int { return int(a.ID - b.ID) })
	names := make([]string, len(added))
	for i, a := range added {
		if !a.Special || a.SingleWord || a.LStrip || a.RStrip || a.Normalized {
			return nil, fmt.Errorf("added token %q is not a plain special one", a.Content)
		}
		if int(a.ID) != first+i {
			return nil, fmt.Errorf("special token %q has id %d, want %d", a.Content, a.ID, first+i)
		}
		names[i] = a.Content
	}
	return names, nil
}

// WriteTo writes the tokenizer as a tokenizer.json. Equal tokenizers write equal bytes.
func (t *Tokenizer) WriteTo(w io.Writer) (int64, error) {
	f, err := t.file()
	if err != nil {
		return 0, fmt.Errorf("write tokenizer: %w", err)
	}
	count := &counter{w: w}
	if err := encoder(count).Encode(f); err != nil {
		return count.n, fmt.Errorf("write tokenizer: %w", err)
	}
	return count.n, nil
}

func (t *Tokenizer) file() (*file, error) {
	s := splitStep{Type: "Split", Behavior: "Isolated"}
	s.Pattern.Regex = t.barrier.pattern()
	level := byteLevel{Type: "ByteLevel", TrimOffsets: true}
	f := &file{
		Version:      "1.0",
		AddedTokens:  []addedToken{},
		PreTokenizer: preTokenizer{Type: "Sequence"},
		Decoder:      level,
		Model:        model{Type: "BPE", IgnoreMerges: true, Vocab: map[string]int32{}, Merges: []mergeLine{}},
	}
	for _, step := range []any{s, level} {
		var data bytes.Buffer
		if err := encoder(&data).Encode(step); err != nil {
			return nil, err
		}
		f.PreTokenizer.Pretokenizers = append(f.PreTokenizer.Pretokenizers, data.Bytes())
	}
	for id, p := range t.pieces[:t.firstOwn] {
		f.Model.Vocab[symbols(p)] = int32(id)
	}
	for _, p := range t.ranked {
		f.Model.Merges = append(f.Model.Merges, mergeLine{symbols(t.pieces[p.left]), symbols(t.pieces[p.right])})
	}
	for id := t.firstOwn; int(id) < len(t.pieces); id++ {
		f.AddedTokens = append(f.AddedTokens, addedToken{ID: id, Content: t.pieces[id], Special: true})
	}
	return f, nil
}

// encoder writes texts as they are; the expression is full of angle brackets.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc
}

// counter counts the bytes that pass.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
