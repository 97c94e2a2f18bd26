package sandbox

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// A request is one operation on its way to a process and back.
type request struct {
	kind   kind
	number int
	// text or value is the argument, as the kind has it.
	text  string
	value int64
	limit time.Duration
	// last says that limit is what is left of an episode's time.
	last bool
	// turn is sent true if the request has become the first of those that wait, and so must make the next
	// exchange; false once it has been answered.
	turn chan bool

	answer answer
	fault  *Fault
	// leftOut says that it was not performed (see Batch).
	leftOut bool
	// took is its share of the time that the exchange took.
	took time.Duration
}

// kind is what is asked of a process.
type kind uint8

const (
	opLoad kind = iota
	opNew
	opReset
	opStep
	opSolution
	opClose
)

// operations says of every kind its name in a frame, the phase that a fault in it is in, and its argument and the
// fields of its answer, one letter each: s text, n number, b boolean.
var operations = [...]struct{ name, phase, argument, fields string }{
	opLoad:     {"load", "load", "s", "ssb"},
	opNew:      {"new", "construct", "n", "n"},
	opReset:    {"reset", "reset", "n", "ss"},
	opStep:     {"step", "step", "s", "snbbs"},
	opSolution: {"solution", "solution", "", "bs"},
	opClose:    {"close", "close", "", ""},
}

// answer holds the fields of an answer: the texts, numbers and booleans, each in order.
type answer struct {
	texts  [2]string
	number float64
	flags  [2]bool
}

// appendTo appends [kind, instance, argument] in JSON, as the harness reads it.
func (r *request) appendTo(frame []byte) []byte {
	o := &operations[r.kind]
	frame = append(append(append(frame, '[', '"'), o.name...), '"', ',')
	frame = append(strconv.AppendInt(frame, int64(r.number), 10), ',')
	switch o.argument {
	case "s":
		frame = appendText(frame, r.text)
	case "n":
		frame = strconv.AppendInt(frame, r.value, 10)
	default:
		frame = append(frame, "null"...)
	}
	return append(frame, ']')
}

// appendText appends text as JSON. What is not UTF-8 in it becomes U+FFFD.
func appendText(frame []byte, text string) []byte {
	const hex = "0123456789abcdef"
	frame = append(frame, '"')
	done := 0
	for at := 0; at < len(text); {
		c := text[at]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			at += size
			continue
		}
		frame = append(frame, text[done:at]...)
		switch {
		case c >= utf8.RuneSelf:
			frame = append(frame, `\ufffd`...)
		case c < 0x20:
			frame = append(frame, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			frame = append(frame, '\\', c)
		}
		at += size
		done = at
	}
	return append(append(frame, text[done:]...), '"')
}

// readAnswer reads an answer with the fields that the kind asks for, and nothing else.
func (d *strictDecoder) readAnswer(fields string) (answer, error) {
	var a answer
	texts, flags := 0, 0
	if err := d.word("["); err != nil {
		return a, err
	}
	for i := range len(fields) {
		if i > 0 {
			if err := d.word(","); err != nil {
				return a, err
			}
		}
		var err error
		switch fields[i] {
		case 's':
			a.texts[texts], err = d.readText()
			texts++
		case 'n':
			a.number, err = d.readNumber()
		case 'b':
			a.flags[flags], err = d.readFlag()
			flags++
		}
		if err != nil {
			return a, err
		}
	}
	return a, d.word("]")
}

func (d *strictDecoder) readText() (string, error) {
	if d.peek() != '"' {
		return "", errSyntax
	}
	return d.text()
}

func (d *strictDecoder) readNumber() (float64, error) {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		return math.NaN(), errSyntax
	}
	return d.number()
}

func (d *strictDecoder) readFlag() (bool, error) {
	if d.peek() == 't' {
		return true, d.word("true")
	}
	return false, d.word("false")
}
