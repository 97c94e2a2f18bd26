package tinker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"spade"
	"spade/policy/tinker/wire"
)

// How long a client is patient. A request is sent again until patience has passed since its first attempt; a result is
// waited for as long as the server is alive.
const (
	patience       = 5 * time.Minute
	attemptTimeout = 90 * time.Second // servers hold a request for a result for up to 40 s, SkyRL's for 300
	firstWait      = 250 * time.Millisecond
	longestWait    = 30 * time.Second
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 256 << 20
	// maxConflicts is how often a 409 is met with patience: it may also mean that the request can never succeed.
	maxConflicts = 3
)

const binaryType = "application/x-protobuf"

// client speaks HTTP with one server. It is safe for concurrent use.
type client struct {
	url  string // without a slash at the end
	auth *auth
	http *http.Client
}

// statusError is an answer other than 200.
type statusError struct {
	status int
	detail string
	after  time.Duration // how long the server asks to wait, 0 if it does not say
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answers %d %s: %s", e.status, http.StatusText(e.status), e.detail)
}

// passing reports whether the same request may succeed later.
func passing(err error) bool {
	status := (*statusError)(nil)
	if !errors.As(err, &status) {
		return true // no answer at all
	}
	return status.status == http.StatusRequestTimeout || status.status == http.StatusConflict ||
		status.status == http.StatusTooManyRequests || status.status >= 500
}

// call is one request. Its body is sent as it is with every attempt, under the same idempotency key.
type call struct {
	method, path string
	body         []byte
	contentType  string
	header       map[string]string
	// waits says that the request asks for a result that may not be there yet: send returns errPending then.
	waits bool
}

// errPending says that a result is not there yet.
var errPending = errors.New("the result is not there yet")

// pending reports whether an attempt for a result ended without one: by the server, or because it holds requests for
// longer than we do.
func pending(err error) bool {
	status := (*statusError)(nil)
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &status) && status.status == http.StatusRequestTimeout
}

// post sends v as JSON and reads the answer into out.
func (c *client) post(ctx context.Context, path string, v, out any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return c.json(ctx, call{method: http.MethodPost, path: path, body: body, contentType: "application/json"}, out)
}

func (c *client) json(ctx context.Context, one call, out any) error {
	_, answer, err := c.send(ctx, one)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return broken(fmt.Errorf("%s: the answer is not the JSON that is expected: %w", one.path, err))
	}
	return nil
}

// send sends a request until it is answered, with pauses that grow.
func (c *client) send(ctx context.Context, one call) (contentType string, answer []byte, err error) {
	begun, wait, conflicts := time.Now(), firstWait, 0
	key := "spade-" + rand.Text()
	for {
		contentType, answer, err = c.attempt(ctx, one, key)
		if err == nil || ctx.Err() != nil {
			return contentType, answer, err
		}
		if one.waits && pending(err) {
			return "", nil, errPending
		}
		pause := wait
		if status := (*statusError)(nil); errors.As(err, &status) {
			pause = max(pause, min(status.after, longestWait))
			if status.status == http.StatusConflict {
				conflicts++
			}
		}
		if !passing(err) || conflicts > maxConflicts || time.Since(begun)+pause > patience {
			return "", nil, broken(fmt.Errorf("%s: %w", one.path, err))
		}
		wait = min(2*wait, longestWait)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", nil, ctx.Err()
		}
	}
}

// attempt sends a request once.
func (c *client) attempt(ctx context.Context, one call, key string) (contentType string, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, one.method, c.url+"/api/v1/"+one.path, bytes.NewReader(one.body))
	if err != nil {
		return "", nil, err
	}
	if one.contentType != "" {
		request.Header.Set("Content-Type", one.contentType)
	}
	if one.method != http.MethodGet {
		request.Header.Set("X-Idempotency-Key", key)
	}
	for name, value := range one.header {
		request.Header.Set(name, value)
	}
	if err := c.auth.sign(ctx, c, request); err != nil {
		return "", nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return "", nil, withoutURL(err)
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(answer) > maxAnswer {
		err = fmt.Errorf("an answer of more than %d bytes", maxAnswer)
	}
	if err != nil {
		return "", nil, fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", nil, &statusError{response.StatusCode, detail(answer), retryAfter(response.Header.Get("Retry-After"))}
	}
	return response.Header.Get("Content-Type"), answer, nil
}

