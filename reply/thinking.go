package reply

import (
	"strings"
	"unicode"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// Thinking parts a reply into its thinking and the rest, which is what counts. Where the opening tag was part
// of the prompt, so that only </think> appears, all before it is thinking. A reply can think several times; the
// rest is then what stands outside. closed is false if the last thinking part never ends: the rest is then "".
func Thinking(text string) (thinking, rest string, closed bool) {
	inside := false
	from := 0 // where the part begins that is being read
	for start, end := nextTag(text, 0); start >= 0; start, end = nextTag(text, end) {
		opens := text[start:end] == thinkOpen
		part := text[from:start]
		switch {
		case opens && inside:
			continue // thinking about thinking
		case opens:
			rest = glue(rest, part)
		case inside:
			thinking = glue(thinking, part)
		default: // this thinking began before the reply did
			thinking, rest = glue(thinking, rest+part), ""
		}
		inside, from = opens, end
	}
	if inside {
		return glue(thinking, rest+text[from:]), "", false
	}
	return thinking, glue(rest, text[from:]), true
}

// nextTag returns where the first tag of thinking at or after from begins and ends, -1 if there is none.
func nextTag(text string, from int) (start, end int) {
	for i := from; ; i++ {
		n := strings.IndexByte(text[i:], '<')
		if n < 0 {
			return -1, -1
		}
		i += n
		for _, tag := range []string{thinkOpen, thinkClose} {
			if strings.HasPrefix(text[i:], tag) {
				return i, i + len(tag)
			}
		}
	}
}

// glue joins two parts of a text from between which something was cut, so that nothing new arises at the seam.
func glue(a, b string) string {
	if a == "" || b == "" || unicode.IsSpace(rune(a[len(a)-1])) || unicode.IsSpace(rune(b[0])) {
		return a + b
	}
	return a + "\n" + b
}

// counting returns the part of a reply that counts, "" if its thinking never ends.
func counting(text string) string {
	_, rest, _ := Thinking(text)
	return rest
}

// lastBetween returns what stands between the last closing tag and the opening tag before it.
func lastBetween(text, opening, closing string) (string, bool) {
	end := strings.LastIndex(text, closing)
	if end < 0 {
		return "", false
	}
	start := strings.LastIndex(text[:end], opening)
	if start < 0 {
		return "", false
	}
	return text[start+len(opening) : end], true
}
