package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"spade"
	"spade/policy"
	"spade/policy/openai/openaitest"
	"spade/policy/policytest"
)

// hasty waits for nothing longer than a test should take.
func hasty() timing {
	return timing{attempts: 4, first: time.Millisecond, longest: 4 * time.Millisecond, base: 10 * time.Second, perToken: 0, idle: 5 * time.Second}
}

func open(t *testing.T, s *openaitest.Server) *Policy {
	t.Helper()
	p, err := connect(t.Context(), Address{Base: s.Start(t) + "/v1"}, hasty())
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	return p
}

// words answers a conversation with a few letters that depend on all of it and on the seed.
func words(r openaitest.Request) string {
	h := fnv.New64a()
	json.NewEncoder(h).Encode(r.Messages)
	fmt.Fprint(h, r.Seed)
	return fmt.Sprintf("%x", h.Sum64())[:3+h.Sum64()%8]
}

// TestConformance: with and without token ids, a conversation is what the contract says.
func TestConformance(t *testing.T) {
	for _, ids := range []bool{true, false} {
		t.Run(fmt.Sprintf("token ids %v", ids), func(t *testing.T) {
			policytest.Run(t, func(t *testing.T) policy.Sampler {
				p := open(t, &openaitest.Server{Model: "m", Owner: "vllm", Context: 1024, TokenIDs: ids, Reply: words})
				if p.Info().TextOnly == ids || p.Info().Context != 1024 {
					t.Errorf("info %+v", p.Info())
				}
				return p
			})
		})
	}
}

func openSession(t *testing.T, p *Policy, maxTokens int) policy.Session {
	t.Helper()
	s, err := p.Open(t.Context(), policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, 0, "openai"), Temperature: 0.6, TopP: 0.9, TopK: 20, MaxTokens: maxTokens})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func user(text string) spade.Message { return spade.Message{Speaker: spade.User, Content: text} }

// TestHistory: later turns are shown what was said, not what was thought, and messages in a row are one.
func TestHistory(t *testing.T) {
	var last openaitest.Request
	p := open(t, &openaitest.Server{Model: "m", Reply: func(r openaitest.Request) string {
		last = r
		return "<think>hm</think>go " + fmt.Sprint(len(r.Messages))
	}})
	s := openSession(t, p, 2000)
	if _, err := s.Reply(t.Context(), spade.Message{Speaker: spade.System, Content: "be good"}, user("a"), user("b")); err != nil {
		t.Fatal(err)
	}
	if !last.Stream {
		t.Error("a long reply is not streamed")
	}
	r, err := s.Reply(t.Context(), user("c"))
	if err != nil || r.Text != "<think>hm</think>go 3" {
		t.Fatalf("%q, %v", r.Text, err)
	}
	want := []openaitest.Message{{Role: "user", Content: "be good\n\na\n\nb"}, {Role: "assistant", Content: "go 1"}, {Role: "user", Content: "c"}}
	if !slices.Equal(last.Messages, want) {
		t.Errorf("the server read %q", last.Messages)
	}
}

// TestRerendered: once the server lays out the history anew, no tokens are told any more.
func TestRerendered(t *testing.T) {
	p := open(t, &openaitest.Server{Model: "m", TokenIDs: true, Reply: func(openaitest.Request) string { return "<think>hm</think>go" }})
	s := openSession(t, p, 100)
	for turn := range 3 {
		r, err := s.Reply(t.Context(), user("a"))
		if err != nil || r.Text != "<think>hm</think>go" || (len(r.Tokens) > 0) != (turn == 0) {
			t.Errorf("turn %d: %d tokens, %q, %v", turn, len(r.Tokens), r.Text, err)
		}
	}
	if n := p.Counts().Rerendered; n != 1 {
		t.Errorf("%d conversations were laid out anew", n)
	}
}

// TestFailures: what is worth another attempt gets one, and what is not ends with its class.
func TestFailures(t *testing.T) {
	fail := func(status int, body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, body, status) }
	}
	body := func(text string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { fmt.Fprint(w, text) }
	}
	for name, test := range map[string]struct {
		fault func(w http.ResponseWriter)
		class Class // "" where another attempt succeeds
		fatal bool
	}{
		"overloaded": {fail(503, "busy"), "", false},
		"rate":       {fail(429, `{"error":{"message":"slow"}}`), "", false},
		"gateway":    {fail(502, "<html>"), "", false},
		"half an answer": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices":[`)
		}, "", false},
		"half of the JSON":  {body(`{"choices":[`), "", false},
		"no choice":         {body(`{"choices":[]}`), "", false},
		"error in success":  {body(`{"error":{"message":"busy","code":503}}`), "", false},
		"connection closed": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "", false},
		"too long a wait": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "86400")
			http.Error(w, "later", http.StatusTooManyRequests)
		}, RateLimited, false},
		"refused": {fail(400, `{"error":{"message":"no such thing"}}`), BadRequest, false},
		"no key":  {fail(401, `{"error":{"message":"who are you"}}`), Denied, true},
		"credit":  {fail(429, `{"error":{"code":"insufficient_quota"}}`), Quota, true},
	} {
		t.Run(name, func(t *testing.T) {
			broken := false
			server := &openaitest.Server{Model: "m", Reply: words}
			server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
				if number == 1 || test.class != "" {
					broken = true
					test.fault(w)
					return true
				}
				return false
			}
			p := open(t, server)
			r, err := openSession(t, p, 100).Reply(t.Context(), user("a"))
			if !broken {
				t.Fatal("nothing failed")
			}
			var failure *policy.Failure
			var boundary *spade.Error
			switch isFailure := errors.As(err, &failure); {
			case test.class == "":
				if err != nil || r.Text == "" || p.Counts().Retries != 1 {
					t.Errorf("%q, %v, %+v", r.Text, err, p.Counts())
				}
			case test.fatal:
				if isFailure || !errors.As(err, &boundary) || boundary.Boundary != spade.ByPolicy || boundary.Next == "" {
					t.Errorf("%v", err)
				}
			case !isFailure || failure.Class != string(test.class):
				t.Errorf("%v, want %s", err, test.class)
			}
			if test.class != "" && server.Asked() != 1 {
				t.Errorf("it was asked %d times", server.Asked())
			}
		})
	}
}