// detail is what an error's body says, shortened.
func detail(body []byte) string {
	var m struct {
		Detail json.RawMessage `json:"detail"`
	}
	text := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &m) == nil && len(m.Detail) > 0 {
		text = string(m.Detail)
		var plain string
		if json.Unmarshal(m.Detail, &plain) == nil {
			text = plain
		}
	}
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "") + "…"
	}
	return text
}

// retryAfter reads the header: seconds or a date.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// broken says that the server failed.
func broken(err error) error {
	next := "see that the server runs and is reached under this address, then go on with spade run --resume --dir D"
	if status := (*statusError)(nil); errors.As(err, &status) {
		switch status.status {
		case http.StatusUnauthorized, http.StatusForbidden:
			next = "set " + KeyVariable + " to a key of this server"
		case http.StatusPaymentRequired:
			next = "see to the account's billing, then go on with spade run --resume --dir D"
		case http.StatusNotFound, http.StatusGone:
			next = "the server may have been started again: go on from the last checkpoint with spade run --resume --dir D"
		}
	}
	return spade.Errorf(spade.ByPolicy, next, "tinker: %w", err)
}

// errLost says that the server has forgotten a future.
var errLost = errors.New("the server has forgotten the request")

// submit asks for work and returns its future.
func (c *client) submit(ctx context.Context, path string, v any) (wire.Future, error) {
	var one wire.Future
	err := c.post(ctx, path, v, &one)
	if err == nil && one.RequestID == "" {
		err = broken(fmt.Errorf("%s: the answer names no request", path))
	}
	return one, err
}

// await returns the result of a future, in binary form where there is one.
func (c *client) await(ctx context.Context, one wire.Future, kind string) (contentType string, answer []byte, err error) {
	ask := wire.RetrieveFuture{RequestID: one.RequestID}
	body, err := json.Marshal(ask)
	if err != nil {
		return "", nil, err
	}
	for round := 0; ; round++ {
		begun := time.Now()
		contentType, answer, err = c.send(ctx, call{method: http.MethodPost, path: "retrieve_future", body: body, contentType: "application/json", waits: true,
			header: map[string]string{"Accept": binaryType + ", application/json", "X-Tinker-Request-Type": kind, "X-Tinker-Request-Iteration": strconv.Itoa(round)}})
		if status := (*statusError)(nil); errors.As(err, &status) && status.status == http.StatusGone {
			return "", nil, fmt.Errorf("%w: %w", errLost, err)
		}
		if errors.Is(err, errPending) {
			// However long it takes: as long as the server answers other requests, it is at work.
			if err := c.json(ctx, call{method: http.MethodGet, path: "get_server_capabilities"}, &wire.Capabilities{}); err != nil {
				return "", nil, err
			}
			if err := breathe(ctx, begun); err != nil {
				return "", nil, err
			}
			continue
		}
		if err != nil || strings.Contains(contentType, binaryType) {
			return contentType, answer, err
		}
		var state struct {
			Type  string `json:"type"`
			Error string `json:"error"`
		}
		if err := json.Unmarshal(answer, &state); err != nil {
			return "", nil, broken(fmt.Errorf("retrieve_future: the answer is no JSON object: %w", err))
		}
		switch {
		case state.Error != "":
			return "", nil, broken(fmt.Errorf("%s failed: %s", kind, state.Error))
		case state.Type != "try_again":
			return contentType, answer, nil
		}
		if err := breathe(ctx, begun); err != nil {
			return "", nil, err
		}
	}
}

// breathe waits a little where a request that began at begun was answered at once: a server that does not hold requests is
// not asked without a pause.
func breathe(ctx context.Context, begun time.Time) error {
	if time.Since(begun) >= firstWait {
		return nil
	}
	select {
	case <-time.After(firstWait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work asks for work and waits for its result, which is JSON.
func (c *client) work(ctx context.Context, path, kind string, v, out any) error {
	one, err := c.submit(ctx, path, v)
	if err != nil {
		return err
	}
	_, answer, err := c.await(ctx, one, kind)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return broken(fmt.Errorf("%s: the result is not the JSON that is expected: %w", path, err))
	}
	return nil
}
