package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Class names a kind of failure of a server. The set is closed.
type Class string

const (
	// ContextLength: the prompt does not fit into the model's context.
	ContextLength Class = "context_length"
	// RateLimited: 429. Overloaded: 503, 529. ServerError: other 5xx. All three may be asked again.
	RateLimited Class = "rate_limited"
	Overloaded  Class = "overloaded"
	ServerError Class = "server_error"
	// Quota: the account is out of credit. Denied: the key is missing or wrong. NotFound: no such model or path.
	Quota    Class = "quota"
	Denied   Class = "denied"
	NotFound Class = "not_found"
	// BadRequest: the server refuses the request itself.
	BadRequest Class = "bad_request"
	// Malformed: the answer makes no sense. Cut: it broke off. Timeout: it did not come in time. Connection: the server
	// could not be reached. All four may be asked again.
	Malformed  Class = "malformed"
	Cut        Class = "cut"
	Timeout    Class = "timeout"
	Connection Class = "connection"
)

// Fault is a failure of one request.
type Fault struct {
	Class Class
	// Code is the status with which the server failed, 0 where it gave none. A code inside the body wins over the
	// status of the response.
	Code    int
	Message string
	// Retry says that the same request may succeed later; Delay is how long the server asks to wait, negative where it
	// leaves that to us.
	Retry bool
	Delay time.Duration
	// Partial is the text that came before the failure.
	Partial string
	// Context is the size of the context in tokens where a complaint about it tells.
	Context int
}

func (f *Fault) Error() string {
	text := string(f.Class)
	if f.Code != 0 {
		text += fmt.Sprintf(" (status %d)", f.Code)
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

// broken is a failure that no server has put into words.
func broken(class Class, message string) *Fault {
	return &Fault{Class: class, Message: message, Retry: class.retryable(), Delay: noDelay}
}

// noDelay leaves the time of waiting to the client.
const noDelay = time.Duration(-1)

// wireError is an error as bodies hold it; servers disagree on every field's type.
type wireError struct {
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    json.RawMessage `json:"type"`
	Code    json.RawMessage `json:"code"`
	Param   json.RawMessage `json:"param"`
	Context json.RawMessage `json:"n_ctx"`
}

// fault returns the failure that a body with the given status holds, or nil.
func (a *answer) fault(status int) *Fault {
	raw := a.Error
	if len(raw) == 0 || string(raw) == "null" {
		if a.Object != "error" {
			return nil
		}
		raw, _ = json.Marshal(map[string]string{"message": a.Message, "type": a.Type})
	}
	return faultOf(status, raw)
}

// faultOfResponse reads a response whose status is not 200.
func faultOfResponse(status int, body []byte) *Fault {
	if a, err := decodeAnswer(body); err == nil {
		if f := a.fault(status); f != nil {
			return f
		}
		return faultOf(status, body)
	}
	f := faultOf(status, nil)
	f.Message = oneLine(string(body))
	return f
}

// faultOf classifies an error object, or a text in its place.
func faultOf(status int, raw json.RawMessage) *Fault {
	var e wireError
	var text string
	if json.Unmarshal(raw, &text) != nil {
		json.Unmarshal(raw, &e) // fields of other types say nothing
	}
	f := &Fault{Code: status, Message: oneLine(firstOf(text, plain(e.Message), plain(e.Detail))), Delay: noDelay}
	code, kind := plain(e.Code), plain(e.Type)
	if inner, err := strconv.Atoi(code); err == nil && inner >= 400 && inner < 600 {
		f.Code = inner
	}
	if f.Code < 400 { // the failure is all that says something went wrong
		f.Code = 0
	}
	f.Class = classify(f, strings.ToLower(code+" "+kind), strings.ToLower(f.Message), len(e.Context) > 0)
	f.Retry = f.Class.retryable()
	if f.Class == ContextLength {
		f.Context, _ = strconv.Atoi(plain(e.Context)) // 0 where it is not told
		if m := contextSize.FindStringSubmatch(f.Message); m != nil && f.Context == 0 {
			f.Context, _ = strconv.Atoi(m[1])
		}
	}
	return f
}

func (c Class) retryable() bool {
	switch c {
	case RateLimited, Overloaded, ServerError, Malformed, Cut, Timeout, Connection:
		return true
	}
	return false
}

func classify(f *Fault, names, message string, sized bool) Class {
	tooLong := strings.Contains(names, "context_length") || strings.Contains(names, "exceed_context_size") ||
		strings.Contains(names, "context_window") || (sized && f.Code < 500)
	switch {
	case tooLong, f.Code < 500 && f.Code != 429 && speaksOfContext(message), f.Code == 413:
		return ContextLength
	case strings.Contains(names, "insufficient_quota"), f.Code == 402:
		return Quota
	case f.Code == 429, f.Code == 0 && strings.Contains(names, "rate_limit"):
		return RateLimited
	case f.Code == 503, f.Code == 529, f.Code == 0 && (strings.Contains(names, "overload") || strings.Contains(names, "unavailable")):
		return Overloaded
	case f.Code == 408, f.Code == 504:
		return Timeout
	case f.Code == 401, f.Code == 403:
		return Denied
	case f.Code == 404:
		return NotFound
	case f.Code >= 500, f.Code == 0, f.Code == 409, f.Code == 425:
		return ServerError
	}
	return BadRequest
}

// speaksOfContext reports whether an error text says that the prompt is too long. A deadline has a context too.
func speaksOfContext(message string) bool {
	for _, phrase := range []string{
		"context length", "context size", "context window", "maximum context", "context_length", "input is too long",
		"prompt is too long", "maximum model length", "max_model_len", "exceeds the available context", "exceed context",
		"reduce the length of the", "longer than the model's context", "exceeds the maximum number of tokens",
		"exceeds the max_total_tokens", "inputs tokens +", "n_ctx",
	} {
		if strings.Contains(message, phrase) {
			return true
		}
	}
	return false
}

var contextSize = regexp.MustCompile(`(?i)(?:maximum context length is|context window of|context size \(?|maximum model length of) ?(\d+)`)

// plain is a JSON value as text: a string without its quotes, nothing for null.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil || len(raw) == 0 {
		return text
	}
	return string(raw)
}

// quoted bounds how much of a server's text goes into an error.
const quoted = 300

// oneLine is a server's text, fit for an error: on one line and not too long.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > quoted {
		text = strings.ToValidUTF8(text[:quoted], "") + "…"
	}
	return text
}