// TestWaits: a request waits at least as long as the server asks, and so do others.
func TestWaits(t *testing.T) {
	const wait = 300 * time.Millisecond
	var refused time.Time
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		if number == 1 {
			refused = time.Now()
			w.Header().Set("Retry-After-Ms", fmt.Sprint(wait.Milliseconds()))
			http.Error(w, "later", http.StatusTooManyRequests)
			return true
		}
		if number > 1 && time.Since(refused) < wait {
			t.Errorf("request %d came too early", number)
		}
		return false
	}
	p := open(t, server)
	if _, err := openSession(t, p, 100).Reply(t.Context(), user("a")); err != nil {
		t.Fatal(err)
	}
}

// TestHungStream: a stream that stops is given up long before the deadline of the whole reply, and asked for again.
func TestHungStream(t *testing.T) {
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		if number != 1 {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"never"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	}
	patient := hasty()
	patient.base, patient.idle = time.Hour, 50*time.Millisecond
	p := open(t, server)
	p.timing = patient
	r, err := openSession(t, p, streamFrom).Reply(t.Context(), user("a"))
	if err != nil || r.Text == "" || strings.Contains(r.Text, "never") || p.Counts().Retries != 1 {
		t.Errorf("%+v, %v, %+v", r, err, p.Counts())
	}
}

// TestHopeless: a server that is gone ends the run instead of failing every episode.
func TestHopeless(t *testing.T) {
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		http.Error(w, "gone", http.StatusBadGateway)
		return true
	}
	p := open(t, server)
	for n := 1; ; n++ {
		_, err := openSession(t, p, 100).Reply(t.Context(), user("a"))
		var failure *policy.Failure
		if errors.As(err, &failure) && n < hopeless {
			continue
		}
		var boundary *spade.Error
		if n != hopeless || !errors.As(err, &boundary) || boundary.Boundary != spade.ByPolicy || !strings.Contains(boundary.Next, "--resume") {
			t.Errorf("request %d: %v", n, err)
		}
		return
	}
}

// TestContext: a prompt that does not fit ends the conversation; a server that tells its context is believed.
func TestContext(t *testing.T) {
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		var request openaitest.Request
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		if request.MaxTokens > 4090 {
			http.Error(w, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested more."}}`, 400)
			return true
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"%d"},"finish_reason":"stop"}]}`, request.MaxTokens)
		return true
	}
	p := open(t, server)
	if p.Info().Context != defaultContext {
		t.Errorf("a context of %d is assumed", p.Info().Context)
	}
	r, err := openSession(t, p, 10000).Reply(t.Context(), user("a"))
	if err != nil || r.Stop != policy.StopEnd || len(r.Text) != 4 || p.Info().Context != 4096 {
		t.Errorf("%+v, %v, context %d", r, err, p.Info().Context)
	}
	s := openSession(t, p, 100)
	for range 2 {
		if r, err := s.Reply(t.Context(), user(strings.Repeat("word ", 5000))); err != nil || r.Stop != policy.StopContext {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestShortened: a server that reads less than it was sent is found out.
func TestShortened(t *testing.T) {
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2048,"completion_tokens":1}}`)
		return true
	}
	p := open(t, server)
	for size, stop := range map[int]policy.Stop{8000: policy.StopEnd, 40000: policy.StopContext} {
		r, err := openSession(t, p, 100).Reply(t.Context(), user(strings.Repeat("word ", size/5)))
		if err != nil || r.Stop != stop {
			t.Errorf("%d bytes: %+v, %v", size, r, err)
		}
	}
	if n := p.Counts().Truncated; n != 1 {
		t.Errorf("%d prompts were shortened", n)
	}
}

// TestKey: the key comes from the environment, goes to the server, and comes back in no text.
func TestKey(t *testing.T) {
	const key = "sk-very-secret"
	t.Setenv("SPADE_API_KEY", "other")
	t.Setenv("SPADE_API_KEY_127_0_0_1", key)
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("the server got %q", got)
		}
		http.Error(w, `{"error":{"message":"bad key `+key+`"}}`, 400)
		return true
	}
	p := open(t, server)
	_, err := openSession(t, p, 100).Reply(t.Context(), user("a"))
	if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "bad key (key)") {
		t.Errorf("%v", err)
	}
	if text := fmt.Sprintf("%+v", p.Info()); strings.Contains(text, key) {
		t.Errorf("info %s", text)
	}
}

func TestCancelled(t *testing.T) {
	server := &openaitest.Server{Model: "m", Reply: words}
	server.Before = func(w http.ResponseWriter, r *http.Request, number int64) bool {
		io.Copy(io.Discard, r.Body) // or nobody notices that the client is gone
		<-r.Context().Done()
		return true
	}
	p := open(t, server)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := openSession(t, p, 100).Reply(ctx, user("a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if p.limit.inFlight != 0 {
		t.Errorf("%d requests are still under way", p.limit.inFlight)
	}
}
