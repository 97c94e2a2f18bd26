package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spade"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"http://127.0.0.1:8000":                      {"http://127.0.0.1:8000/v1", ""},
		"http://127.0.0.1:8000/":                     {"http://127.0.0.1:8000/v1", ""},
		"http://h:1/v1#Qwen/Qwen3-4B:free":           {"http://h:1/v1", "Qwen/Qwen3-4B:free"},
		"https://h/api/v2/":                          {"https://h/api/v2", ""},
		"https://h/v1/chat/completions#m":            {"https://h/v1", "m"},
		"http://[::1]:8000#m":                        {"http://[::1]:8000/v1", "m"},
		"https://openrouter.ai/api/v1#google/gemma#": {"https://openrouter.ai/api/v1", "google/gemma#"},
	} {
		if got, err := ParseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "127.0.0.1:8000", "ftp://h", "http://", "http://user:secret@h", "http://h/v1?key=secret", "h://u:secret@h"} {
		_, err := ParseAddress(text)
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" || strings.Contains(err.Error()+e.Next, "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestKeyVariables(t *testing.T) {
	for base, want := range map[string]string{
		"http://127.0.0.1:8000/v1":     "[SPADE_API_KEY_127_0_0_1 SPADE_API_KEY]",
		"https://api.openai.com/v1":    "[SPADE_API_KEY_API_OPENAI_COM OPENAI_API_KEY SPADE_API_KEY]",
		"https://openrouter.ai/api/v1": "[SPADE_API_KEY_OPENROUTER_AI SPADE_API_KEY]",
	} {
		if got := fmt.Sprint(KeyVariables(base)); got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

// paths serves fixed JSON by path, and chats by answer.
type paths struct {
	fixed  map[string]string
	answer func(request map[string]any) (status int, body string)
}

func (p paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/chat/completions" {
		var request map[string]any
		json.NewDecoder(r.Body).Decode(&request)
		status, body := p.answer(request)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		return
	}
	if body, ok := p.fixed[r.URL.Path]; ok {
		fmt.Fprint(w, body)
		return
	}
	http.NotFound(w, r)
}

const plainAnswer = `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop","logprobs":null}],"usage":{"prompt_tokens":20,"completion_tokens":1}}`

func plainly(map[string]any) (int, string) { return 200, plainAnswer }

// TestDialects: what a server is shows in what it lists and in the paths that only its kind has.
func TestDialects(t *testing.T) {
	list := func(entry string) string { return `{"object":"list","data":[` + entry + `]}` }
	withIDs := func(r map[string]any) (int, string) {
		if r["return_token_ids"] != true || r["logprobs"] != true {
			return 200, plainAnswer
		}
		return 200, `{"prompt_token_ids":[1],"choices":[{"message":{"content":"ok"},"finish_reason":"stop","token_ids":[2],"logprobs":{"content":[{"token":"token_id:2","logprob":-1}]}}]}`
	}
	for name, test := range map[string]struct {
		server  paths
		note    string
		curious string // the second note
		context int
	}{
		"vLLM": {paths{map[string]string{"/v1/models": list(`{"id":"q","owned_by":"vllm","max_model_len":8192}`), "/version": `{"version":"0.11.0"}`}, withIDs},
			"vLLM 0.11.0 at URL, model q, context 8192 tokens", "token ids and log-probabilities are recorded", 8192},
		"SGLang": {paths{map[string]string{"/v1/models": list(`{"id":"q","owned_by":"sglang","max_model_len":4096}`), "/get_server_info": `{"version":"0.5.3"}`}, plainly},
			"SGLang 0.5.3 at URL, model q, context 4096 tokens", "curriculum only: this server returns no token ids", 4096},
		"llama.cpp": {paths{map[string]string{"/v1/models": list(`{"id":"q","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}`),
			"/props": `{"default_generation_settings":{"n_ctx":2048},"total_slots":4,"build_info":"b7000"}`},
			func(r map[string]any) (int, string) {
				if r["top_logprobs"] != 1.0 {
					return 200, plainAnswer
				}
				return 200, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop","logprobs":{"content":[{"id":7,"token":"ok","logprob":-1,"bytes":[111,107]}]}}]}`
			}},
			"llama.cpp b7000 at URL, model q, context 2048 tokens", "curriculum only: this server returns no prompt token ids", 2048},
		"llama-cpp-python": {paths{map[string]string{"/v1/models": list(`{"id":"/models/q.gguf","object":"model","owned_by":"me","permissions":[]}`)},
			func(r map[string]any) (int, string) {
				if r["logprobs"] != nil {
					return 500, `{"error":{"message":"logprobs is not supported for models created with logits_all=False","type":"internal_server_error"}}`
				}
				return 200, plainAnswer
			}},
			"llama-cpp-python at URL, model /models/q.gguf, context 32768 tokens (assumed", "curriculum only: this server returns no token ids", 32768},
		"Ollama": {paths{map[string]string{"/v1/models": list(`{"id":"q:1b","owned_by":"library"}`), "/api/version": `{"version":"0.12.6"}`,
			"/api/ps": `{"models":[{"name":"q:1b","context_length":16384}]}`}, plainly},
			"Ollama 0.12.6 at URL, model q:1b, context 16384 tokens", "curriculum only: this server returns no token ids", 16384},
		"LM Studio": {paths{map[string]string{"/v1/models": list(`{"id":"q","owned_by":"organization_owner"}`),
			"/api/v0/models": list(`{"id":"q","state":"loaded","max_context_length":40960,"loaded_context_length":4096}`)}, plainly},
			"LM Studio at URL, model q, context 4096 tokens", "curriculum only: this server returns no token ids", 4096},
		"strict": {paths{map[string]string{"/v1/models": list(`{"id":"q","owned_by":"x"}`)},
			func(r map[string]any) (int, string) {
				for _, field := range []string{"return_token_ids", "top_k", "max_tokens", "temperature"} {
					if r[field] != nil {
						return 400, `{"error":{"message":"Unsupported parameter: '` + field + `'","type":"invalid_request_error"}}`
					}
				}
				return 200, plainAnswer
			}},
			"a server of unknown kind at URL, model q, context 32768 tokens (assumed", "curriculum only: this server returns no token ids", 32768},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.server)
			defer server.Close()
			p, err := connect(t.Context(), Address{Base: server.URL + "/v1"}, hasty())
			if err != nil {
				t.Fatal(err)
			}
			info := p.Info()
			if note := strings.ReplaceAll(info.Notes[0], p.base, "URL"); !strings.HasPrefix(note, test.note) {
				t.Errorf("it says %q", note)
			}
			if !strings.HasPrefix(info.Notes[1], test.curious) || info.TextOnly == strings.HasPrefix(test.curious, "token ids") {
				t.Errorf("it says %q; text only: %v", info.Notes[1], info.TextOnly)
			}
			if info.Context != test.context {
				t.Errorf("context %d", info.Context)
			}
		})
	}
}

