package local

import (
	"fmt"
	"strings"

	"spade"
	"spade/policy/token"
)

// The special tokens. None of them can be produced by encoding text.
const (
	tokenDesign  = "<|design|>"  // starts a designer's conversation
	tokenMemory  = "<|memory|>"  // precedes an earlier environment
	tokenPassage = "<|passage|>" // precedes the passage
	tokenCode    = "<|code|>"    // opens the designer's reply
	tokenHint    = "<|hint|>"    // separates code and hint in a designer's reply, precedes the hint shown to an agent
	tokenEnd     = "<|end|>"     // ends the designer's reply
	tokenPlay    = "<|play|>"    // starts an agent's conversation
	tokenAct     = "<|act|>"     // opens the agent's reply
	tokenDone    = "<|done|>"    // ends the agent's reply
)

// specialTokens are all special tokens with the text as which each appears in a reply.
var specialTokens = []struct{ name, text string }{
	{tokenDesign, ""}, {tokenMemory, ""}, {tokenPassage, ""},
	{tokenCode, "```python\n"}, {tokenHint, "\n```\n<hint>"}, {tokenEnd, "</hint>"},
	{tokenPlay, ""}, {tokenAct, `\boxed{`}, {tokenDone, "}"},
}

// SpecialTokens returns the names of the special tokens that a tokenizer must have for this package.
func SpecialTokens() []string {
	names := make([]string, len(specialTokens))
	for i, s := range specialTokens {
		names[i] = s.name
	}
	return names
}

// Format lays conversations out as tokens. A designer's conversation is
//
//	<|design|> [<|memory|> environment]… <|passage|> passage <|code|> code <|hint|> hint <|end|>
//
// and an agent's is
//
//	<|play|> observation [<|hint|> hint] <|act|> action <|done|> observation <|act|> action <|done|> …
//
// Every text is encoded with a space before it, except code, which is encoded as it is. System messages are
// left out: the model knows its two roles and follows no instructions. Other messages without a marker of
// their own are plain text. A Format is safe for concurrent use.
type Format struct {
	tokenizer *token.Tokenizer
	ids       map[string]int32 // of special tokens, by name
	texts     map[int32]string // of special tokens in replies, by id
}

// NewFormat returns the format over a tokenizer that has all SpecialTokens.
func NewFormat(t *token.Tokenizer) (*Format, error) {
	f := &Format{tokenizer: t, ids: map[string]int32{}, texts: map[int32]string{}}
	for _, s := range specialTokens {
		id, ok := t.Special(s.name)
		if !ok {
			return nil, fmt.Errorf("the tokenizer lacks the special token %s", s.name)
		}
		f.ids[s.name] = id
		f.texts[id] = s.text
	}
	return f, nil
}

// markup is how a role's conversations and replies begin and end.
type markup struct{ start, open, close string }

func markupOf(role spade.Role) (markup, error) {
	switch role {
	case spade.Designer:
		return markup{tokenDesign, tokenCode, tokenEnd}, nil
	case spade.Agent:
		return markup{tokenPlay, tokenAct, tokenDone}, nil
	}
	return markup{}, fmt.Errorf("unknown role %q", role)
}

// Document returns a whole conversation as tokens: exactly what a session would have read and sampled if its
// replies had been the Assistant messages. isReply is true on the tokens that it would have sampled. An
// Assistant message must be a complete reply in the form of its role: \boxed{action}, or a ```python block
// followed by <hint>hint</hint>; another one is an error of whoever gave it (spade.ByUser).
func (f *Format) Document(messages []spade.Message, role spade.Role) (tokens []int32, isReply []bool, err error) {
	c := conversation{format: f, role: role}
	if c.markup, err = markupOf(role); err != nil {
		return nil, nil, err
	}
	if err := c.add(messages); err != nil {
		return nil, nil, err
	}
	return c.tokens, c.isReply, nil
}

