package spade

// Role is the part that the model plays in a conversation.
type Role string

const (
	// Designer conversations write environments.
	Designer Role = "designer"
	// Agent conversations play them.
	Agent Role = "agent"
)

// Speaker says who wrote a message.
type Speaker string

const (
	System    Speaker = "system"
	User      Speaker = "user"
	Assistant Speaker = "assistant"
	Tool      Speaker = "tool"
)

// Message names say what a message holds, for renderers that mark it.
const (
	// NameMemory: an earlier environment with its win rate, shown to the designer.
	NameMemory = "memory"
	// NamePassage: the passage to ground a design on.
	NamePassage = "passage"
	// NameObservation: what an environment said.
	NameObservation = "observation"
	// NameHint: the privileged hint of the hinted arm.
	NameHint = "hint"
)

// Message is one message of a conversation with a policy. How it becomes tokens is the policy's affair.
type Message struct {
	Speaker Speaker `json:"speaker"`
	// Name says what the message holds (one of the Name constants), or "".
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
}
