package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spade"
	"spade/policy"
)

// request is a request for chat completions. Fields that change nothing here are not looked at.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                *int            `json:"top_k"`
	N                   *int            `json:"n"`
	Seed                *int64          `json:"seed"`
	Stop                json.RawMessage `json:"stop"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	LogProbs    bool              `json:"logprobs"`
	TopLogProbs int               `json:"top_logprobs"`
	TokenIDs    bool              `json:"return_token_ids"`
	TokensAsIDs bool              `json:"return_tokens_as_token_ids"`
	Tools       []json.RawMessage `json:"tools"`
	stops       []string
}

type message struct {
	Role    string  `json:"role"`
	Name    string  `json:"name"`
	Content content `json:"content"`
}

// content is a text, or a list of parts that are texts.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return errors.New("the content of a message is no text and no list of parts")
	}
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("the content of a message has a part of type %q: only text is read", p.Type)
		}
		*c += content(p.Text)
	}
	return nil
}

var errNoModel = errors.New("there is no such model")

func (q *request) choices() int {
	if q.N == nil {
		return 1
	}
	return *q.N
}

// read turns a request into what the policy takes.
func (s *Server) read(q *request) (policy.Spec, []spade.Message, error) {
	spec := policy.Spec{Role: spade.Agent, Temperature: 1, MaxTokens: s.policy.Info().Context}
	plain := spade.NameObservation
	switch q.Model {
	case s.options.Name:
	case s.options.Name + designerSuffix:
		spec.Role, plain = spade.Designer, spade.NamePassage
	default:
		return spec, nil, fmt.Errorf("%w as %q; /v1/models lists those that there are", errNoModel, q.Model)
	}
	if q.MaxTokens != nil {
		spec.MaxTokens = min(spec.MaxTokens, *q.MaxTokens)
	}
	if q.MaxCompletionTokens != nil {
		spec.MaxTokens = min(spec.MaxTokens, *q.MaxCompletionTokens)
	}
	if q.Temperature != nil {
		spec.Temperature = *q.Temperature
	}
	if q.TopP != nil {
		spec.TopP = *q.TopP
	}
	if q.TopK != nil && *q.TopK > 0 {
		spec.TopK = *q.TopK
	}
	if spec.Temperature == 0 { // the most probable token
		spec.Temperature, spec.TopK = 1, 1
	}
	switch {
	case spec.MaxTokens < 1:
		return spec, nil, fmt.Errorf("max_tokens is %d: at least 1 is needed", spec.MaxTokens)
	case !(spec.Temperature > 0) || math.IsInf(spec.Temperature, 0):
		return spec, nil, fmt.Errorf("temperature is %v: it must not be negative", spec.Temperature)
	case !(spec.TopP >= 0 && spec.TopP <= 1):
		return spec, nil, fmt.Errorf("top_p is %v: it must lie in [0, 1]", spec.TopP)
	case q.choices() < 1 || q.choices() > maxChoices:
		return spec, nil, fmt.Errorf("n is %d, want 1 to %d", q.choices(), maxChoices)
	case len(q.Tools) > 0:
		return spec, nil, errors.New("tools are not taken here: describe them in a message")
	case q.TopLogProbs > 0 && q.LogProbs && q.TopLogProbs > 20:
		return spec, nil, fmt.Errorf("top_logprobs is %d, want 0 to 20", q.TopLogProbs)
	}
	if err := q.readStop(); err != nil {
		return spec, nil, err
	}
	messages, err := readMessages(q.Messages, plain)
	return spec, messages, err
}

// readStop reads stop: nothing, a text or a list of texts.
func (q *request) readStop() error {
	if len(q.Stop) == 0 || string(q.Stop) == "null" {
		return nil
	}
	var one string
	if json.Unmarshal(q.Stop, &one) == nil {
		q.stops = []string{one}
	} else if json.Unmarshal(q.Stop, &q.stops) != nil {
		return errors.New("stop is no text and no list of texts")
	}
	q.stops = slices.DeleteFunc(q.stops, func(s string) bool { return s == "" })
	return nil
}

// names are those that mark a message for a model.
var names = []string{spade.NameMemory, spade.NamePassage, spade.NameObservation, spade.NameHint}

func readMessages(list []message, plain string) ([]spade.Message, error) {
	if len(list) == 0 {
		return nil, errors.New("messages are missing")
	}
	var messages []spade.Message
	for i, m := range list {
		speaker := spade.Speaker(m.Role)
		switch m.Role {
		case "developer":
			speaker = spade.System
		case "system", "user", "assistant", "tool":
		default:
			return nil, fmt.Errorf("message %d is of an unknown role %q", i, m.Role)
		}
		one := spade.Message{Speaker: speaker, Content: string(m.Content)}
		if speaker == spade.User {
			if one.Name = plain; slices.Contains(names, m.Name) {
				one.Name = m.Name
			}
		}
		messages = append(messages, one)
	}
	if last := messages[len(messages)-1].Speaker; last == spade.Assistant {
		return nil, errors.New("the last message is the assistant's: there is nothing to reply to")
	}
	return messages, nil
}

// cut returns text up to the first of the texts that end a reply, and whether there was one.
func (q *request) cut(text string) (string, bool) {
	end := len(text)
	for _, stop := range q.stops {
		if i := strings.Index(text, stop); i >= 0 {
			end = min(end, i)
		}
	}
	return text[:end], end < len(text)
}