func TestConnectErrors(t *testing.T) {
	two := `{"data":[{"id":"a"},{"id":"b"}]}`
	for name, test := range map[string]struct {
		server   paths
		model    string
		boundary spade.Boundary
		says     string
	}{
		"several models": {paths{map[string]string{"/v1/models": two}, plainly}, "", spade.ByUser, "several models: a, b"},
		"no model":       {paths{map[string]string{"/v1/models": `{"data":[]}`}, plainly}, "", spade.ByUser, "lists no model"},
		"no list":        {paths{nil, plainly}, "", spade.ByUser, "lists no model"},
		"no such model": {paths{nil, func(map[string]any) (int, string) { return 404, `{"error":{"message":"model x not found"}}` }}, "x",
			spade.ByPolicy, "model x not found"},
		"no chat": {paths{nil, func(map[string]any) (int, string) { return 500, "boom" }}, "x", spade.ByPolicy, "boom"},
	} {
		server := httptest.NewServer(test.server)
		_, err := connect(t.Context(), Address{Base: server.URL + "/v1", Model: test.model}, hasty())
		server.Close()
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != test.boundary || e.Next == "" || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server := httptest.NewServer(paths{})
	server.Close()
	_, err := connect(t.Context(), Address{Base: server.URL + "/v1"}, hasty())
	var e *spade.Error
	if !errors.As(err, &e) || e.Boundary != spade.ByPolicy || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody there: %v", err)
	}
}
