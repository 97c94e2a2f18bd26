package token

import (
	"fmt"
	"sync"
)

// Tokenizer maps text to ids in [0, Size) and back. It does not change once made, and is safe for concurrent
// use.
type Tokenizer struct {
	barrier *barrier
	// pieces[id] is the raw bytes of a token of the vocabulary, or the name of a special one.
	pieces   []string
	ids      map[string]int32
	bytes    [256]int32
	merges   map[pair]merge
	ranked   []pair // the merge list, by rank
	firstOwn int32  // ids from here on are special
	special  map[string]int32

	mu    sync.RWMutex
	cache map[string][]int32
}

// Pieces longer than cachedLength bytes are encoded afresh each time, and no more than cachedPieces are kept,
// so that odd input cannot fill memory. What the embedded model reads and writes stays far below both.
const (
	cachedLength = 256
	cachedPieces = 1 << 14
)

// newTokenizer checks a vocabulary and indexes it. pieces are raw bytes by id; special names take the ids
// after them.
func newTokenizer(words *barrier, pieces []string, ranked []pair, special []string) (*Tokenizer, error) {
	t := &Tokenizer{
		barrier: words, ranked: ranked,
		pieces: append(pieces[:len(pieces):len(pieces)], special...),
		ids:    make(map[string]int32, len(pieces)), merges: make(map[pair]merge, len(ranked)),
		firstOwn: int32(len(pieces)), special: make(map[string]int32, len(special)),
		cache: map[string][]int32{},
	}
	for id, p := range pieces {
		if _, twice := t.ids[p]; twice {
			return nil, fmt.Errorf("token %q is in the vocabulary twice", p)
		}
		t.ids[p] = int32(id)
	}
	for b := range 256 {
		id, ok := t.ids[string([]byte{byte(b)})]
		if !ok {
			return nil, fmt.Errorf("the vocabulary lacks the byte %#02x", b)
		}
		t.bytes[b] = id
	}
	for rank, p := range ranked {
		id, ok := t.ids[pieces[p.left]+pieces[p.right]]
		if !ok {
			return nil, fmt.Errorf("merge %d makes %q, which the vocabulary lacks", rank, pieces[p.left]+pieces[p.right])
		}
		if _, twice := t.merges[p]; twice {
			return nil, fmt.Errorf("merge %d is in the list twice", rank)
		}
		t.merges[p] = merge{rank, id}
	}
	for i, name := range special {
		if _, twice := t.special[name]; twice || name == "" {
			return nil, fmt.Errorf("special token %q is empty or named twice", name)
		}
		t.special[name] = t.firstOwn + int32(i)
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

// Piece returns what id stands for: the bytes of an ordinary token, which need not be valid UTF-8, or the name
// of a special one. It panics if id is outside [0, Size).
func (t *Tokenizer) Piece(id int32) string { return t.pieces[id] }

// Encode returns the ids of text, which may be any bytes. It never yields the id of a special token.
func (t *Tokenizer) Encode(text string) []int32 {
	ids := make([]int32, 0, len(text)/3+1)
	t.barrier.split(text, func(piece string) { ids = t.appendPiece(ids, piece) })
	return ids
}

// Decode returns the bytes that ids stand for. Special ids stand for nothing; an id outside [0, Size) panics.
func (t *Tokenizer) Decode(ids []int32) string {
	var out []byte
	for _, id := range ids {
		if id < t.firstOwn {
			out = append(out, t.pieces[id]...)
		}
	}
	return string(out)
}

func (t *Tokenizer) appendPiece(ids []int32, piece string) []int32 {
	if id, ok := t.ids[piece]; ok {
		return append(ids, id)
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
	ids := make([]int32, len(piece))
	for i := range len(piece) {
		ids[i] = t.bytes[piece[i]]
	}
	return applyMerges(ids, t.merges)
}
