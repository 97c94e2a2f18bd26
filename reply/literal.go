package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxDepth bounds how deep the values of a call may nest.
const maxDepth = 100

// literal reads the value that text begins with, in JSON or in the notation of Python (strings in single
// quotes, line ends in strings, True, False, None, a comma before a closing bracket), and returns it as JSON with the text after it.
// Order of keys and spelling of numbers are kept.
func literal(text string) (value json.RawMessage, rest string, ok bool) {
	r := literalReader{in: text}
	r.value(0)
	if r.failed || !json.Valid(r.out.Bytes()) {
		return nil, text, false
	}
	return r.out.Bytes(), r.in, true
}

// literalReader turns Python notation into JSON.
type literalReader struct {
	in     string
	out    bytes.Buffer
	failed bool
}

// take skips white space and then prefix, and reports whether prefix was there.
func (r *literalReader) take(prefix string) bool {
	r.in = strings.TrimLeft(r.in, " \t\r\n")
	rest, found := strings.CutPrefix(r.in, prefix)
	if found {
		r.in = rest
	}
	return found
}

func (r *literalReader) value(depth int) {
	switch {
	case depth > maxDepth:
		r.failed = true
	case r.take("{"):
		r.list(depth, "{", "}", r.member)
	case r.take("["):
		r.list(depth, "[", "]", r.value)
	case r.take(`"`):
		r.text('"')
	case r.take("'"):
		r.text('\'')
	default:
		r.word()
	}
}

// list reads elements with commas between them up to the closing bracket.
func (r *literalReader) list(depth int, open, end string, element func(depth int)) {
	r.out.WriteString(open)
	for first := true; !r.take(end); first = false {
		if !first {
			r.out.WriteByte(',')
		}
		element(depth + 1)
		if r.failed {
			return
		}
		if !r.take(",") {
			r.failed = !r.take(end)
			break
		}
	}
	r.out.WriteString(end)
}

// member reads a key and its value.
func (r *literalReader) member(depth int) {
	switch {
	case r.take(`"`):
		r.text('"')
	case r.take("'"):
		r.text('\'')
	default:
		r.failed = true
	}
	if r.failed || !r.take(":") {
		r.failed = true
		return
	}
	r.out.WriteByte(':')
	r.value(depth)
}

// text reads a string from behind its opening quote.
func (r *literalReader) text(quote byte) {
	r.out.WriteByte('"')
	for i := 0; i < len(r.in); i++ {
		switch c := r.in[i]; {
		case c == quote:
			r.out.WriteByte('"')
			r.in = r.in[i+1:]
			return
		case c == '"':
			r.out.WriteString(`\"`)
		case c == '\\' && i+1 < len(r.in):
			i++
			if r.in[i] == '\'' {
				r.out.WriteByte('\'')
			} else {
				r.out.WriteString(r.in[i-1 : i+1])
			}
		case c < ' ':
			fmt.Fprintf(&r.out, `\u%04x`, c)
		default:
			r.out.WriteByte(c)
		}
	}
	r.failed = true
}

// word reads a number or a constant.
func (r *literalReader) word() {
	end := strings.IndexAny(r.in, " \t\r\n,:]}")
	if end < 0 {
		end = len(r.in)
	}
	word := r.in[:end]
	switch word {
	case "True":
		word = "true"
	case "False":
		word = "false"
	case "None":
		word = "null"
	}
	if word == "" || strings.ContainsAny(word, `"'{[`) {
		r.failed = true
		return
	}
	r.out.WriteString(word)
	r.in = r.in[end:]
}
