package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"spade"
)

// listedModel is one entry of a server's list of models, with what dialects add.
type listedModel struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"`  // vLLM, SGLang
	Context     int    `json:"context_length"` // OpenRouter and others
	Meta        *struct {
		Context int `json:"n_ctx"`
	} `json:"meta"`
}

// server is what was found out about a server.
type server struct {
	dialect dialect
	version string
	// context is that of the chosen model in tokens, 0 where the server does not say.
	context int
	// slots is how many requests it works on at once, 0 where that is for the limiter to find out.
	slots int
}

type dialect string

const (
	vllm     dialect = "vLLM"
	sglang   dialect = "SGLang"
	llamaCPP dialect = "llama.cpp"
	llamaPy  dialect = "llama-cpp-python"
	ollama   dialect = "Ollama"
	lmStudio dialect = "LM Studio"
	hosted   dialect = "OpenAI"
	unknown  dialect = "a server of unknown kind"
)

func (s server) title() string {
	return strings.TrimSpace(string(s.dialect) + " " + s.version)
}

// fields are those that a dialect is asked for at first; the probe drops what it does not take.
func (s server) fields() fields {
	f := fields{maxTokens: "max_tokens", seed: true, topP: true, topK: true, temperature: true, logProbs: true, tokenIDs: true, usage: true}
	switch s.dialect {
	case hosted:
		f.maxTokens, f.topK, f.tokenIDs, f.logProbs = "max_completion_tokens", false, false, false
	case llamaCPP, llamaPy:
		f.topLogProbs = 1
	case ollama, lmStudio:
		f.tokenIDs, f.logProbs = false, false
	}
	return f
}

// models returns the list of models; nil where the server has none.
func (p *Policy) models(ctx context.Context) ([]listedModel, error) {
	body, status, err := p.get(ctx, p.base+"/models")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, spade.Errorf(spade.ByPolicy, "start the server, or correct its address", "connect to %s: %w", p.base, transportFault(err))
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, spade.Errorf(spade.ByPolicy, "put the key into the environment variable "+KeyVariables(p.base)[0],
			"connect to %s: the server wants a key (status %d)", p.base, status)
	case http.StatusOK:
		var list struct {
			Data []listedModel `json:"data"`
		}
		if json.Unmarshal(body, &list) == nil {
			return list.Data, nil
		}
	}
	return nil, nil
}

// detect tells the dialects apart by what only they have.
func (p *Policy) detect(ctx context.Context, listed []listedModel) server {
	s := server{dialect: unknown}
	root := strings.TrimSuffix(p.base, "/v1")
	owner := ""
	for _, m := range listed {
		if m.ID == p.model {
			owner = m.OwnedBy
			s.context = max(m.Context, m.MaxModelLen)
			if m.Meta != nil {
				s.context = max(s.context, m.Meta.Context)
			}
		}
	}
	switch {
	case strings.Contains(root, "api.openai.com"):
		s.dialect = hosted
	case owner == "vllm":
		s.dialect = vllm
		s.version = p.field(ctx, root+"/version", "version")
	case owner == "sglang":
		s.dialect = sglang
		s.version = p.field(ctx, root+"/get_server_info", "version")
	case owner == "llamacpp":
		p.asLlama(ctx, root, &s)
	case owner == "me":
		s.dialect, s.slots = llamaPy, 1 // it answers one request at a time, and may break off one for the next
	default:
		p.detectByPath(ctx, root, &s)
	}
	return s
}

// detectByPath asks for the native endpoints of servers whose lists look like anyone's.
func (p *Policy) detectByPath(ctx context.Context, root string, s *server) {
	if v := p.field(ctx, root+"/api/version", "version"); v != "" {
		s.dialect, s.version = ollama, v
		s.context = p.ollamaContext(ctx, root)
		return
	}
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
			Most   int    `json:"max_context_length"`
		} `json:"data"`
	}
	if p.object(ctx, root+"/api/v0/models", &list) && len(list.Data) > 0 {
		s.dialect = lmStudio
		for _, m := range list.Data {
			if m.ID == p.model {
				s.context = m.Loaded
			}
		}
		return
	}
	p.asLlama(ctx, root, s)
}

// asLlama asks for the properties that llama.cpp's server shows.
func (p *Policy) asLlama(ctx context.Context, root string, s *server) {
	var props struct {
		Build    string `json:"build_info"`
		Settings *struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if !p.object(ctx, root+"/props", &props) || props.Settings == nil {
		return
	}
	s.dialect, s.version, s.context = llamaCPP, props.Build, props.Settings.Context
}

// ollamaContext is the context with which the model is loaded. Ollama shortens longer prompts in silence.
func (p *Policy) ollamaContext(ctx context.Context, root string) int {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	p.object(ctx, root+"/api/ps", &running)
	for _, m := range running.Models {
		if m.Name == p.model || strings.TrimSuffix(m.Name, ":latest") == p.model {
			return m.Context
		}
	}
	return 4096 // its default
}

func (p *Policy) field(ctx context.Context, url, name string) string {
	var object map[string]any
	if !p.object(ctx, url, &object) {
		return ""
	}
	text, _ := object[name].(string)
	return oneLine(text)
}

// object reads a JSON object and reports whether there was one.
func (p *Policy) object(ctx context.Context, url string, into any) bool {
	body, status, err := p.get(ctx, url)
	return err == nil && status == http.StatusOK && json.NewDecoder(bytes.NewReader(body)).Decode(into) == nil
}

func (p *Policy) get(ctx context.Context, url string) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(ctx, min(p.timing.base, 20*time.Second))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("ask %s: %w", url, err)
	}
	p.authorize(request)
	response, err := p.http.RoundTrip(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	return body, response.StatusCode, err
}

func asFault(err error) *Fault {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return nil
}
