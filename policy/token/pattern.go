package token

import (
	"fmt"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// pattern cuts text at the matches of a regular expression: every match is a piece, and every gap between two.
type pattern struct{ expression *regexp2.Regexp }

func newPattern(source string) (*pattern, error) {
	e, err := regexp2.Compile(source, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("the split pattern: %w", err)
	}
	return &pattern{e}, nil
}

func (p *pattern) split(text string, yield func(piece string)) {
	// The library counts in characters and replaces what is no UTF-8; pieces are cut out of the text itself.
	at, rune := 0, 0
	advance := func(to int) int {
		for ; rune < to; rune++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		return at
	}
	done := 0
	match, err := p.expression.FindStringMatch(text)
	for ; err == nil && match != nil; match, err = p.expression.FindNextMatch(match) {
		start := advance(match.Index)
		end := advance(match.Index + match.Length)
		if start > done {
			yield(text[done:start])
		}
		if end > start {
			yield(text[start:end])
		}
		done = end
	}
	if done < len(text) {
		yield(text[done:])
	}
}
