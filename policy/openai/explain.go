package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"spade/reply"
)

// Explanation is how an answer of a server reads. Of a failure only Status, Retryable, ErrorCode, ErrorClass, PartialText
// and AcceptedAsReply are told.
type Explanation struct {
	Status          string `json:"status"` // "ok" or "error"
	AcceptedAsReply bool   `json:"accepted_as_reply"`
	// ErrorClass is the class of a failure; of an accepted answer, what keeps it from being used: missing_logprobs,
	// truncated_tool_call, malformed_tool_call, token_count.
	ErrorClass  *string `json:"error_class"`
	ErrorCode   *int    `json:"error_code,omitempty"`
	Retryable   *bool   `json:"retryable,omitempty"`
	Message     string  `json:"message,omitempty"`
	PartialText *string `json:"partial_text,omitempty"`

	*Reading
}

// Reading is how a completion reads.
type Reading struct {
	Text      string       `json:"text"`
	Reasoning string       `json:"reasoning,omitempty"`
	Boxed     *string      `json:"boxed"`
	Calls     []reply.Call `json:"calls"`
	Rejected  int          `json:"rejected"`
	Finish    string       `json:"finish"`
	Truncated bool         `json:"truncated"`

	Tokens         []string  `json:"tokens"`
	TokenIDs       []int32   `json:"token_ids"`
	PromptTokenIDs []int32   `json:"prompt_token_ids"`
	LogProbs       []float64 `json:"logprobs"`
	BytesJoin      *bool     `json:"bytes_join_to_text,omitempty"`
	Trainable      bool      `json:"trainable"`
	Why            string    `json:"why,omitempty"`
	PromptTokens   int       `json:"prompt_tokens,omitempty"`
	// PromptTruncated says that the server read less than it was sent. It is told where the request is known.
	PromptTruncated *bool `json:"prompt_truncated,omitempty"`
}

// Decision is what is done about a response that is no success.
type Decision struct {
	Class string `json:"class,omitempty"`
	// Retry is true, false, or "not_before" where the server asks for a longer wait than any request is worth.
	Retry any `json:"retry"`
	// DelayS is the wait in seconds, or "backoff" where the client chooses it.
	DelayS any `json:"delay_s,omitempty"`
}

// Explain reads what a server sent, by the code that a run uses: the body of a chat completion, a stream of events, or
// a response {"status", "headers", "body"} or a list of them. request is the body of the request, or nil where it is
// not known. now is the clock for responses without a date. The result is an Explanation, or a Decision for a response,
// or a list of these.
func Explain(data, request []byte, now time.Time) (any, error) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("the file is empty")
	}
	asked, prompt, wanted, err := readRequest(request)
	if err != nil {
		return nil, err
	}
	switch {
	case trimmed[0] == '[':
		return decideAll(trimmed, now)
	case trimmed[0] != '{':
		c, fault := readStream(bytes.NewReader(trimmed), asked)
		return explanation(c, fault, prompt, wanted), nil
	}
	var form map[string]json.RawMessage
	if json.Unmarshal(trimmed, &form) == nil && form["status"] != nil {
		return decide(trimmed, now)
	}
	c, fault := readBody(trimmed, asked)
	return explanation(c, fault, prompt, wanted), nil
}

// readRequest reads what matters of a request: its limit, an estimate of its prompt in tokens, and whether
// log-probabilities were wanted (nil where that is not known).
func readRequest(data []byte) (a asked, prompt int, wanted *bool, err error) {
	if data == nil {
		return asked{}, 0, nil, nil
	}
	var r struct {
		MaxTokens           int    `json:"max_tokens"`
		MaxCompletionTokens int    `json:"max_completion_tokens"`
		LogProbs            *bool  `json:"logprobs"`
		Messages            []said `json:"messages"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return asked{}, 0, nil, fmt.Errorf("read the request: %w", err)
	}
	size := 0
	for _, m := range r.Messages {
		size += len(m.Content)
	}
	return asked{maxTokens: max(r.MaxTokens, r.MaxCompletionTokens)}, size, r.LogProbs, nil
}

func explanation(c *Completion, fault *Fault, promptBytes int, wanted *bool) Explanation {
	if fault != nil {
		class, code := string(fault.Class), fault.Code
		e := Explanation{Status: "error", ErrorClass: &class, Retryable: &fault.Retry, Message: fault.Message, PartialText: &fault.Partial}
		if code != 0 {
			e.ErrorCode = &code
		}
		return e
	}
	ok, why := c.Trainable()
	r := &Reading{
		Text: c.Text, Reasoning: c.Reasoning, Calls: c.Calls, Rejected: c.Rejected, Finish: c.Finish, Truncated: c.Truncated,
		Tokens: c.Tokens, TokenIDs: c.TokenIDs, PromptTokenIDs: c.PromptIDs, LogProbs: c.LogProbs, Trainable: ok, Why: why,
		PromptTokens: c.PromptTokens,
	}
	if box, found := reply.Boxed(c.Whole()); found {
		r.Boxed = &box
	}
	if c.Joined != nil {
		joins := strings.HasPrefix(string(c.Joined), c.Text) // an end marker may follow
		r.BytesJoin = &joins
	}
	if promptBytes > 0 && c.PromptTokens > 0 {
		cut := new(ruler).truncated(promptBytes, c.PromptTokens)
		r.PromptTruncated = &cut
	}
	e := Explanation{Status: "ok", AcceptedAsReply: true, Reading: r}
	if class := flaw(c, wanted); class != "" {
		e.ErrorClass = &class
	}
	return e
}

// flaw names what keeps an accepted answer from being used as it is.
func flaw(c *Completion, wanted *bool) string {
	asked := c.LogProbsNull && wanted == nil || wanted != nil && *wanted
	switch {
	case c.Rejected > 0 && c.Truncated:
		return "truncated_tool_call"
	case c.Rejected > 0:
		return "malformed_tool_call"
	case asked && len(c.LogProbs) == 0:
		return "missing_logprobs"
	case len(c.TokenIDs) > 0 && len(c.LogProbs) > 0 && len(c.TokenIDs) != len(c.LogProbs):
		return "token_count"
	}
	return ""
}

func decideAll(data []byte, now time.Time) ([]Decision, error) {
	var responses []json.RawMessage
	if err := json.Unmarshal(data, &responses); err != nil {
		return nil, fmt.Errorf("read a list of responses: %w", err)
	}
	decisions := make([]Decision, len(responses))
	for i, r := range responses {
		var err error
		if decisions[i], err = decide(r, now); err != nil {
			return nil, fmt.Errorf("response %d: %w", i+1, err)
		}
	}
	return decisions, nil
}

// decide tells of what a response shows: the class where it has a body, the wait where it has headers.
func decide(data []byte, now time.Time) (Decision, error) {
	var r struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Decision{}, fmt.Errorf("read a response: %w", err)
	}
	header := http.Header{}
	for name, value := range r.Headers {
		header.Set(name, value)
	}
	body := []byte(r.Body)
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	f := faultOfResponse(r.Status, body)
	if r.Status == 200 {
		if _, f = readBody(body, asked{}); f == nil {
			return Decision{Class: "ok", Retry: false}, nil
		}
	}
	f.Delay = retryDelay(header, now)
	var d Decision
	if r.Body != nil {
		d.Class = string(f.Class)
	}
	d.Retry = f.Retry
	if f.Retry && r.Headers != nil {
		d.DelayS = "backoff"
		if f.Delay >= 0 {
			d.DelayS = f.Delay.Seconds()
		}
		if f.Delay > ceiling {
			d.Retry = "not_before"
		}
	}
	return d, nil
}
