package diversity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says what a token of a Python source is.
type kind byte

const (
	nameToken kind = iota // names and keywords
	numberToken
	textToken // a string literal, prefix and quotes included
	markToken // one character of punctuation
	lineToken // the end of a logical line
)

// token is one token of a source, as written.
type token struct {
	kind kind
	text string
}

// lex cuts source into tokens. Comments, space and line ends inside brackets are left out, and a semicolon ends a line.
// Any text is taken: what is no Python becomes punctuation.
func lex(source string) []token {
	l := lexer{rest: source}
	for l.next() {
	}
	return l.tokens
}

type lexer struct {
	rest   string
	depth  int // of open brackets
	tokens []token
}

// next reads one token or skips what is none. It reports whether anything is left.
func (l *lexer) next() bool {
	if l.rest == "" {
		return false
	}
	r, size := utf8.DecodeRuneInString(l.rest)
	switch {
	case r == '\n' || r == ';':
		l.endLine()
		l.rest = l.rest[1:]
	case unicode.IsSpace(r) || r == '\\':
		l.rest = l.rest[size:]
		if r == '\\' {
			l.rest = strings.TrimPrefix(strings.TrimPrefix(l.rest, "\r"), "\n")
		}
	case r == '#':
		l.rest = l.rest[leading(l.rest, func(r rune) bool { return r != '\n' }):]
	case textLength(l.rest) > 0:
		l.take(textToken, textLength(l.rest))
	case unicode.IsDigit(r):
		l.take(numberToken, leading(l.rest, func(r rune) bool { return wordRune(r) || r == '.' }))
	case wordRune(r):
		l.take(nameToken, leading(l.rest, wordRune))
	default:
		l.depth = max(0, l.depth+bracket(r))
		l.take(markToken, size)
	}
	return true
}

func (l *lexer) take(k kind, length int) {
	l.tokens = append(l.tokens, token{k, l.rest[:length]})
	l.rest = l.rest[length:]
}

func (l *lexer) endLine() {
	if l.depth > 0 || len(l.tokens) == 0 {
		return
	}
	if l.tokens[len(l.tokens)-1].kind != lineToken {
		l.tokens = append(l.tokens, token{lineToken, "\n"})
	}
}

func bracket(r rune) int {
	switch r {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// leading is the length in bytes of the longest prefix whose runes are all in the class.
func leading(text string, class func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !class(r) }); end >= 0 {
		return end
	}
	return len(text)
}

// textLength is the length of the string literal with which text begins, prefix and quotes included, 0 if there is
// none. A literal that is never closed ends with its line, or with the source if its quotes are triple.
func textLength(text string) int {
	start := 0
	for start < 3 && start < len(text) && strings.IndexByte("rRbBuUfFtT", text[start]) >= 0 {
		start++
	}
	if start == len(text) || (text[start] != '"' && text[start] != '\'') {
		return 0
	}
	quote := text[start : start+1]
	triple := strings.HasPrefix(text[start:], strings.Repeat(quote, 3))
	if triple {
		quote = text[start : start+3]
	}
	for i := start + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '\n' && !triple:
			return i
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}

// inner is what stands between the quotes of a string literal.
func inner(literal string) string {
	literal = strings.TrimLeft(literal, "rRbBuUfFtT")
	for _, quote := range []string{`"""`, `'''`, `"`, `'`} {
		if rest, ok := strings.CutPrefix(literal, quote); ok {
			return strings.TrimSuffix(rest, quote)
		}
	}
	return literal
}
