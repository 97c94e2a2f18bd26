package token

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

const (
	// metaspace stands for a space in vocabularies over characters.
	metaspace = "▁"
	// fallbackForm is how such vocabularies write a byte.
	fallbackForm = "<0x%02X>"
)

// fallbackByte returns the byte that a token of such a vocabulary stands for.
func fallbackByte(text string) (byte, bool) {
	digits, found := strings.CutPrefix(text, "<0x")
	if !found || len(text) != len("<0x00>") || !strings.HasSuffix(text, ">") {
		return 0, false
	}
	b, err := strconv.ParseUint(digits[:2], 16, 8)
	return byte(b), err == nil
}

// step is any step of a file: normalizer, pre-tokenizer or decoder.
type step struct {
	Type    string `json:"type"`
	Pattern struct {
		Regex  string
		String string
	} `json:"pattern"`
	Content        string `json:"content"`
	Behavior       string `json:"behavior"`
	Invert         bool   `json:"invert"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	UseRegex       bool   `json:"use_regex"`
	Pretokenizers  []step `json:"pretokenizers"`
	Decoders       []step `json:"decoders"`
}

// form returns how text is taken apart, if every step of the file is one that we take.
func (f *file) form() (form, error) {
	for _, s := range []struct {
		name  string
		value any
	}{
		{"truncation", f.Truncation}, {"padding", f.Padding}, {"dropout", f.Model.Dropout},
		{"continuing_subword_prefix", f.Model.ContinuingSubwordPrefix}, {"end_of_word_suffix", f.Model.EndOfWordSuffix},
	} {
		if s.value != nil && s.value != "" {
			return form{}, fmt.Errorf("%s is not supported", s.name)
		}
	}
	if f.Model.Type != "BPE" {
		return form{}, fmt.Errorf("the model is %q, not BPE", f.Model.Type)
	}
	var normalizer, cut, decoder step
	for _, s := range []struct {
		name string
		from json.RawMessage
		to   *step
	}{{"normalizer", f.Normalizer, &normalizer}, {"pre_tokenizer", f.PreTokenizer, &cut}, {"decoder", f.Decoder, &decoder}} {
		if len(s.from) == 0 {
			continue
		}
		if err := json.Unmarshal(s.from, s.to); err != nil {
			return form{}, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if f.Model.ByteFallback {
		return characterForm(normalizer, cut, decoder, f.Model.IgnoreMerges)
	}
	return byteForm(normalizer, cut, decoder, f.Model.IgnoreMerges)
}

// characterForm is Gemma 3's: spaces are written as metaspace, and then nothing is left to cut at.
func characterForm(normalizer, cut, decoder step, whole bool) (form, error) {
	if normalizer.Type != "Replace" || normalizer.Pattern.String != " " || normalizer.Content != metaspace {
		return form{}, fmt.Errorf("the normalizer is not a Replace of spaces by %s", metaspace)
	}
	if cut.Type != "" && (cut.Type != "Split" || cut.Pattern.String != " ") {
		return form{}, fmt.Errorf("the pre_tokenizer is not a Split at spaces")
	}
	if d := decoder.Decoders; decoder.Type != "Sequence" || len(d) != 3 || d[0].Type != "Replace" || d[0].Pattern.String != metaspace ||
		d[0].Content != " " || d[1].Type != "ByteFallback" || d[2].Type != "Fuse" {
		return form{}, fmt.Errorf("the decoder is not a Sequence of Replace, ByteFallback and Fuse")
	}
	return form{characters: true, splitter: uncut{}, whole: whole}, nil
}

// byteForm is that of byte-level BPE behind a regular expression.
func byteForm(normalizer, cut, decoder step, whole bool) (form, error) {
	out := form{whole: whole, composed: normalizer.Type == "NFC"}
	if !out.composed && normalizer.Type != "" {
		return form{}, fmt.Errorf("the normalizer %s is not supported", normalizer.Type)
	}
	if cut.Type != "Sequence" || len(cut.Pretokenizers) != 2 {
		return form{}, fmt.Errorf("pre_tokenizer is not a Sequence of Split and ByteLevel")
	}
	// Where the expression matches everything, keeping the matches and isolating them are the same.
	split, level := cut.Pretokenizers[0], cut.Pretokenizers[1]
	kept := split.Behavior == "Isolated" && !split.Invert || split.Behavior == "Removed" && split.Invert
	if split.Type != "Split" || !kept {
		return form{}, fmt.Errorf("the first pre_tokenizer is not an isolating Split")
	}
	if level.Type != "ByteLevel" || level.AddPrefixSpace || level.UseRegex || decoder.Type != "ByteLevel" {
		return form{}, fmt.Errorf("the second pre_tokenizer and the decoder are not plain ByteLevel")
	}
	var err error
	if strings.Contains(split.Pattern.Regex, noneBefore) {
		out.splitter, err = readBarrier(split.Pattern.Regex)
	} else {
		out.splitter, err = newPattern(split.Pattern.Regex)
	}
	return out, err
}