// conversation accumulates tokens. The zero role is not valid.
type conversation struct {
	format  *Format
	role    spade.Role
	markup  markup
	started bool
	tokens  []int32
	isReply []bool
}

// add appends messages, and the token that starts the conversation if nothing was added before.
func (c *conversation) add(messages []spade.Message) error {
	if !c.started {
		c.special(c.markup.start, false)
		c.started = true
	}
	for _, m := range messages {
		switch {
		case m.Speaker == spade.Assistant:
			if err := c.reply(m.Content); err != nil {
				return err
			}
		case m.Speaker == spade.System:
		default:
			switch m.Name {
			case spade.NameMemory:
				c.special(tokenMemory, false)
			case spade.NamePassage:
				c.special(tokenPassage, false)
			case spade.NameHint:
				c.special(tokenHint, false)
			}
			c.text(" "+m.Content, false)
		}
	}
	return nil
}

// open appends the token that opens a reply.
func (c *conversation) open() { c.special(c.markup.open, false) }

// reply appends a complete reply that was given in text.
func (c *conversation) reply(text string) error {
	c.open()
	if c.role == spade.Agent {
		action, ok := between(strings.TrimSpace(text), `\boxed{`, "}")
		if !ok {
			return spade.Errorf(spade.ByUser, "write it as the model does: \\boxed{action}", "the agent's reply %.40q is not \\boxed{…}", text)
		}
		c.text(" "+strings.TrimSpace(action), true)
	} else {
		block, ok := between(strings.TrimSpace(text), "```python\n", "</hint>")
		code, rest, fenced := strings.Cut(block, "\n```")
		hint, hinted := strings.CutPrefix(strings.TrimSpace(rest), "<hint>")
		if !ok || !fenced || !hinted {
			return spade.Errorf(spade.ByUser, "write it as the model does: a ```python block and <hint>hint</hint> behind it",
				"the designer's reply %.40q is not ```python…```<hint>…</hint>", text)
		}
		c.text(code, true)
		c.special(tokenHint, true)
		c.text(" "+strings.TrimSpace(hint), true)
	}
	c.special(c.markup.close, true)
	return nil
}

// between returns what text holds between the given prefix and suffix.
func between(text, prefix, suffix string) (string, bool) {
	text, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, suffix)
}

func (c *conversation) special(name string, isReply bool) {
	c.tokens = append(c.tokens, c.format.ids[name])
	c.isReply = append(c.isReply, isReply)
}

func (c *conversation) text(text string, isReply bool) {
	for _, id := range c.format.tokenizer.Encode(text) {
		c.tokens = append(c.tokens, id)
		c.isReply = append(c.isReply, isReply)
	}
}

// Text returns tokens as a reader of the reply sees them, special tokens in their text form. Bytes that are no
// UTF-8 become the replacement character.
func (f *Format) Text(tokens []int32) string {
	var b strings.Builder
	for len(tokens) > 0 {
		n := 0
		for n < len(tokens) && !f.special(tokens[n]) {
			n++
		}
		b.WriteString(strings.ToValidUTF8(f.tokenizer.Decode(tokens[:n]), "\uFFFD"))
		if n < len(tokens) {
			b.WriteString(f.texts[tokens[n]])
			n++
		}
		tokens = tokens[n:]
	}
	return b.String()
}

func (f *Format) special(id int32) bool {
	_, ok := f.texts[id]
	return ok
}

// ends reports whether a reply ends with the token id: either role's closing token does, so that a confused
// reply ends early.
func (f *Format) ends(id int32) bool { return id == f.ids[tokenEnd] || id == f.ids[tokenDone] }

// closed reports whether a reply is complete with the tokens sampled so far.
func (f *Format) closed(sampled []int32) bool { return f.ends(sampled[len(sampled)-1]) }

// countTokens is the number of tokens of text in a prompt.
func (f *Format) countTokens(text string) int { return len(f.tokenizer.Encode(" " + text)) }
