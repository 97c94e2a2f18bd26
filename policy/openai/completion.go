package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"spade/reply"
)

// Completion is one answer of a server in the terms of this program.
type Completion struct {
	// Text is what was said, without thinking and without native tool calls; Reasoning is what was thought.
	Text      string
	Reasoning string
	// Calls are the native tool calls, without those whose arguments are no JSON object; Rejected counts these.
	Calls    []reply.Call
	Rejected int
	// Finish is why the reply ended: "stop", "length", "tool_calls", "content_filter", or "" where the server does not
	// say. A reply whose last call is cut off ended for its length, whatever the server says.
	Finish string
	// Truncated says that the reply was cut off.
	Truncated bool
	// Tokens, TokenIDs and LogProbs describe the sampled tokens, in natural logarithms; each is nil where the server does
	// not tell. PromptIDs are the tokens of the prompt.
	Tokens    []string
	TokenIDs  []int32
	LogProbs  []float64
	PromptIDs []int32
	// Joined is what the tokens' bytes spell, nil where the server does not tell them.
	Joined []byte
	// PromptTokens and CompletionTokens are the server's own counts, 0 where it gives none.
	PromptTokens     int
	CompletionTokens int
	// LogProbsNull says that log-probabilities came back as null.
	LogProbsNull bool
}

// Trainable reports whether the answer says exactly which tokens were read and sampled, and how probable they were.
// Where it does not, why says what is missing.
func (c *Completion) Trainable() (ok bool, why string) {
	n := len(c.TokenIDs)
	switch {
	case n == 0:
		return false, "no token ids"
	case len(c.PromptIDs) == 0:
		return false, "no prompt token ids"
	case len(c.LogProbs) == 0:
		return false, "no log-probabilities"
	case len(c.LogProbs) != n:
		return false, "as many token ids as log-probabilities are needed"
	}
	return true, ""
}

// Whole returns the reply as its reader would see it: the thinking in <think>, the text, native calls as <tool_call>
// blocks. Thinking that never ended stays open.
func (c *Completion) Whole() string {
	var b strings.Builder
	if c.Reasoning != "" {
		b.WriteString("<think>" + c.Reasoning)
		if c.Text == "" && len(c.Calls) == 0 && c.Truncated {
			return b.String()
		}
		b.WriteString("</think>\n")
	}
	b.WriteString(c.said())
	return b.String()
}

// said is the reply without its thinking: what later turns are shown of it.
func (c *Completion) said() string {
	if len(c.Calls) == 0 {
		return c.Text
	}
	parts := []string{}
	if c.Text != "" {
		parts = append(parts, c.Text)
	}
	for _, call := range c.Calls {
		data, err := json.Marshal(call)
		if err != nil {
			continue // arguments are one JSON object, so this cannot be
		}
		parts = append(parts, "<tool_call>"+string(data)+"</tool_call>")
	}
	return strings.Join(parts, "\n")
}

// readBody reads the body of an answer with status 200.
func readBody(body []byte, asked asked) (*Completion, *Fault) {
	a, err := decodeAnswer(body)
	if err != nil {
		return nil, broken(Malformed, "the answer is not whole JSON")
	}
	if fault := a.fault(200); fault != nil {
		return nil, fault
	}
	if len(a.Choices) == 0 {
		return nil, broken(Malformed, "the answer holds no choice")
	}
	c, t, calls := &Completion{}, &tokens{}, &callBuilder{}
	c.take(a, t, calls, func(ch *choice) *message { return &ch.Message })
	c.conclude(t, calls, asked)
	return c, nil
}

// take adds what an answer, or one event of a stream, says of the first choice.
func (c *Completion) take(a *answer, t *tokens, calls *callBuilder, said func(*choice) *message) {
	if a.Usage != nil {
		c.PromptTokens, c.CompletionTokens = a.Usage.Prompt, a.Usage.Completion
	}
	if len(c.PromptIDs) == 0 {
		c.PromptIDs = a.Prompt
	}
	for i := range a.Choices {
		ch := &a.Choices[i]
		if ch.Index != 0 {
			continue
		}
		m := said(ch)
		c.Text += m.text()
		c.Reasoning += m.thinking()
		calls.add(m.ToolCalls)
		if ch.Finish != nil && *ch.Finish != "" {
			c.Finish = plainFinish(*ch.Finish)
		}
		if len(c.PromptIDs) == 0 {
			c.PromptIDs = append(ch.Prompt, m.Prompt...)
		}
		c.LogProbsNull = c.LogProbsNull || string(ch.LogProbs) == "null"
		t.add(ch, a)
	}
}

// asked is what the request of an answer asked for, as far as reading the answer depends on it.
type asked struct {
	maxTokens int
}

// conclude settles what only the whole answer tells.
func (c *Completion) conclude(t *tokens, calls *callBuilder, asked asked) {
	c.Tokens, c.TokenIDs, c.LogProbs = t.texts, t.ids, t.logProbs
	if t.known {
		c.Joined = t.bytes
	}
	atLimit := asked.maxTokens > 0 && c.CompletionTokens >= asked.maxTokens
	cut := calls.finish(c)
	c.Truncated = c.Finish == "length" || cut || (c.Rejected > 0 && atLimit)
	if c.Truncated {
		c.Finish = "length"
	}
}

// plainFinish maps the finish reasons of the dialects to those of the protocol.
func plainFinish(reason string) string {
	switch reason {
	case "eos_token", "stop_sequence", "end_turn", "eos", "completed":
		return "stop"
	case "max_tokens", "max_output_tokens", "model_length":
		return "length"
	case "tool_use", "function_call":
		return "tool_calls"
	}
	return reason
}

// callBuilder puts native tool calls together, whose arguments a stream delivers in parts.
type callBuilder struct {
	names     []string
	arguments []string
}

func (b *callBuilder) add(calls []toolCall) {
	for position, call := range calls {
		index := len(b.names)
		if call.Index != nil && *call.Index >= 0 && *call.Index < len(b.names) {
			index = *call.Index
		} else if call.Index == nil && call.Function.Name == "" && len(b.names) > 0 {
			index = min(position, len(b.names)-1)
		}
		if index == len(b.names) {
			b.names, b.arguments = append(b.names, ""), append(b.arguments, "")
		}
		b.names[index] += call.Function.Name
		var text string
		if json.Unmarshal(call.Function.Arguments, &text) != nil {
			text = string(call.Function.Arguments) // an object instead of a string that holds one
		}
		b.arguments[index] += text
	}
}

// finish writes the calls into c and reports whether the last one was cut off.
func (b *callBuilder) finish(c *Completion) (cut bool) {
	c.Calls = []reply.Call{}
	for i, name := range b.names {
		text := strings.TrimSpace(b.arguments[i])
		if text == "" || text == "null" {
			text = "{}"
		}
		var object bytes.Buffer
		if name = strings.TrimSpace(name); name == "" || text[0] != '{' || json.Compact(&object, []byte(text)) != nil {
			c.Rejected++
			cut = cut || (i == len(b.names)-1 && unfinished(text))
			continue
		}
		c.Calls = append(c.Calls, reply.Call{Name: name, Arguments: object.Bytes()})
	}
	return cut
}

// unfinished reports whether text is the beginning of a JSON value and no more.
func unfinished(text string) bool {
	var value any
	err := json.NewDecoder(strings.NewReader(text)).Decode(&value)
	return errors.Is(err, io.ErrUnexpectedEOF)
}
