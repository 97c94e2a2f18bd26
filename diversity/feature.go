package diversity

import (
	"hash/fnv"
	"strings"
	"unicode"
)

// view says of what a feature is one.
type view byte

const (
	noView view = iota // the one feature of an item without any other
	structureView
	objectiveView
)

// feature is one thing that environments may have in common: a shingle of tokens or a word, as its FNV-1a hash.
type feature struct {
	view view
	hash uint64
}

// occurrence is how often a feature occurs in an item.
type occurrence struct {
	feature
	count float64
}

// shingleLength is how many tokens of the normalised source make one feature of its structure.
const shingleLength = 4

// featuresOf returns the features of an item, each once, in the order in which they first occur. There is at least one.
func featuresOf(item Item) []occurrence {
	var list []occurrence
	at := make(map[feature]int)
	add := func(v view, hash uint64) {
		f := feature{v, hash}
		i, known := at[f]
		if !known {
			i = len(list)
			at[f] = i
			list = append(list, occurrence{feature: f})
		}
		list[i].count++
	}
	tokens := lex(item.Source)
	for _, hash := range shingles(normalTokens(tokens), shingleLength) {
		add(structureView, hash)
	}
	objective := item.Objective
	if objective == "" {
		objective = textsOf(tokens)
	}
	for _, word := range contentWords(objective) {
		add(objectiveView, hashOf(word))
	}
	if len(list) == 0 {
		add(noView, 0)
	}
	return list
}

// shingles hashes every length consecutive words; fewer words than that are one shingle.
func shingles(words []string, length int) []uint64 {
	if len(words) == 0 {
		return nil
	}
	var hashes []uint64
	for end := min(length, len(words)); end <= len(words); end++ {
		hashes = append(hashes, hashOf(words[max(0, end-length):end]...))
	}
	return hashes
}

func hashOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, word := range words {
		h.Write([]byte(word))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// textsOf joins what is between the quotes of a source's string literals, without the expressions in braces.
func textsOf(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.kind != textToken {
			continue
		}
		depth := 0
		for _, r := range inner(t.text) {
			switch {
			case r == '{':
				depth++
			case r == '}':
				depth = max(0, depth-1)
			case depth == 0:
				b.WriteRune(r)
			}
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// commonWords say nothing of what an environment is about.
var commonWords = words(`
	a about after again all an and any are as at be been before but by can could do does each every for from get gets
	give given has have how if in into is it its like may more most must name named no nor not now of off on once one only
	or other out over own per please say says should so some such take takes than that the their them then there these
	they this those through to too two three up use used was way were what when where which while who will with without
	would you your action boxed turn turns step steps move moves reply answer reset seed max environment game done true
	false none
`)

// contentWords returns the words of text in lower case, without common ones, numbers, single letters and a plural s.
func contentWords(text string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 1 && !commonWords[word] {
			if len(word) > 3 && !strings.HasSuffix(word, "ss") {
				word = strings.TrimSuffix(word, "s")
			}
			found = append(found, word)
		}
	}
	return found
}
