package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Templates write JSON as Python does, with a space behind commas and colons, and models were trained on that.

// function is the declaration of a tool as templates write it, on one line, or on several if indent is not "".
func (t Tool) function(indent string) string {
	parameters := t.Parameters
	if parameters == nil {
		parameters = json.RawMessage(`{"type": "object", "properties": {}}`)
	}
	raw := `{"type": "function", "function": {"name": ` + quoted(t.Name) + `, "description": ` + quoted(t.Description) +
		`, "parameters": ` + string(parameters) + `}}`
	return python([]byte(raw), indent)
}

// python writes valid JSON as Python's json.dumps(…, ensure_ascii=False, indent=indent) does. Keys keep their order.
func python(raw []byte, indent string) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	p := pythonWriter{decoder: decoder, indent: indent}
	p.value(0)
	return p.out.String()
}

type pythonWriter struct {
	decoder *json.Decoder
	indent  string
	out     strings.Builder
}

func (p *pythonWriter) next() json.Token {
	t, err := p.decoder.Token()
	if err != nil {
		panic(err) // the input is valid JSON
	}
	return t
}

func (p *pythonWriter) value(depth int) {
	switch t := p.next().(type) {
	case json.Delim:
		p.container(t, depth)
	case string:
		p.out.WriteString(quoted(t))
	case json.Number:
		p.out.WriteString(t.String())
	case bool:
		fmt.Fprint(&p.out, t)
	case nil:
		p.out.WriteString("null")
	}
}

// container writes the rest of an object or a list that begins with open.
func (p *pythonWriter) container(open json.Delim, depth int) {
	p.out.WriteString(open.String())
	n := 0
	for ; p.decoder.More(); n++ {
		if n > 0 {
			p.out.WriteString(",")
		}
		p.line(depth+1, n > 0)
		if open == '{' {
			p.out.WriteString(quoted(p.next().(string)) + ": ")
		}
		p.value(depth + 1)
	}
	if n > 0 {
		p.line(depth, false)
	}
	p.out.WriteString(p.next().(json.Delim).String())
}

// line begins a line, or without indentation puts the space between two elements.
func (p *pythonWriter) line(depth int, between bool) {
	switch {
	case p.indent != "":
		p.out.WriteString("\n" + strings.Repeat(p.indent, depth))
	case between:
		p.out.WriteString(" ")
	}
}

// quoted is a text as a JSON string in which only what must be is escaped.
func quoted(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		case '\b':
			out.WriteString(`\b`)
		case '\f':
			out.WriteString(`\f`)
		default:
			if r < ' ' {
				fmt.Fprintf(&out, `\u%04x`, r)
			} else {
				out.WriteRune(r)
			}
		}
	}
	out.WriteByte('"')
	return out.String()
}
