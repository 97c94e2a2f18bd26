package token

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// TrainConfig says what a tokenizer is to hold.
type TrainConfig struct {
	// Size is the number of ids wanted, special ones included; fewer come out if the texts give no more merges.
	Size int
	// Words are the barrier words, at least one, of ASCII letters and digits: each is one token, and another one with a
	// space before it, wherever no ASCII letter, digit or underscore adjoins it.
	Words []string
	// Stems, at least one, are barrier words too, but anything may follow them: "Crane" in "CraneEnv".
	Stems []string
	// Special are the names of the special tokens; they get the last ids, in this order.
	Special []string
	// MaxPiece bounds the length of a merged token, in bytes.
	MaxPiece int
}

// Train learns a tokenizer from texts: ids 0-255 are the bytes, then come the barrier words, then merges of
// the most frequent neighbours, then the special tokens. Equal texts and configurations give equal tokenizers.
func Train(texts []string, c TrainConfig) (*Tokenizer, error) {
	words, err := newBarrier(c.Words, c.Stems)
	if err != nil {
		return nil, fmt.Errorf("train tokenizer: %w", err)
	}
	if sorted := slices.Sorted(slices.Values(c.Special)); len(slices.Compact(sorted)) != len(c.Special) {
		return nil, fmt.Errorf("train tokenizer: a special token is named twice")
	}
	tr := newTrainer(c)
	if tr.want < len(tr.pieces) {
		return nil, fmt.Errorf("train tokenizer: bytes, words and special tokens are %d, more than the size %d",
			len(tr.pieces)+len(c.Special), c.Size)
	}
	tr.count(texts, words)
	for len(tr.pieces) < tr.want {
		best, ok := tr.best()
		if !ok {
			break
		}
		tr.merge(best)
	}
	t, err := newTokenizer(tr.vocabulary(words, c.Special))
	if err != nil {
		return nil, fmt.Errorf("train tokenizer: %w", err)
	}
	return t, nil
}

// vocabulary is what was learnt, with the special tokens behind it.
func (tr *trainer) vocabulary(words *barrier, special []string) vocabulary {
	v := vocabulary{form: form{splitter: words, whole: true}, pieces: tr.pieces, ranked: tr.ranked, special: map[string]int32{}}
	for b := range v.bytes {
		v.bytes[b] = int32(b)
	}
	for _, name := range special {
		v.special[name] = int32(len(v.pieces))
		v.pieces = append(v.pieces, name)
	}
	return v
}

// trainer holds the pieces of the texts as they are merged.
type trainer struct {
	maxPiece int
	want     int // tokens without the special ones
	pieces   []string
	ids      map[string]int32
	ranked   []pair
	words    []word
	counts   map[pair]int          // how often neighbours occur
	where    map[pair]map[int]bool // words that hold or once held them
}

// word is a distinct piece of text.
type word struct {
	ids   []int32
	count int
}

func newTrainer(c TrainConfig) *trainer {
	tr := &trainer{
		maxPiece: c.MaxPiece, want: c.Size - len(c.Special),
		ids: map[string]int32{}, counts: map[pair]int{}, where: map[pair]map[int]bool{},
	}
	for b := range 256 {
		tr.add(string([]byte{byte(b)}))
	}
	for _, list := range [][]string{c.Words, c.Stems} {
		for _, w := range list {
			tr.add(w)
			tr.add(" " + w)
		}
	}
	return tr
}

// add gives piece an id unless it has one.
func (tr *trainer) add(piece string) int32 {
	id, ok := tr.ids[piece]
	if !ok {
		id = int32(len(tr.pieces))
		tr.ids[piece] = id
		tr.pieces = append(tr.pieces, piece)
	}
	return id
}

// count splits texts into words and counts the neighbours in them.
func (tr *trainer) count(texts []string, words *barrier) {
	seen := map[string]int{}
	for _, text := range texts {
		words.split(text, func(piece string) {
			if _, whole := tr.ids[piece]; !whole {
				seen[piece]++
			}
		})
	}
	for _, piece := range slices.Sorted(maps.Keys(seen)) {
		ids := make([]int32, len(piece))
		for i := range ids {
			ids[i] = int32(piece[i])
		}
		tr.words = append(tr.words, word{ids, seen[piece]})
		tr.tally(len(tr.words)-1, 1)
	}
}

// tally adds the neighbours in word w to the counts, or takes them out if sign is -1.
func (tr *trainer) tally(w, sign int) {
	ids := tr.words[w].ids
	for i := 1; i < len(ids); i++ {
		p := pair{ids[i-1], ids[i]}
		tr.counts[p] += sign * tr.words[w].count
		if tr.counts[p] == 0 {
			delete(tr.counts, p)
		}
		if sign > 0 {
			if tr.where[p] == nil {
				tr.where[p] = map[int]bool{}
			}
			tr.where[p][w] = true
		}
	}
}

// best returns the most frequent neighbours that may be merged, of equally frequent ones those of lowest ids.
// Neighbours that occur once are not worth a token, nor is a second way to make the same token.
func (tr *trainer) best() (best pair, ok bool) {
	most := 1
	for p, n := range tr.counts {
		if n < most || n == most && (!ok || !less(p, best)) || !tr.mayMerge(p) {
			continue
		}
		best, most, ok = p, n, true
	}
	return best, ok
}

func (tr *trainer) mayMerge(p pair) bool {
	made := tr.pieces[p.left] + tr.pieces[p.right]
	_, exists := tr.ids[made]
	return !exists && len(made) <= tr.maxPiece
}

func less(a, b pair) bool {
	return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.right, b.right)) < 0
}

// merge makes one token of the neighbours p wherever they stand.
func (tr *trainer) merge(p pair) {
	id := tr.add(tr.pieces[p.left] + tr.pieces[p.right])
	tr.ranked = append(tr.ranked, p)
	for w := range tr.where[p] {
		tr.tally(w, -1)
		ids := tr.words[w].ids
		out := ids[:0]
		for i := 0; i < len(ids); i++ {
			if i+1 < len(ids) && ids[i] == p.left && ids[i+1] == p.right {
				out = append(out, id)
				i++
			} else {
				out = append(out, ids[i])
			}
		}
		tr.words[w].ids = out
		tr.tally(w, 1)
	}
	delete(tr.where, p)
}
