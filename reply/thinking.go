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
	for text != "" {
		opening, closing := strings.Index(text, thinkOpen), strings.Index(text, thinkClose)
		switch {
		case opening < 0 && closing < 0:
			return thinking, glue(rest, text), true
		case closing < 0:
			return glue(thinking, rest+text[:opening]+text[opening+len(thinkOpen):]), "", false
		case opening < 0 || closing < opening:
			// The thinking that ends here began before the reply did, or was never opened.
			thinking, rest = glue(thinking, rest+text[:closing]), ""
		default:
			rest = glue(rest, text[:opening])
			thinking = glue(thinking, text[opening+len(thinkOpen):closing])
		}
		text = text[closing+len(thinkClose):]
	}
	return thinking, rest, true
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
