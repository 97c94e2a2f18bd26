package library

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

var lowerWord = regexp.MustCompile(`[a-z]+`)

// retell returns a passage that asks for the same mechanic in other words, with its topic: the verbs of the
// theme change places, and half of the time they and the object become those of another theme.
func retell(r *rand.Rand, text, topic string) (string, string) {
	from, ok := ThemeOf(topic)
	if !ok {
		return text, topic
	}
	to := from
	if r.IntN(2) == 0 {
		open := themesFor(false)
		to = open[r.IntN(len(open))]
	}
	replace := map[string]string{from.Object: to.Object}
	for i, j := range r.Perm(len(from.Words)) {
		replace[from.Words[i]] = to.Words[j]
	}
	said := 0
	told := lowerWord.ReplaceAllStringFunc(text, func(w string) string {
		if other, ok := replace[w]; ok {
			said++
			return other
		}
		return w
	})
	if said < len(replace) {
		return text, topic // it spells a word otherwise, so the retelling would lack one
	}
	return articles.Replace(told), to.Topic
}

// articles mends what a new object breaks.
var articles = strings.NewReplacer(articlePairs()...)

func articlePairs() []string {
	var pairs []string
	for _, t := range themes {
		if strings.ContainsRune("aeiou", rune(t.Object[0])) {
			pairs = append(pairs, " a "+t.Object, " an "+t.Object)
		} else {
			pairs = append(pairs, " an "+t.Object, " a "+t.Object)
		}
	}
	return pairs
}
