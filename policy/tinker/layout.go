package tinker

import "spade"

// Layout is how a model lays out conversations as tokens: its chat format and its tokenizer. It is safe for concurrent
// use.
type Layout interface {
	// Begin starts a conversation.
	Begin(role spade.Role) (Conversation, error)
	// CountTokens returns the number of tokens that text would take in a prompt.
	CountTokens(text string) int
	// Size is the number of token ids that the tokenizer has: 0, 1, … Size()-1. Read is given no others.
	Size() int
}

// Conversation lays out one conversation, turn by turn. It is used by one goroutine at a time.
type Conversation interface {
	// Feed returns the tokens to feed before the next reply: the messages since the last one, and what opens a reply.
	Feed(messages []spade.Message) ([]int32, error)
	// Read returns the text of the reply that was sampled after the last Feed.
	Read(sampled []int32) string
	// Ends are the tokens any of which ends a reply.
	Ends() []int32
}
