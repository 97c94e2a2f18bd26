// Package openaitest holds a server of chat completions whose replies a test decides. It is imported by tests only.
package openaitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Message is one message of a request.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is what a client asked, as far as servers here look at it.
type Request struct {
	Model     string    `json:"model"`
	Messages  []Message `json:"messages"`
	MaxTokens int       `json:"max_tokens"`
	Seed      int64     `json:"seed"`
	LogProbs  bool      `json:"logprobs"`
	TokenIDs  bool      `json:"return_token_ids"`
	Stream    bool      `json:"stream"`
}

// Server says how a server behaves. Every byte is one token, every sampled token has log-probability -1.
type Server struct {
	// Model is the one that it lists, with Owner as its owner; Context is its context in tokens.
	Model, Owner string
	Context      int
	// TokenIDs says that it tells token ids and log-probabilities.
	TokenIDs bool
	// Reply answers a request.
	Reply func(r Request) string
	// Before sees every chat request after Begin first, numbered from 1; if it returns true, it has answered.
	Before func(w http.ResponseWriter, r *http.Request, number int64) bool
	// Native serves the paths besides /v1; nil answers 404.
	Native http.HandlerFunc

	begun atomic.Bool
	asked atomic.Int64
}

// Begin says that whoever asks from now on is the test and no longer the client that finds out about the server.
func (s *Server) Begin() { s.begun.Store(true) }

// Asked is the number of chat requests since Begin.
func (s *Server) Asked() int64 { return s.asked.Load() }

// Start serves until the test ends and returns the server's address.
func (s *Server) Start(t testing.TB) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/models":
		write(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
			map[string]any{"id": s.Model, "object": "model", "owned_by": s.Owner, "max_model_len": s.Context},
		}})
	case r.URL.Path == "/v1/chat/completions":
		if s.begun.Load() {
			if n := s.asked.Add(1); s.Before != nil && s.Before(w, r, n) {
				return
			}
		}
		s.chat(w, r)
	case s.Native != nil:
		s.Native(w, r)
	default:
		http.NotFound(w, r)
	}
}

// The tokens that lay out a conversation; the rest are the bytes of its texts.
const (
	openUser = 1 + iota
	openAssistant
	closeMessage
)

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var request Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		write(w, http.StatusBadRequest, failure("the request is not JSON", ""))
		return
	}
	prompt := layOut(request.Messages)
	if s.Context > 0 && len(prompt)+request.MaxTokens > s.Context {
		write(w, http.StatusBadRequest, failure("the prompt is longer than the model's context", "context_length_exceeded"))
		return
	}
	text, finish := s.Reply(request), "stop"
	sampled := append([]byte(text), closeMessage)
	if len(sampled) > request.MaxTokens {
		sampled, finish = sampled[:request.MaxTokens], "length"
		text = string(sampled)
	}
	choice := map[string]any{"index": 0, "finish_reason": finish}
	answer := map[string]any{"object": "chat.completion", "model": s.Model, "choices": []any{choice},
		"usage": map[string]int{"prompt_tokens": len(prompt), "completion_tokens": len(sampled)}}
	if s.TokenIDs && request.TokenIDs {
		answer["prompt_token_ids"], choice["token_ids"] = ids(prompt), ids(sampled)
		content := make([]any, len(sampled))
		for i, b := range sampled {
			content[i] = map[string]any{"token": string(rune(b)), "logprob": -1, "bytes": []int{int(b)}}
		}
		choice["logprobs"] = map[string]any{"content": content}
	}
	message := map[string]any{"role": "assistant", "content": text}
	if request.Stream {
		choice["delta"] = message
		stream(w, answer)
		return
	}
	choice["message"] = message
	write(w, http.StatusOK, answer)
}

// layOut turns a conversation into tokens, ready for the next reply.
func layOut(messages []Message) []byte {
	var b []byte
	for _, m := range messages {
		open := byte(openUser)
		if m.Role == "assistant" {
			open = openAssistant
		}
		b = append(append(append(b, open), m.Content...), closeMessage)
	}
	return append(b, openAssistant)
}

func ids(tokens []byte) []int {
	list := make([]int, len(tokens))
	for i, b := range tokens {
		list[i] = int(b)
	}
	return list
}

func failure(message, code string) map[string]any {
	return map[string]any{"error": map[string]any{"message": message, "code": code}}
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// stream sends an answer as one event.
func stream(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Write([]byte(strings.Join([]string{": hello", "data: " + string(data), "data: [DONE]", ""}, "\n\n")))
}
