package reply

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	callOpen  = "<tool_call>"
	callClose = "</tool_call>"
)

// Call is one tool call.
type Call struct {
	Name string `json:"name"`
	// Arguments is one JSON object without white space; key order and numbers are as the model wrote them.
	Arguments json.RawMessage `json:"arguments"`
}

// Calls is what a reply says to tools.
type Calls struct {
	// Calls are the calls of all blocks that are accepted, in order; never nil.
	Calls []Call `json:"calls"`
	// Rejected counts blocks that were seen and refused.
	Rejected int `json:"rejected"`
	// Truncated says that a block, or the thinking before it, never closes: the reply was cut off.
	Truncated bool `json:"truncated"`
	// NormalText is the trimmed rest of the reply, without blocks and without markers that end a turn.
	NormalText string `json:"normal_text"`
}

// ToolCalls reads the blocks <tool_call>…</tool_call> of a reply. finish is the server's finish reason, "" if
// there is none.
//
// A block holds one call or several: JSON objects in a row or in a list, in a code fence or not. Strict JSON is
// tried first, then the notation of Python (single quotes, True, None, a comma at the end). A call needs a name
// that is not blank; "arguments" (or "parameters") is an object, or a string that holds one and is decoded
// once, or null or missing where there are none; other keys mean nothing. A block of which any part is unfit is
// refused as a whole: nothing is run by halves.
//
// A block that never closes gives no call. It still counts where it is whole and was only left without its
// closing tag: because another block begins after it, or because the model ended its turn there, as a finish
// reason other than "length" or a marker at the end of the reply says.
func ToolCalls(text, finish string) Calls {
	_, rest, closed := Thinking(text)
	out := Calls{Calls: []Call{}, Truncated: !closed}
	ended := finish != "" && finish != "length" || trimEnd(rest) != strings.TrimSpace(rest)
	for {
		start := strings.Index(rest, callOpen)
		if start < 0 {
			break
		}
		out.NormalText = glue(out.NormalText, rest[:start])
		b := readCallBlock(rest[start+len(callOpen):])
		rest = rest[start+len(callOpen)+b.length:]
		switch {
		case b.ok && (b.closed || ended):
			out.Calls = append(out.Calls, b.calls...)
		case b.closed:
			out.Rejected++
		default:
			out.Truncated = true
		}
	}
	out.NormalText = glue(out.NormalText, rest)
	out.NormalText = trimEnd(strings.Join(strings.Split(out.NormalText, callClose), "\n"))
	return out
}

// callBlock is what follows an opening tag.
type callBlock struct {
	calls []Call
	// ok says that all of the block reads as calls.
	ok bool
	// closed says that a closing tag, or the opening tag of another block, ends it.
	closed bool
	// length is how much of the text it takes, closing tag included.
	length int
}

// readCallBlock reads a block from behind its opening tag.
func readCallBlock(text string) callBlock {
	// The values are read before the closing tag is looked for: their strings may contain it.
	if calls, length, ok := strictCalls(text); ok {
		end := length + len(text[length:]) - len(strings.TrimLeft(text[length:], " \t\r\n"))
		switch {
		case end == len(text):
			return callBlock{calls: calls, ok: true, length: end}
		case strings.HasPrefix(text[end:], callClose):
			return callBlock{calls: calls, ok: true, closed: true, length: end + len(callClose)}
		case strings.HasPrefix(text[end:], callOpen):
			return callBlock{calls: calls, ok: true, closed: true, length: end}
		}
	}
	closing, opening := strings.Index(text, callClose), strings.Index(text, callOpen)
	var b callBlock
	body := text
	switch {
	case opening >= 0 && (closing < 0 || opening < closing):
		body = text[:opening]
		b.length, b.closed = opening, true
		if strings.TrimSpace(body) == "" {
			// A doubled tag: the block is the one that begins now.
			inner := readCallBlock(text[opening+len(callOpen):])
			inner.length += opening + len(callOpen)
			return inner
		}
	case closing >= 0:
		body = text[:closing]
		b.length, b.closed = closing+len(callClose), true
	default:
		b.length = len(text)
	}
	b.calls, b.ok = looseCalls(trimEnd(body))
	return b
}

