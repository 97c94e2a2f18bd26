package openai

import (
	"encoding/json"
	"strconv"

	"spade/policy"
)

// said is one message as it is sent.
type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// fields says which optional fields of a request a server takes.
type fields struct {
	maxTokens   string // the name of the limit: max_tokens, or max_completion_tokens
	seed        bool
	topP        bool
	topK        bool
	temperature bool
	logProbs    bool
	// topLogProbs is sent beside logProbs where that is not 0: llama.cpp answers null without.
	topLogProbs int
	// tokenIDs asks for the ids of prompt and reply.
	tokenIDs bool
	// usage asks for counts at the end of a stream.
	usage bool
}

// without leaves out the field that a server has named in a complaint, and reports whether there was one to leave out.
func (f *fields) without(name string) bool {
	switch {
	case name == "max_tokens" && f.maxTokens == name:
		f.maxTokens = "max_completion_tokens"
	case name == "return_token_ids" && f.tokenIDs, name == "return_tokens_as_token_ids" && f.tokenIDs:
		f.tokenIDs = false
	case name == "top_logprobs" && f.topLogProbs > 0:
		f.topLogProbs = 0
	case (name == "logprobs" || name == "logits_all") && f.logProbs:
		f.logProbs = false
	case name == "top_k" && f.topK:
		f.topK = false
	case name == "top_p" && f.topP:
		f.topP = false
	case name == "temperature" && f.temperature:
		f.temperature = false
	case name == "seed" && f.seed:
		f.seed = false
	case name == "stream_options" && f.usage:
		f.usage = false
	default:
		return false
	}
	return true
}

// optional are the names that without knows, the longer before those that they contain.
var optional = []string{"return_tokens_as_token_ids", "return_token_ids", "stream_options", "max_tokens", "top_logprobs",
	"logprobs", "logits_all", "temperature", "top_k", "top_p", "seed"}

// streamFrom is the limit in tokens from which on a reply is streamed, so that a server that hangs is noticed long
// before the deadline of a long reply.
const streamFrom = 1024

// afterMessages is more than what follows the messages of a request, in bytes.
const afterMessages = 256

// request is the body of a request, in one piece: net/http sends a short one together with its header then.
func (p *Policy) request(messages []byte, spec *policy.Spec, maxTokens int, seed int64) []byte {
	f := &p.fields
	b := append(make([]byte, 0, len(p.head)+len(messages)+afterMessages), p.head...)
	b = append(append(b, messages...), "],"...)
	b = strconv.AppendQuote(b, f.maxTokens)
	b = strconv.AppendInt(append(b, ':'), int64(maxTokens), 10)
	number := func(name string, value float64) {
		b = append(append(append(b, ",\""...), name...), "\":"...)
		b = strconv.AppendFloat(b, value, 'f', -1, 64) // never with an exponent: some of these are integers
	}
	if f.temperature {
		number("temperature", spec.Temperature)
	}
	if f.topP && spec.TopP > 0 {
		number("top_p", spec.TopP)
	}
	if f.topK && spec.TopK > 0 {
		number("top_k", float64(spec.TopK))
	}
	if f.seed {
		number("seed", float64(seed))
	}
	if f.logProbs {
		b = append(b, `,"logprobs":true`...)
		if f.topLogProbs > 0 {
			number("top_logprobs", float64(f.topLogProbs))
		}
	}
	if f.tokenIDs {
		b = append(b, `,"return_token_ids":true,"return_tokens_as_token_ids":true`...)
	}
	if maxTokens >= streamFrom {
		b = append(b, `,"stream":true`...)
		if f.usage {
			b = append(b, `,"stream_options":{"include_usage":true}`...)
		}
	}
	return append(b, '}')
}

// head is the part of a request before its messages.
func head(model string) []byte {
	name, err := json.Marshal(model)
	if err != nil {
		panic(err) // a string always encodes
	}
	return append(append([]byte(`{"model":`), name...), `,"messages":[`...)
}

// appendMessage appends a message to the JSON list that messages holds, without its brackets.
func appendMessage(messages []byte, role, content string) []byte {
	data, err := json.Marshal(said{role, content})
	if err != nil {
		panic(err) // two strings always encode
	}
	if len(messages) > 0 {
		messages = append(messages, ',')
	}
	return append(messages, data...)
}
