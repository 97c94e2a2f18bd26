package admit

import (
	"fmt"
	"strings"
	"unicode"

	"spade"
)

// Overlap is the measure of grounding: the number of different content words of passage that also occur in
// source. Content words have at least three letters and are not function words; they are compared in lower case
// and without the endings -s, -es, -ed and -ing. The words of a source are those of its names (cut at
// underscores and capitals) and of its string literals; comments do not count, as no agent sees them.
func Overlap(passage, source string) int {
	return overlap(contentWords(passage), withoutMain(lex(source)))
}

func overlap(passage map[string]bool, tokens []token) int {
	source := make(map[string]bool)
	for _, t := range tokens {
		if t.kind == nameToken && !pythonKeywords[t.text] {
			addWords(source, splitCapitals(t.text))
		} else if t.kind == stringToken {
			addWords(source, t.text)
		}
	}
	shared := 0
	for word := range passage {
		if source[word] {
			shared++
		}
	}
	return shared
}

// groundingReasons refuses an environment that has nothing to do with its passage.
//
// Catches: fewer shared content words (Overlap) than asked for; a passage with fewer content words than that has
// to be met in all of them. Costs: one pass over both texts. Cannot see: an environment that only mentions the
// words, or one that is about the matter in other words.
func groundingReasons(tokens []token, passage *spade.Passage, minimum int) []spade.Reason {
	if passage == nil || minimum <= 0 {
		return nil
	}
	words := contentWords(passage.Text)
	shared := overlap(words, tokens)
	if need := min(minimum, len(words)); shared < need {
		return []spade.Reason{{
			Code:   spade.OffTopic,
			Detail: fmt.Sprintf("it shares %d content words with its passage; at least %d are asked for", shared, need),
		}}
	}
	return nil
}

func contentWords(text string) map[string]bool {
	words := make(map[string]bool)
	addWords(words, text)
	return words
}

// addWords adds the stems of the content words of text to set.
func addWords(set map[string]bool, text string) {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), notLetter) {
		if len([]rune(word)) >= 3 && !functionWords[word] {
			set[stem(word)] = true
		}
	}
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
