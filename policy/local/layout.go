package local

import (
	"slices"

	"spade"
)

// Conversation lays out one conversation as tokens, turn by turn, for samplers that take tokens: what it feeds is what a
// Session would have fed. It is used by one goroutine at a time.
type Conversation struct {
	layout conversation
	opener []int32
}

// Conversation starts a conversation in a role.
func (f *Format) Conversation(role spade.Role) (*Conversation, error) {
	marks, err := markupOf(role)
	if err != nil {
		return nil, err
	}
	return &Conversation{layout: conversation{format: f, role: role, markup: marks}}, nil
}

// Feed returns the tokens to feed before the next reply: the messages since the last one, and the token that opens it.
func (c *Conversation) Feed(messages []spade.Message) ([]int32, error) {
	c.layout.tokens, c.layout.isReply = nil, nil
	if err := c.layout.add(messages); err != nil {
		return nil, err
	}
	c.layout.open()
	fed := c.layout.tokens
	c.opener = fed[len(fed)-1:]
	return fed, nil
}

// Read returns the text of the reply that was sampled after the last Feed.
func (c *Conversation) Read(sampled []int32) string {
	return c.layout.format.Text(c.opener) + c.layout.format.Text(sampled)
}

// Ends are the tokens any of which ends a reply.
func (c *Conversation) Ends() []int32 { return c.layout.format.Ends() }

// Ends are the tokens any of which ends a reply of either role.
func (f *Format) Ends() []int32 {
	ends := []int32{f.ids[tokenEnd], f.ids[tokenDone]}
	slices.Sort(ends)
	return ends
}

// CountTokens is the number of tokens of text in a prompt.
func (f *Format) CountTokens(text string) int { return f.countTokens(text) }

// Size is the number of token ids: they are 0, 1, … Size()-1.
func (f *Format) Size() int { return f.tokenizer.Size() }
