package token

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tokenizer maps text to ids in [0, Size) and back. It does not change once made, and is safe for concurrent
// use.
type Tokenizer struct {
	vocabulary
	ids    map[string]int32
	merges map[pair]merge

	mu    sync.RWMutex
	cache map[string][]int32
}

// vocabulary is what a tokenizer is made of.
type vocabulary struct {
	form
	// pieces[id] is the raw bytes that a token stands for, the name of a special one, or "" where no token has the id.
	pieces []string
	// bytes are the ids of the single bytes.
	bytes  [256]int32
	ranked []pair // the merge list, by rank
	// special are the ids of the special tokens by name; inText those of the added tokens that text is searched for.
	special map[string]int32
	inText  marks
}

// form is how text is taken apart before merges apply.
type form struct {
	// composed text is in Unicode's NFC.
	composed bool
	splitter splitter
	// characters are what merges begin with, bytes standing in for those that the vocabulary lacks; else all begin with
	// bytes.
	characters bool
	// whole pieces that the vocabulary holds are one token, whatever the merges.
	whole bool
}

// splitter cuts text into the pieces that are encoded on their own, in order and without a gap.
type splitter interface {
	split(text string, yield func(piece string))
}

// uncut leaves text in one piece.
type uncut struct{}

func (uncut) split(text string, yield func(piece string)) { yield(text) }

// Pieces longer than cachedLength bytes are encoded afresh each time, and no more than cachedPieces are kept,
// so that odd input cannot fill memory. What the embedded model reads and writes stays far below both.
const (
	cachedLength = 256
	cachedPieces = 1 << 14
)

// newTokenizer checks a vocabulary and indexes it.
func newTokenizer(v vocabulary) (*Tokenizer, error) {
	t := &Tokenizer{vocabulary: v, ids: make(map[string]int32, len(v.pieces)), merges: make(map[pair]merge, len(v.ranked)),
		cache: map[string][]int32{}}
	control := map[int32]bool{}
	for name, id := range v.special {
		if name == "" {
			return nil, fmt.Errorf("a special token has no name")
		}
		control[id] = true
	}
	fallback := map[int32]bool{}
	if v.characters { // where the byte 0x41 is a token besides the letter A
		for _, id := range v.bytes {
			fallback[id] = true
		}
	}
	for id, p := range v.pieces {
		if p == "" || control[int32(id)] || fallback[int32(id)] {
			continue
		}
		if _, twice := t.ids[p]; twice {
			return nil, fmt.Errorf("token %q is in the vocabulary twice", p)
		}
		t.ids[p] = int32(id)
	}
	for rank, p := range v.ranked {
		id, ok := t.ids[v.pieces[p.left]+v.pieces[p.right]]
		if !ok {
			return nil, fmt.Errorf("merge %d makes %q, which the vocabulary lacks", rank, v.pieces[p.left]+v.pieces[p.right])
		}
		if _, twice := t.merges[p]; twice {
			return nil, fmt.Errorf("merge %d is in the list twice", rank)
		}
		t.merges[p] = merge{rank, id}
	}
	return t, nil
}

// Size is the number of ids, special ones included.
func (t *Tokenizer) Size() int { return len(t.pieces) }

// Special returns the id of the special token of that name, for example "<|code|>".
func (t *Tokenizer) Special(name string) (int32, bool) {
	id, ok := t.special[name]
	return id, ok
}

// Piece returns what id stands for: the bytes of an ordinary token, which need not be valid UTF-8, the name
// of a special one, or "" where the vocabulary has a hole. It panics if id is outside [0, Size).
func (t *Tokenizer) Piece(id int32) string { return t.pieces[id] }

// Encode returns the ids of text, which may be any bytes. It never yields the id of a special token; added tokens that
// are not special, as Qwen3's <think>, it does.
func (t *Tokenizer) Encode(text string) []int32 {
	ids := make([]int32, 0, len(text)/3+1)
	t.inText.cut(text, func(plain string) { ids = t.appendText(ids, plain) }, func(id int32) { ids = append(ids, id) })
	return ids
}

// appendText encodes text that holds no added token.
func (t *Tokenizer) appendText(ids []int32, text string) []int32 {
	if t.composed {
		text = norm.NFC.String(text)
	}
	if t.characters {
		text = strings.ReplaceAll(text, metaspace, " ")
	}
	t.splitter.split(text, func(piece string) { ids = t.appendPiece(ids, piece) })
	return ids
}

// Decode returns the bytes that ids stand for. Special ids stand for nothing; an id outside [0, Size) panics.
func (t *Tokenizer) Decode(ids []int32) string {
	var out []byte
	for _, id := range ids {
		if p := t.pieces[id]; !t.isSpecial(id, p) {
			out = append(out, p...)
		}
	}
	return string(out)
}

func (t *Tokenizer) isSpecial(id int32, piece string) bool {
	special, ok := t.special[piece]
	return ok && special == id
}

func (t *Tokenizer) appendPiece(ids []int32, piece string) []int32 {
	if t.whole {
		if id, ok := t.ids[piece]; ok {
			return append(ids, id)
		}
	}
	if len(piece) > cachedLength {
		return append(ids, t.encodePiece(piece)...)
	}
	t.mu.RLock()
	known, ok := t.cache[piece]
	t.mu.RUnlock()
	if !ok {
		known = t.encodePiece(piece)
		t.mu.Lock()
		if len(t.cache) < cachedPieces {
			t.cache[piece] = known
		}
		t.mu.Unlock()
	}
	return append(ids, known...)
}

func (t *Tokenizer) encodePiece(piece string) []int32 {
	return applyMerges(t.initial(piece), t.merges)
}

// initial returns the ids with which merging begins.
func (t *Tokenizer) initial(piece string) []int32 {
	ids := make([]int32, 0, len(piece))
	for i := 0; i < len(piece); {
		size := 1
		if t.characters {
			_, size = utf8.DecodeRuneInString(piece[i:])
			if id, ok := t.ids[piece[i:i+size]]; ok {
				ids = append(ids, id)
				i += size
				continue
			}
		}
		for range size {
			ids = append(ids, t.bytes[piece[i]])
			i++
		}
	}
	return ids
}
