package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// GPT-OSS is told of its tools in TypeScript, in the exact form on which it was trained, odd indentation and all.

// namespace declares tools.
func namespace(tools []Tool) string {
	var out strings.Builder
	out.WriteString("## functions\n\nnamespace functions {\n\n")
	for _, t := range tools {
		comment(&out, "", t.Description)
		out.WriteString("type " + t.Name + " = (")
		if t.Parameters != nil {
			var s schema
			_ = json.Unmarshal(t.Parameters, &s) // New has checked that it is JSON; what is no schema declares nothing
			out.WriteString("_: " + s.object(""))
		}
		out.WriteString(") => any;\n\n")
	}
	out.WriteString("} // namespace functions")
	return out.String()
}

// schema is the part of a JSON schema that TypeScript can say.
type schema struct {
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Default     json.RawMessage   `json:"default"`
	Items       *schema           `json:"items"`
	Properties  properties        `json:"properties"`
	Required    []string          `json:"required"`
	Nullable    bool              `json:"nullable"`
}

// properties keep the order in which they are written.
type properties []property

type property struct {
	name string
	schema
}

func (p *properties) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("properties are no object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		next := property{name: name.(string)}
		if err := decoder.Decode(&next.schema); err != nil {
			return err
		}
		*p = append(*p, next)
	}
	return nil
}

func comment(out *strings.Builder, indent, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(text) {
		out.WriteString(indent + "// " + strings.TrimSuffix(line, "\n") + "\n")
	}
}

func (s *schema) object(indent string) string {
	var out strings.Builder
	comment(&out, indent, s.Description)
	out.WriteString("{\n")
	for _, p := range s.Properties {
		comment(&out, indent, p.Description)
		out.WriteString(indent + p.name)
		if !slices.Contains(s.Required, p.name) {
			out.WriteString("?")
		}
		out.WriteString(": " + p.typescript(indent+"    ") + ",")
		if p.Default != nil {
			out.WriteString(" // default: " + plain(p.Default))
		}
		out.WriteString("\n")
	}
	out.WriteString(indent + "}")
	return out.String()
}

func (s *schema) typescript(indent string) string {
	var names []string
	var name string
	if json.Unmarshal(s.Type, &name) == nil {
		names = []string{name}
	} else {
		_ = json.Unmarshal(s.Type, &names) // neither: any
	}
	var types []string
	for _, name := range names {
		types = append(types, s.one(name, len(names), indent))
	}
	if len(types) == 0 {
		return "any"
	}
	if s.Nullable && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	return strings.Join(types, " | ")
}

// one is the type of one name out of so many.
func (s *schema) one(name string, of int, indent string) string {
	switch name {
	case "object":
		return s.object(indent)
	case "array":
		if s.Items == nil {
			return "Array<any>"
		}
		return s.Items.typescript(indent) + "[]"
	case "string":
		if len(s.Enum) == 0 {
			return "string"
		}
		choices := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			choices[i] = string(e)
		}
		return strings.Join(choices, " | ")
	case "number", "integer":
		return "number"
	case "boolean":
		return "boolean"
	case "null":
		if of > 1 {
			return "null"
		}
	}
	return "any"
}

// plain is a value without the quotes of a text.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var out bytes.Buffer
	_ = json.Compact(&out, value) // it was decoded already
	return out.String()
}
