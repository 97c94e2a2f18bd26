package token

import (
	"fmt"
	"regexp"
	"strings"
)

// The file says "no ASCII letter, digit or underscore beside the word" with lookarounds, because \b means
// Unicode words to the engine of the tokenizers library.
const (
	noneBefore = `(?<![0-9A-Za-z_])`
	noneAfter  = `(?![0-9A-Za-z_])`
)

// barrier cuts text at barrier words. Both kinds of word start where a run of ASCII letters, digits and
// underscores starts, and take one space before it along; a word is a whole run, a stem the beginning of one.
type barrier struct {
	words, stems []string
	isWord       map[string]bool
}

var plainWord = regexp.MustCompile(`^[0-9A-Za-z]+$`)

func newBarrier(words, stems []string) (*barrier, error) {
	b := &barrier{words: words, stems: stems, isWord: map[string]bool{}}
	for _, list := range [][]string{words, stems} {
		if len(list) == 0 {
			return nil, fmt.Errorf("there are no barrier words or no stems")
		}
		for _, w := range list {
			if !plainWord.MatchString(w) {
				return nil, fmt.Errorf("barrier word %q is not of ASCII letters and digits only", w)
			}
		}
	}
	for _, w := range words {
		b.isWord[w] = true
	}
	return b, nil
}

// pattern is the regular expression of the file, which matches the barrier words.
func (b *barrier) pattern() string {
	return " ?" + noneBefore + "(?:(?:" + strings.Join(b.words, "|") + ")" + noneAfter + "|" + strings.Join(b.stems, "|") + ")"
}

var patternForm = regexp.MustCompile(`\(\?:\(\?:([^()]*)\)[^|]*\|([^()]*)\)$`)

// readBarrier is the inverse of pattern. It refuses expressions of another form.
func readBarrier(pattern string) (*barrier, error) {
	parts := patternForm.FindStringSubmatch(pattern)
	if parts == nil {
		return nil, fmt.Errorf("the split pattern is not a list of barrier words")
	}
	b, err := newBarrier(strings.Split(parts[1], "|"), strings.Split(parts[2], "|"))
	if err != nil {
		return nil, fmt.Errorf("the split pattern: %w", err)
	}
	if b.pattern() != pattern {
		return nil, fmt.Errorf("the split pattern is not a list of barrier words")
	}
	return b, nil
}

func inRun(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// split calls yield for the pieces of text, in order: each barrier word, and each gap between two.
func (b *barrier) split(text string, yield func(piece string)) {
	done := 0
	for i := 0; i < len(text); {
		if !inRun(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && inRun(text[i]) {
			i++
		}
		n := b.match(text[start:i])
		if n == 0 {
			continue
		}
		end := start + n
		if start > done && text[start-1] == ' ' {
			start--
		}
		if start > done {
			yield(text[done:start])
		}
		yield(text[start:end])
		done = end
	}
	if done < len(text) {
		yield(text[done:])
	}
}

// match returns the length of the barrier word at the beginning of a run, 0 if there is none.
func (b *barrier) match(run string) int {
	if b.isWord[run] {
		return len(run)
	}
	for _, s := range b.stems {
		if strings.HasPrefix(run, s) {
			return len(s)
		}
	}
	return 0
}
