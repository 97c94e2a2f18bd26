package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/policy/token"
)

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON schema of its arguments, an object; nil stands for none.
	Parameters json.RawMessage
}

// Options are what a conversation tells the model besides its messages.
type Options struct {
	Tools []Tool
	// NoThinking asks a Qwen3 to answer at once. GPT-OSS is told by Effort; the other families do not think.
	NoThinking bool
	// Effort of GPT-OSS's thinking is "low", "medium" (also "") or "high".
	Effort string
	// Date is today's, as the system messages of Llama 3 ("26 Jul 2024", which is also what "" stands for) and GPT-OSS
	// ("2025-06-28"; "" leaves it out) name it.
	Date string
}

// layout is one family.
type layout interface {
	// stops are the special tokens that end a reply, end is the one that ends a message, and marks are the others that the
	// layout writes.
	stops() []string
	end() string
	marks() []string
	// turns writes messages; first says that nothing was written before.
	turns(w *writer, messages []spade.Message, first bool, o Options) error
	// open writes what stands before a reply, and after what stands behind the token that ended one.
	open(w *writer, o Options)
	after(w *writer)
	// visible is a reply as its reader sees it.
	visible(r reply, o Options) string
}

var layouts = map[string]layout{"qwen3": qwen3{}, "llama3": llama3{}, "gemma3": gemma3{}, "gpt-oss": gptOSS{}}

// Families returns the names that New takes.
func Families() []string { return []string{"qwen3", "llama3", "gemma3", "gpt-oss"} }

// Detect returns the family of a model by its published name, for example "Qwen/Qwen3-8B"; ok is false if it is none that this
// package knows.
func Detect(model string) (family string, ok bool) {
	name := strings.ToLower(model)
	for _, f := range []struct{ part, family string }{
		{"qwen3", "qwen3"}, {"llama-3", "llama3"}, {"llama3", "llama3"}, {"gemma-3", "gemma3"}, {"gemma3", "gemma3"}, {"gpt-oss", "gpt-oss"},
	} {
		if strings.Contains(name, f.part) {
			return f.family, true
		}
	}
	return "", false
}

// Renderer lays out conversations of one family. It is safe for concurrent use.
type Renderer struct {
	layout    layout
	tokenizer *token.Tokenizer
	options   Options
}

// New returns a renderer. It refuses a tokenizer that lacks a special token of the family.
func New(family string, t *token.Tokenizer, o Options) (*Renderer, error) {
	l, ok := layouts[family]
	if !ok {
		return nil, fmt.Errorf("there is no layout for the models %q; there are %s", family, strings.Join(Families(), ", "))
	}
	for _, name := range slices.Concat(l.stops(), l.marks(), []string{l.end()}) {
		if _, ok := t.Special(name); !ok {
			return nil, fmt.Errorf("the tokenizer is not one of %s: it lacks %s", family, name)
		}
	}
	for _, tool := range o.Tools {
		if tool.Parameters != nil && !json.Valid(tool.Parameters) {
			return nil, fmt.Errorf("the parameters of the tool %q are not JSON", tool.Name)
		}
	}
	return &Renderer{layout: l, tokenizer: t, options: o}, nil
}

// Stops returns the tokens that end a reply.
func (r *Renderer) Stops() []int32 {
	var ids []int32
	for _, name := range r.layout.stops() {
		ids = append(ids, r.special(name))
	}
	return ids
}

// Text returns a sampled reply as its reader sees it: thoughts between <think> and </think>, calls of tools as
// <tool_call> with a JSON object of name and arguments, and no token that controls the conversation. The reply's tokens are the
// tokenizer's; others panic.
func (r *Renderer) Text(reply []int32) string { return r.layout.visible(r.parts(reply), r.options) }

func (r *Renderer) special(name string) int32 {
	id, _ := r.tokenizer.Special(name) // New has checked it
	return id
}

// Conversation is one conversation that grows. It is used by one goroutine at a time.
type Conversation struct {
	renderer *Renderer
	begun    bool
	ended    bool // the last reply ended by itself
}

// Open begins a conversation.
func (r *Renderer) Open() *Conversation { return &Conversation{renderer: r} }

// Prompt returns the tokens to feed for messages, up to where the model's reply begins. It follows the tokens of the
// last reply, which were given to Replied.
func (c *Conversation) Prompt(messages ...spade.Message) ([]int32, error) {
	r := c.renderer
	w := &writer{renderer: r}
	if c.begun {
		if !c.ended {
			w.mark(r.layout.end())
		}
		r.layout.after(w)
	}
	if err := r.layout.turns(w, messages, !c.begun, r.options); err != nil {
		return nil, fmt.Errorf("lay out a conversation: %w", err)
	}
	r.layout.open(w, r.options)
	c.begun = true
	return w.tokens(), nil
}

// Replied tells the conversation what was sampled after the last prompt.
func (c *Conversation) Replied(sampled []int32) {
	c.ended = len(sampled) > 0 && slices.Contains(c.renderer.Stops(), sampled[len(sampled)-1])
}

// writer collects special tokens and text. Text between two special tokens is encoded as one, whatever it was written by.
type writer struct {
	renderer *Renderer
	ids      []int32
	pending  strings.Builder
}

func (w *writer) mark(name string) {
	w.flush()
	w.ids = append(w.ids, w.renderer.special(name))
}

func (w *writer) text(parts ...string) {
	for _, p := range parts {
		w.pending.WriteString(p)
	}
}

func (w *writer) flush() {
	w.ids = append(w.ids, w.renderer.tokenizer.Encode(w.pending.String())...)
	w.pending.Reset()
}

func (w *writer) tokens() []int32 {
	w.flush()
	return w.ids
}

// reply is a sampled reply: its text, cut at the special tokens of the family.
type reply []part

// part is a special token (mark) and the text behind it; the first part has no mark.
type part struct{ mark, text string }

func (r *Renderer) parts(ids []int32) reply {
	out := reply{{}}
	done := 0
	for i, id := range ids {
		name := r.tokenizer.Piece(id)
		if special, ok := r.tokenizer.Special(name); !ok || special != id {
			continue
		}
		out[len(out)-1].text = r.tokenizer.Decode(ids[done:i])
		out = append(out, part{mark: name})
		done = i + 1
	}
	out[len(out)-1].text = r.tokenizer.Decode(ids[done:])
	return out
}

// all returns the text of every part.
func (r reply) all() string {
	var out strings.Builder
	for _, p := range r {
		out.WriteString(p.text)
	}
	return out.String()
}

// call is a call of a tool in the form that package reply reads.
func call(name string, arguments json.RawMessage) string {
	return "<tool_call>\n{\"name\": " + quoted(name) + ", \"arguments\": " + string(arguments) + "}\n</tool_call>"
}
