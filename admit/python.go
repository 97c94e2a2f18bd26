package admit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token of Python source is.
type tokenKind int

const (
	nameToken tokenKind = iota
	numberToken
	stringToken // text holds the literal's content, without prefix and quotes
	operatorToken
)

// token is one token of Python source. Comments, blank lines and layout are not tokens.
type token struct {
	kind tokenKind
	text string
	// first says that the token opens a logical line; indent is then that line's indentation in columns.
	first  bool
	indent int
}

// lexer reads Python source as far as static probes need it. It never fails: on broken source it returns what
// it can read, and the verdict on the syntax is Python's own.
type lexer struct {
	source string
	at     int
	depth  int // of brackets
	tokens []token
	start  bool // the next token opens a logical line
	indent int
}

// lex returns the tokens of source.
func lex(source string) []token {
	l := &lexer{source: source}
	l.newLine()
	for l.at < len(l.source) {
		l.next()
	}
	return l.tokens
}

// newLine measures the indentation of the line that begins here.
func (l *lexer) newLine() {
	l.start, l.indent = true, 0
	for l.at < len(l.source) {
		switch l.source[l.at] {
		case ' ':
			l.indent++
		case '\t':
			l.indent += 8 - l.indent%8
		default:
			return
		}
		l.at++
	}
}

func (l *lexer) emit(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, first: l.start, indent: l.indent})
	l.start = false
}

func (l *lexer) next() {
	rest := l.source[l.at:]
	c := rest[0]
	switch {
	case c == '\n':
		l.at++
		if l.depth == 0 {
			l.newLine()
		}
	case c == '\\' && strings.HasPrefix(rest[1:], "\n"):
		l.at += 2
	case c == '#':
		l.at += lineEnd(rest)
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\\':
		l.at++
	case c >= '0' && c <= '9':
		l.take(numberToken, spanWhile(rest, func(r rune) bool { return isNameRune(r) || r == '.' }))
	case c == '"' || c == '\'':
		l.literal("", 0)
	default:
		l.nameOrOperator(rest)
	}
}

func (l *lexer) take(kind tokenKind, length int) {
	text := l.source[l.at : l.at+length]
	l.at += length
	l.emit(kind, text)
}

func (l *lexer) nameOrOperator(rest string) {
	length := spanWhile(rest, isNameRune)
	if length == 0 {
		_, size := utf8.DecodeRuneInString(rest)
		switch rest[0] {
		case '(', '[', '{':
			l.depth++
		case ')', ']', '}':
			l.depth = max(0, l.depth-1)
		}
		l.take(operatorToken, size)
		return
	}
	quoted := length < len(rest) && (rest[length] == '"' || rest[length] == '\'')
	if prefix := strings.ToLower(rest[:length]); quoted && length <= 2 && strings.Trim(prefix, "rbfu") == "" {
		l.literal(prefix, length)
		return
	}
	l.take(nameToken, length)
}

// literal reads a string literal whose prefix of the given length stands at l.at.
func (l *lexer) literal(prefix string, length int) {
	body := l.source[l.at+length:]
	quote := body[:1]
	if strings.HasPrefix(body, strings.Repeat(quote, 3)) {
		quote = body[:3]
	}
	content, size := stringBody(body[len(quote):], quote)
	l.at += length + len(quote) + size
	if !strings.Contains(prefix, "f") {
		l.emit(stringToken, content)
		return
	}
	l.formatted(content)
}

// stringBody returns the content of a literal up to its closing quote, and how much of text it takes with it.
// An unclosed literal ends with its line, a triple-quoted one with the source.
func stringBody(text, quote string) (content string, size int) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return text[:i], i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return text[:i], i
		}
	}
	return text, len(text)
}

// formatted emits a formatted literal: its text as a string, then the tokens of the expressions in it.
func (l *lexer) formatted(content string) {
	var text strings.Builder
	var inner []token
	for i := 0; i < len(content); {
		switch {
		case strings.HasPrefix(content[i:], "{{"), strings.HasPrefix(content[i:], "}}"):
			text.WriteByte(content[i])
			i += 2
		case content[i] == '{':
			end := i + expressionEnd(content[i:])
			inner = append(inner, lex(content[i+1:end])...)
			text.WriteString("{}")
			i = min(end+1, len(content))
		default:
			text.WriteByte(content[i])
			i++
		}
	}
	l.emit(stringToken, text.String())
	for _, t := range inner {
		t.first = false
		l.tokens = append(l.tokens, t)
	}
}

// expressionEnd returns the offset of the brace that closes the one at the start of text.
func expressionEnd(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// spanWhile returns the length in bytes of the longest prefix of text whose runes all satisfy ok.
func spanWhile(text string, ok func(rune) bool) int {
	for i, r := range text {
		if !ok(r) {
			return i
		}
	}
	return len(text)
}

func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// withoutMain drops the block under a top-level `if __name__ == …`: it never runs here.
func withoutMain(tokens []token) []token {
	var kept []token
	skipping := false
	for i, t := range tokens {
		if t.first && t.indent == 0 {
			skipping = t.text == "if" && i+1 < len(tokens) && tokens[i+1].text == "__name__"
		}
		if !skipping {
			kept = append(kept, t)
		}
	}
	return kept
}
