package admit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"spade"
)

// Grounding is how much of its passage an environment takes up: how many content words they share. Content words have at
// least three letters and are not function words; they are compared in lower case and without the endings -s, -es, -ed
// and -ing. The words of a source are those of its names (cut at underscores and capitals) and of its string literals;
// comments do not count, as no agent sees them.
type Grounding struct {
	// Shared are the different content words of the passage that also occur in the source, as the passage first writes
	// them and in its order.
	Shared []string `json:"shared"`
	// Words is the number of different content words of the passage.
	Words int `json:"words"`
	// Least is how many have to be shared: Config.MinOverlap, or all where the passage has fewer.
	Least int `json:"least"`
}

// measureGrounding returns nil where there is no passage.
func measureGrounding(tokens []token, passage *spade.Passage, minimum int) *Grounding {
	if passage == nil {
		return nil
	}
	source := make(map[string]bool)
	for _, t := range tokens {
		if t.kind == nameToken && !pythonKeywords[t.text] {
			for _, word := range contentWords(splitCapitals(t.text)) {
				source[word.stem] = true
			}
		} else if t.kind == stringToken {
			for _, word := range contentWords(t.text) {
				source[word.stem] = true
			}
		}
	}
	g := &Grounding{Shared: []string{}}
	counted := make(map[string]bool)
	for _, word := range contentWords(passage.Text) {
		if counted[word.stem] {
			continue
		}
		counted[word.stem] = true
		if g.Words++; source[word.stem] {
			g.Shared = append(g.Shared, word.text)
		}
	}
	g.Least = min(minimum, g.Words)
	return g
}

// reasons refuses an environment that has nothing to do with its passage.
//
// Catches: fewer shared content words than asked for. Costs: one pass over both texts. Cannot see: an environment that
// only mentions the words, or one that is about the matter in other words.
func (g *Grounding) reasons() []spade.Reason {
	if g == nil || len(g.Shared) >= g.Least {
		return nil
	}
	return []spade.Reason{{
		Code: spade.OffTopic,
		Detail: fmt.Sprintf("it shares %d of the %d content words of its passage; at least %d are asked for",
			len(g.Shared), g.Words, g.Least),
	}}
}

// contentWord is a word in lower case and what is compared of it.
type contentWord struct{ text, stem string }

// contentWords returns the content words of text in their order, as often as they occur.
func contentWords(text string) []contentWord {
	var words []contentWord
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), notLetter) {
		if utf8.RuneCountInString(word) >= 3 && !functionWords[word] {
			words = append(words, contentWord{word, stem(word)})
		}
	}
	return words
}

// stem cuts the commonest English endings off a word, leaving at least three letters.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 3 {
			return strings.TrimSuffix(rest, "e")
		}
	}
	if rest, ok := strings.CutSuffix(word, "e"); ok && len(rest) >= 3 {
		return rest
	}
	return word
}

// splitCapitals puts a space before each capital that follows a small letter: CraneDeskEnv is three words.
func splitCapitals(name string) string {
	var split strings.Builder
	previous := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			split.WriteByte(' ')
		}
		split.WriteRune(r)
		previous = r
	}
	return split.String()
}

// functionWords carry no topic; the words of the environment contract carry none here either.
var functionWords = wordSet(`the and for are was were been being has have had having does did doing but not nor
	with without from into onto upon over under about above below between through during before after again then
	than that this these those there here where when while who whom whose which what why how all any both each few
	more most other others some such only own same too very can could may might must shall should will would its it
	his her hers him our ours their theirs them they you your yours she out off down also one two three four five
	six seven eight nine ten because until once ever never always often if so as at by in of on or to up use used
	using make made makes get gets take takes taken give given gives put puts set let lets first last next many much
	env self reset step seed random action reward observation state turn turns max info done str int len range list
	dict return none true false class def import`)
