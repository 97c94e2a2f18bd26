package sandbox

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of JSON that is read from a process.
const maxDepth = 64

// decodeStrict reads one JSON value from untrusted bytes: objects as map[string]any, arrays as []any, numbers as
// float64. It refuses what encoding/json repairs or tolerates: duplicate keys, invalid UTF-8, half a surrogate
// pair, numbers outside float64, nesting beyond maxDepth and anything after the value.
func decodeStrict(data []byte) (any, error) {
	d := strictDecoder{data: data}
	value, err := d.value(0)
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", d.at, err)
	}
	if d.space(); d.at != len(data) {
		return nil, fmt.Errorf("byte %d: something follows the value", d.at)
	}
	return value, nil
}

type strictDecoder struct {
	data []byte
	at   int
}

var (
	errCutOff   = errors.New("the value is cut off")
	errSyntax   = errors.New("not JSON")
	errDepth    = fmt.Errorf("nested deeper than %d", maxDepth)
	errUTF8     = errors.New("not UTF-8")
	errHalfPair = errors.New("half of a surrogate pair")
)

func (d *strictDecoder) space() {
	for d.at < len(d.data) {
		switch d.data[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// peek returns the next byte without consuming it, 0 at the end.
func (d *strictDecoder) peek() byte {
	if d.at < len(d.data) {
		return d.data[d.at]
	}
	return 0
}

// next skips white space and returns the byte after it without consuming it, 0 at the end.
func (d *strictDecoder) next() byte {
	d.space()
	return d.peek()
}

func (d *strictDecoder) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	switch c := d.next(); {
	case c == '{':
		return d.object(depth)
	case c == '[':
		return d.array(depth)
	case c == '"':
		return d.text()
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	case c == 't':
		return true, d.word("true")
	case c == 'f':
		return false, d.word("false")
	case c == 'n':
		return nil, d.word("null")
	case c == 0:
		return nil, errCutOff
	}
	return nil, errSyntax
}

func (d *strictDecoder) word(word string) error {
	if len(d.data)-d.at < len(word) || string(d.data[d.at:d.at+len(word)]) != word {
		return errSyntax
	}
	d.at += len(word)
	return nil
}

func (d *strictDecoder) array(depth int) (any, error) {
	d.at++
	values := []any{}
	if d.next() == ']' {
		d.at++
		return values, nil
	}
	for {
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
		if done, err := d.separator(']'); done || err != nil {
			return values, err
		}
	}
}

func (d *strictDecoder) object(depth int) (any, error) {
	d.at++
	fields := map[string]any{}
	if d.next() == '}' {
		d.at++
		return fields, nil
	}
	for {
		if d.next() != '"' {
			return nil, errSyntax
		}
		key, err := d.text()
		if err != nil {
			return nil, err
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("key %.40q appears twice", key)
		}
		if d.next() != ':' {
			return nil, errSyntax
		}
		d.at++
		if fields[key], err = d.value(depth + 1); err != nil {
			return nil, err
		}
		if done, err := d.separator('}'); done || err != nil {
			return fields, err
		}
	}
}

// separator consumes a comma, or the end of an array or object and then reports done.
func (d *strictDecoder) separator(end byte) (done bool, err error) {
	switch d.next() {
	case ',':
		d.at++
		return false, nil
	case end:
		d.at++
		return true, nil
	case 0:
		return false, errCutOff
	}
	return false, errSyntax
}

func (d *strictDecoder) number() (float64, error) {
	start := d.at
	if d.data[d.at] == '-' {
		d.at++
	}
	whole := d.digits()
	if whole == 0 || whole > 1 && d.data[d.at-whole] == '0' {
		return 0, errSyntax
	}
	if d.at < len(d.data) && d.data[d.at] == '.' {
		d.at++
		if d.digits() == 0 {
			return 0, errSyntax
		}
	}
	if d.at < len(d.data) && d.data[d.at]|0x20 == 'e' {
		d.at++
		if d.at < len(d.data) && (d.data[d.at] == '+' || d.data[d.at] == '-') {
			d.at++
		}
		if d.digits() == 0 {
			return 0, errSyntax
		}
	}
	value, err := strconv.ParseFloat(string(d.data[start:d.at]), 64)
	if err != nil || math.IsInf(value, 0) {
		return 0, errors.New("a number out of range")
	}
	return value, nil
}

func (d *strictDecoder) digits() int {
	start := d.at
	for d.at < len(d.data) && '0' <= d.data[d.at] && d.data[d.at] <= '9' {
		d.at++
	}
	return d.at - start
}

// text reads a string. Strings without escapes, which is nearly all, are copied once.
func (d *strictDecoder) text() (string, error) {
	d.at++
	start := d.at
	var out []byte // what came before the last escape
	for d.at < len(d.data) {
		switch c := d.data[d.at]; {
		case c == '"':
			tail := d.data[start:d.at]
			d.at++
			if out == nil {
				out = tail
			} else {
				out = append(out, tail...)
			}
			if !utf8.Valid(out) {
				return "", errUTF8
			}
			return string(out), nil
		case c == '\\':
			out = append(out, d.data[start:d.at]...)
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
			start = d.at
		case c < 0x20:
			return "", errSyntax
		default:
			d.at++
		}
	}
	return "", errCutOff
}

var shortEscapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (d *strictDecoder) escape() (rune, error) {
	if d.at++; d.at >= len(d.data) {
		return 0, errCutOff
	}
	c := d.data[d.at]
	d.at++
	if c != 'u' {
		r, known := shortEscapes[c]
		if !known {
			return 0, errSyntax
		}
		return r, nil
	}
	r, err := d.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if d.word(`\u`) != nil {
		return 0, errHalfPair
	}
	low, err := d.hex()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, errHalfPair
	}
	return r, nil
}

func (d *strictDecoder) hex() (rune, error) {
	if len(d.data)-d.at < 4 {
		return 0, errCutOff
	}
	n, err := strconv.ParseUint(string(d.data[d.at:d.at+4]), 16, 16)
	if err != nil {
		return 0, errSyntax
	}
	d.at += 4
	return rune(n), nil
}
