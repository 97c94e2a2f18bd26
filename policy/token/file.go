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

// The structs mirror tokenizer.json. Fields of kind any must be null, but for the post-processor: they are steps that we
// do not take.
type file struct {
	Version       string          `json:"version"`
	Truncation    any             `json:"truncation"`
	Padding       any             `json:"padding"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor any             `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         model           `json:"model"`
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
	Type          string `json:"type"`
	Pretokenizers []any  `json:"pretokenizers"`
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

// Read reads a tokenizer.json of one of these forms: that of Train; byte-level BPE behind a regular expression, as
// Qwen3, Llama 3 and GPT-OSS have it; BPE over characters with bytes for unknown ones, as Gemma 3 has it. It refuses
// files whose ids it could not reproduce. A post-processor, which puts tokens around a text, is passed over: laying
// out conversations is policy/render's.
func Read(r io.Reader) (*Tokenizer, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	t, err := f.tokenizer()
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	return t, nil
}

func (f *file) tokenizer() (*Tokenizer, error) {
	v := vocabulary{special: map[string]int32{}, inText: marks{}}
	var err error
	if v.form, err = f.form(); err != nil {
		return nil, err
	}
	if v.pieces, err = f.pieces(v.characters); err != nil {
		return nil, err
	}
	if v.bytes, err = f.bytes(v.characters, v.pieces); err != nil {
		return nil, err
	}
	if v.ranked, err = f.ranked(); err != nil {
		return nil, err
	}
	if err := f.add(&v); err != nil {
		return nil, err
	}
	return newTokenizer(v)
}

// pieces returns the vocabulary as raw bytes by id.
func (f *file) pieces(characters bool) ([]string, error) {
	largest := -1
	for _, id := range f.Model.Vocab {
		largest = max(largest, int(id))
	}
	if largest >= 2*len(f.Model.Vocab)+1000 {
		return nil, fmt.Errorf("a token has id %d in a vocabulary of %d", largest, len(f.Model.Vocab))
	}
	pieces := make([]string, largest+1)
	for _, text := range slices.Sorted(maps.Keys(f.Model.Vocab)) {
		id := f.Model.Vocab[text]
		if id < 0 || pieces[id] != "" {
			return nil, fmt.Errorf("token %q has id %d, which is no id or another's", text, id)
		}
		raw, err := rawPiece(text, characters)
		if err != nil {
			return nil, err
		}
		if raw == "" {
			return nil, fmt.Errorf("token %d is empty", id)
		}
		pieces[id] = raw
	}
	return pieces, nil
}

// rawPiece is the text that a token of the vocabulary stands for.
func rawPiece(text string, characters bool) (string, error) {
	if !characters {
		return rawBytes(text)
	}
	if b, ok := fallbackByte(text); ok {
		return string([]byte{b}), nil
	}
	return strings.ReplaceAll(text, metaspace, " "), nil
}

// bytes returns the ids of the single bytes.
func (f *file) bytes(characters bool, pieces []string) (ids [256]int32, err error) {
	for b := range ids {
		name := string(symbolOf[b])
		if characters {
			name = fmt.Sprintf(fallbackForm, b)
		}
		id, ok := f.Model.Vocab[name]
		if !ok {
			return ids, fmt.Errorf("the vocabulary lacks the byte %#02x", b)
		}
		ids[b] = id
	}
	return ids, nil
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

// add puts the added tokens into the vocabulary, of which they may be part already.
func (f *file) add(v *vocabulary) error {
	for _, a := range f.AddedTokens {
		if a.Content == "" || a.SingleWord || a.LStrip || a.RStrip || a.Normalized {
			return fmt.Errorf("added token %q is not a plain one", a.Content)
		}
		if a.ID < 0 || int(a.ID) > len(v.pieces)+1000 {
			return fmt.Errorf("added token %q has id %d, far behind the vocabulary of %d", a.Content, a.ID, len(v.pieces))
		}
		for int(a.ID) >= len(v.pieces) {
			v.pieces = append(v.pieces, "")
		}
		if id, ok := f.Model.Vocab[a.Content]; ok && id != a.ID || !ok && v.pieces[a.ID] != "" {
			return fmt.Errorf("added token %q has id %d, which is another's", a.Content, a.ID)
		}
		if a.Special {
			v.pieces[a.ID] = a.Content
			v.special[a.Content] = a.ID
			continue
		}
		if v.pieces[a.ID] == "" {
			v.pieces[a.ID] = a.Content
		}
		v.inText.add(a.Content, a.ID)
	}
	return nil
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
	words, ok := t.splitter.(*barrier)
	if !ok {
		return nil, fmt.Errorf("only the form that Train makes can be written")
	}
	s := splitStep{Type: "Split", Behavior: "Isolated"}
	s.Pattern.Regex = words.pattern()
	level := byteLevel{Type: "ByteLevel", TrimOffsets: true}
	f := &file{
		Version:     "1.0",
		AddedTokens: []addedToken{},
		Model:       model{Type: "BPE", IgnoreMerges: true, Vocab: map[string]int32{}, Merges: []mergeLine{}},
	}
	for to, step := range map[*json.RawMessage]any{&f.PreTokenizer: preTokenizer{"Sequence", []any{s, level}}, &f.Decoder: level} {
		var data bytes.Buffer
		if err := encoder(&data).Encode(step); err != nil {
			return nil, err
		}
		*to = data.Bytes()
	}
	for id, p := range t.pieces {
		if t.isSpecial(int32(id), p) {
			f.AddedTokens = append(f.AddedTokens, addedToken{ID: int32(id), Content: p, Special: true})
		} else {
			f.Model.Vocab[symbols(p)] = int32(id)
		}
	}
	for _, p := range t.ranked {
		f.Model.Merges = append(f.Model.Merges, mergeLine{symbols(t.pieces[p.left]), symbols(t.pieces[p.right])})
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
