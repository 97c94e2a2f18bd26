package token

import (
	"fmt"
	"regexp"
	"strings"
)

// The file says "no ASCII letter, digit or underscore beside the word" with lookarounds, because \b means
// Unicode words to the engine of the tokenizers library and ASCII words to Go's. Go's engine has no
// lookarounds, but beside an ASCII word character each of these two says exactly what its \b says.
const (
	noneBefore = `(?<![0-9A-Za-z_])`
	noneAfter  = `(?![0-9A-Za-z_])`
)

var boundaries = strings.NewReplacer(noneBefore, `\b`, noneAfter, `\b`)

var plainWord = regexp.MustCompile(`^[0-9A-Za-z]+$`)

// barrierPattern returns the expression, in the file's dialect, that matches every word and stem with an
// optional space before it.
func barrierPattern(words, stems []string) (string, error) {
	for _, list := range [][]string{words, stems} {
		for _, w := range list {
			if !plainWord.MatchString(w) {
				return "", fmt.Errorf("barrier word %q is not of ASCII letters and digits only", w)
			}
		}
	}
	var alternatives []string
	if len(words) > 0 {
		alternatives = append(alternatives, noneBefore+"(?:"+strings.Join(words, "|")+")"+noneAfter)
	}
	if len(stems) > 0 {
		alternatives = append(alternatives, noneBefore+"(?:"+strings.Join(stems, "|")+")")
	}
	if len(alternatives) == 0 {
		return "", fmt.Errorf("no barrier words")
	}
	return " ?(?:" + strings.Join(alternatives, "|") + ")", nil
}

// compileBarrier compiles an expression in the file's dialect. Constructs beyond Go's syntax are refused.
func compileBarrier(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(boundaries.Replace(pattern))
	if err != nil {
		return nil, fmt.Errorf("compile the split pattern: %w", err)
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("the split pattern matches the empty text")
	}
	return re, nil
}

// split calls yield for the pieces of text, in order: each match of the barrier, and each gap between two.
func split(barrier *regexp.Regexp, text string, yield func(piece string)) {
	end := 0
	for _, m := range barrier.FindAllStringIndex(text, -1) {
		if m[0] > end {
			yield(text[end:m[0]])
		}
		yield(text[m[0]:m[1]])
		end = m[1]
	}
	if end < len(text) {
		yield(text[end:])
	}
}
