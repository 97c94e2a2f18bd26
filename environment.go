package spade

// Kind is the form of interaction that an environment asks for.
type Kind string

const (
	// Game environments take one boxed action a turn: the agent's free text ends in \boxed{action}.
	Game Kind = "game"
	// ToolUse environments derive from ToolUseBaseEnv: the agent calls tools and ends with <answer>…</answer>.
	ToolUse Kind = "tool_use"
)

// Environment is one admitted or candidate Python environment.
type Environment struct {
	// ID is ContentID(Source).
	ID string `json:"id"`
	// Source is the whole Python file.
	Source string `json:"source"`
	// Class is the name of the Python class that was chosen, "" where the source could not be loaded.
	Class string `json:"class"`
	// Kind is "" where the source could not be loaded.
	Kind Kind `json:"kind"`
	// Skill is what the designer was asked to exercise; rewards of designers are centred per skill.
	Skill string `json:"skill"`
	// Hint is the privileged advice that the hinted arm plays with; "" if it has none.
	Hint string `json:"hint,omitempty"`
	// PassageID names the passage it is grounded on, "" if ungrounded.
	PassageID string `json:"passage_id,omitempty"`
	// Cycle and Slot say which design of the run made it; Cycle is 0 for environments that a run was given.
	Cycle int `json:"cycle"`
	Slot  int `json:"slot"`
}

// NewEnvironment returns an environment for source with its ID filled in.
func NewEnvironment(source string) Environment {
	return Environment{ID: ContentID(source), Source: source}
}
