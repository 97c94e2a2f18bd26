package reply

import (
	"encoding/json"
	"strings"

	"spade"
)

// Box is how a reply's box reads; both fields are nil if it has none.
type Box struct {
	Boxed      *string `json:"boxed"`
	Normalized *string `json:"normalized"`
}

// Source is how a reply's Python source reads.
type Source struct {
	// Code is nil if there is none.
	Code *string `json:"code"`
	// Compiles is for callers that can tell.
	Compiles *bool `json:"compiles,omitempty"`
}

// Explain returns how this package reads a reply, as a value that encodes to JSON: a Box for kind "boxed",
// Calls for "tool_calls", a Source for "code". For kind "answer", text is a JSON list of pairs of strings, and
// the result says of each pair whether its two answers are equal. finish is the server's finish reason, or "".
func Explain(kind, text, finish string) (any, error) {
	switch kind {
	case "boxed":
		content, ok := Boxed(text)
		if !ok {
			return Box{}, nil
		}
		normalized := Normalize(content)
		return Box{Boxed: &content, Normalized: &normalized}, nil
	case "tool_calls":
		return ToolCalls(text, finish), nil
	case "code":
		if code, ok := Code(text); ok {
			return Source{Code: &code}, nil
		}
		return Source{}, nil
	case "answer":
		return explainAnswers(text)
	}
	return nil, spade.Errorf(spade.ByUser, "the kinds are boxed, tool_calls, answer and code",
		"explain reply: unknown kind %q", kind)
}

func explainAnswers(text string) ([]bool, error) {
	var pairs [][2]string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &pairs); err != nil {
		return nil, spade.Errorf(spade.ByUser, `Give a JSON list of pairs, for example [["1,000", "1000"]].`,
			"explain answers: %w", err)
	}
	equal := make([]bool, len(pairs))
	for i, p := range pairs {
		equal[i] = AnswerEqual(p[0], p[1])
	}
	return equal, nil
}