// strictCalls reads JSON values from the beginning of text for as long as they follow one another.
func strictCalls(text string) (calls []Call, length int, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return calls, length, len(calls) > 0
		}
		more, fit := decodeCalls(value)
		if !fit {
			return nil, 0, false
		}
		calls, length = append(calls, more...), int(dec.InputOffset())
	}
}

// looseCalls reads a whole body: JSON or Python notation, in a code fence or not.
func looseCalls(body string) (calls []Call, ok bool) {
	body = unfence(body)
	for body != "" {
		value, rest, ok := literal(body)
		if !ok {
			return nil, false
		}
		more, fit := decodeCalls(value)
		if !fit {
			return nil, false
		}
		calls, body = append(calls, more...), strings.TrimSpace(rest)
	}
	return calls, len(calls) > 0
}

// unfence removes the code fence around a body.
func unfence(body string) string {
	body = strings.TrimSpace(body)
	first, inner, found := strings.Cut(body, "\n")
	if !found || !strings.HasPrefix(first, "```") || !strings.HasSuffix(inner, "```") {
		return body
	}
	return strings.TrimSpace(strings.TrimSuffix(inner, "```"))
}

// decodeCalls reads one call, or a list of calls.
func decodeCalls(value json.RawMessage) ([]Call, bool) {
	if strings.HasPrefix(strings.TrimSpace(string(value)), "[") {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			return nil, false
		}
		var calls []Call
		for _, v := range list {
			c, ok := decodeCall(v)
			if !ok {
				return nil, false
			}
			calls = append(calls, c)
		}
		return calls, true
	}
	c, ok := decodeCall(value)
	return []Call{c}, ok
}

func decodeCall(value json.RawMessage) (Call, bool) {
	var fields map[string]json.RawMessage
	var c Call
	if json.Unmarshal(value, &fields) != nil || json.Unmarshal(fields["name"], &c.Name) != nil {
		return Call{}, false
	}
	c.Name = strings.TrimSpace(c.Name)
	arguments, found := fields["arguments"]
	if !found {
		arguments = fields["parameters"]
	}
	var ok bool
	c.Arguments, ok = decodeArguments(arguments)
	return c, ok && c.Name != ""
}

// decodeArguments returns arguments as one object. Arguments that are JSON text are decoded, once.
func decodeArguments(arguments json.RawMessage) (json.RawMessage, bool) {
	var encoded string
	if json.Unmarshal(arguments, &encoded) == nil {
		arguments = json.RawMessage(encoded)
	}
	trimmed := strings.TrimSpace(string(arguments))
	if trimmed == "" || trimmed == "null" {
		return json.RawMessage("{}"), true
	}
	var object bytes.Buffer
	if !strings.HasPrefix(trimmed, "{") || json.Compact(&object, arguments) != nil {
		return nil, false
	}
	return object.Bytes(), true
}

// endMarkers end a turn in the text forms of common models.
var endMarkers = []string{
	"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|return|>", "<end_of_turn>", "</s>",
}

// trimEnd removes white space around a text and the markers that end a turn from its end.
func trimEnd(text string) string {
	for {
		before := text
		text = strings.TrimSpace(text)
		for _, m := range endMarkers {
			text = strings.TrimSuffix(text, m)
		}
		if text == before {
			return text
		}
	}
}

// Answer returns what stands, trimmed, in the last <answer>…</answer> of a reply outside its tool calls.
func Answer(text string) (string, bool) {
	answer, ok := lastBetween(ToolCalls(text, "").NormalText, "<answer>", "</answer>")
	return strings.TrimSpace(answer), ok
}
