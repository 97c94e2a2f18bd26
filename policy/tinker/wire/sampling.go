package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
)

// ModelInput is a prompt.
type ModelInput struct {
	Chunks []InputChunk `json:"chunks"`
}

// InputChunk is a part of a prompt; only tokens are supported.
type InputChunk struct {
	Type   string  `json:"type"`
	Tokens []int32 `json:"tokens"`
}

// TextInput is the prompt that consists of tokens.
func TextInput(tokens []int32) ModelInput {
	return ModelInput{Chunks: []InputChunk{{Type: "encoded_text", Tokens: tokens}}}
}

// Tokens returns the prompt's tokens.
func (m *ModelInput) Tokens() ([]int32, error) {
	var tokens []int32
	for _, c := range m.Chunks {
		if c.Type != "encoded_text" && c.Type != "" {
			return nil, fmt.Errorf("a prompt with %s: only encoded_text is supported", c.Type)
		}
		tokens = append(tokens, c.Tokens...)
	}
	return tokens, nil
}

// SamplingParams say how to sample. TopK -1 and TopP 1 leave the distribution as it is.
type SamplingParams struct {
	MaxTokens   *int     `json:"max_tokens,omitempty"`
	Seed        *uint64  `json:"seed,omitempty"`
	Stop        *Stop    `json:"stop,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopK        *int     `json:"top_k,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
}

// Stop is what ends a reply: tokens or texts. With neither, nothing does.
type Stop struct {
	Tokens []int32
	Texts  []string
}

// MarshalJSON implements json.Marshaler.
func (s Stop) MarshalJSON() ([]byte, error) {
	if s.Texts != nil {
		return json.Marshal(s.Texts)
	}
	return json.Marshal(append([]int32{}, s.Tokens...))
}

// UnmarshalJSON implements json.Unmarshaler: a text, a list of texts or a list of tokens.
func (s *Stop) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		s.Texts = []string{one}
		return nil
	}
	if json.Unmarshal(data, &s.Tokens) == nil {
		return nil
	}
	s.Tokens = nil
	if json.Unmarshal(data, &s.Texts) == nil {
		return nil
	}
	return errors.New("stop is no text, list of texts or list of tokens")
}

// SampleRequest asks for sequences that follow a prompt.
type SampleRequest struct {
	SessionID  string         `json:"sampling_session_id,omitempty"`
	Seq        *int64         `json:"seq_id,omitempty"`
	BaseModel  string         `json:"base_model,omitempty"`
	ModelPath  string         `json:"model_path,omitempty"`
	NumSamples int            `json:"num_samples"`
	Prompt     ModelInput     `json:"prompt"`
	Params     SamplingParams `json:"sampling_params"`
	// PromptLogProbs asks for the log-probabilities of the prompt's tokens.
	PromptLogProbs bool `json:"prompt_logprobs,omitempty"`
	// The rest asks for what not every server gives.
	TopKPrompt      int             `json:"topk_prompt_logprobs,omitempty"`
	TopKSample      int             `json:"topk_sample_logprobs,omitempty"`
	PromptAltTokens int             `json:"prompt_alt_tokens_k,omitempty"`
	LastN           *int            `json:"prompt_logprobs_last_n,omitempty"`
	TargetLogProbs  json.RawMessage `json:"target_prompt_logprobs,omitempty"`
	Type            string          `json:"type"`
}

// Sampled is one sequence of a result.
type Sampled struct {
	Tokens   []int32
	LogProbs []float32
	// Length says that the sequence was cut off for its length.
	Length bool
}

// Samples is the result of a SampleRequest.
type Samples struct {
	Sequences []Sampled
	// PromptLogProbs is nil where it was not asked for, and NaN for tokens that nothing predicts.
	PromptLogProbs []float32
}

// Encode returns the result as a binary message.
func (s *Samples) Encode() ([]byte, error) {
	m := &SampleResponse{}
	for _, q := range s.Sequences {
		reason := StopReason_STOP_REASON_STOP
		if q.Length {
			reason = StopReason_STOP_REASON_LENGTH
		}
		m.Sequences = append(m.Sequences, &SampledSequence{StopReason: reason, Tokens: packInt32(q.Tokens), Logprobs: packFloat32(q.LogProbs)})
	}
	if s.PromptLogProbs != nil {
		m.PromptLogprobs = packFloat32(s.PromptLogProbs)
	}
	return proto.Marshal(m)
}

type jsonSamples struct {
	Sequences      []jsonSequence `json:"sequences"`
	PromptLogProbs []*float32     `json:"prompt_logprobs"`
}

type jsonSequence struct {
	StopReason string    `json:"stop_reason"`
	Tokens     []int32   `json:"tokens"`
	LogProbs   []float32 `json:"logprobs"`
}

// JSON returns the result as a value to encode as JSON.
func (s *Samples) JSON() any {
	m := jsonSamples{Sequences: []jsonSequence{}}
	for _, q := range s.Sequences {
		reason := "stop"
		if q.Length {
			reason = "length"
		}
		m.Sequences = append(m.Sequences, jsonSequence{reason, append([]int32{}, q.Tokens...), append([]float32{}, q.LogProbs...)})
	}
	for _, v := range s.PromptLogProbs {
		if math.IsNaN(float64(v)) {
			m.PromptLogProbs = append(m.PromptLogProbs, nil)
		} else {
			m.PromptLogProbs = append(m.PromptLogProbs, &v)
		}
	}
	return m
}

// DecodeSamples reads a binary result.
func DecodeSamples(body []byte) (*Samples, error) {
	var m SampleResponse
	if err := proto.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no SampleResponse: %w", err)
	}
	s := &Samples{}
	for i, q := range m.GetSequences() {
		tokens, err := unpackInt32(q.GetTokens())
		if err != nil {
			return nil, fmt.Errorf("sequence %d: %w", i, err)
		}
		logProbs, err := unpackFloat32(q.GetLogprobs())
		if err != nil {
			return nil, fmt.Errorf("sequence %d: %w", i, err)
		}
		s.Sequences = append(s.Sequences, Sampled{tokens, logProbs, q.GetStopReason() == StopReason_STOP_REASON_LENGTH})
	}
	if m.PromptLogprobs != nil {
		var err error
		if s.PromptLogProbs, err = unpackFloat32(m.GetPromptLogprobs()); err != nil {
			return nil, fmt.Errorf("prompt_logprobs: %w", err)
		}
	}
	return s, nil
}

// DecodeSamplesJSON reads a result in JSON.
func DecodeSamplesJSON(body []byte) (*Samples, error) {
	var m jsonSamples
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no sampling result: %w", err)
	}
	s := &Samples{}
	for _, q := range m.Sequences {
		s.Sequences = append(s.Sequences, Sampled{q.Tokens, q.LogProbs, q.StopReason == "length"})
	}
	for _, v := range m.PromptLogProbs {
		if v == nil {
			s.PromptLogProbs = append(s.PromptLogProbs, float32(math.NaN()))
		} else {
			s.PromptLogProbs = append(s.PromptLogProbs, *v)
		}
	}
	return s, nil
}
