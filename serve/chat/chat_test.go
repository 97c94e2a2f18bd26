package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/openai"
	"spade/policy/openai/openaitest"
	"spade/policy/policytest"
)

func embedded(t *testing.T) *local.Policy {
	t.Helper()
	m, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	p, err := local.New(m, vocabulary, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func served(t *testing.T, p policy.Sampler, o Options) string {
	t.Helper()
	o.Name = "m"
	server := httptest.NewServer(New(p, o))
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, url string, body map[string]any) (int, []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var b bytes.Buffer
	b.ReadFrom(response.Body)
	return response.StatusCode, b.Bytes()
}

func user(name, text string) map[string]any {
	return map[string]any{"role": "user", "name": name, "content": text}
}

// TestTranscripts: conversations over HTTP are those that the policy has directly, tokens and all.
func TestTranscripts(t *testing.T) {
	p := embedded(t)
	url := served(t, p, Options{Text: p.Format().Text})
	for _, role := range []spade.Role{spade.Agent, spade.Designer} {
		model, name := "m", spade.NameObservation
		if role == spade.Designer {
			model, name = "m:designer", spade.NamePassage
		}
		for seed := range 6 {
			session, err := p.Open(t.Context(), policy.Spec{Role: role, Rand: spade.Stream(uint64(seed), 0, 0, "chat"), Temperature: 1, MaxTokens: 90})
			if err != nil {
				t.Fatal(err)
			}
			want, err := session.Reply(t.Context(), spade.Message{Speaker: spade.User, Name: name, Content: "the crane lifts 3"})
			if err != nil {
				t.Fatal(err)
			}
			status, body := post(t, url, map[string]any{"model": model, "seed": seed, "max_tokens": 90, "logprobs": true, "return_token_ids": true,
				"messages": []any{map[string]any{"role": "system", "content": "play"}, map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "the crane lifts 3"}}}}})
			var got completion
			if err := json.Unmarshal(body, &got); err != nil || status != 200 || len(got.Choices) != 1 {
				t.Fatalf("%d %s", status, body)
			}
			c := got.Choices[0]
			if c.Message.Content != want.Text || !reflect.DeepEqual(append(append([]int32{}, got.Prompt...), c.TokenIDs...), want.Tokens) {
				t.Errorf("%s %d: %s, want %+v", role, seed, body, want)
			}
			for i, l := range c.LogProbs.Content {
				if l.LogProb != want.LogProbs[len(got.Prompt)+i] {
					t.Errorf("%s %d: token %d has log-probability %v", role, seed, i, l.LogProb)
				}
			}
			if reason := map[policy.Stop]string{policy.StopEnd: "stop", policy.StopLength: "length"}[want.Stop]; *c.FinishReason != reason {
				t.Errorf("%s %d: finish_reason %s after %s", role, seed, *c.FinishReason, want.Stop)
			}
			if got.Usage.Prompt+got.Usage.Completion != len(want.Tokens) {
				t.Errorf("%s %d: usage %+v of %d tokens", role, seed, got.Usage, len(want.Tokens))
			}
		}
	}
}

// TestStream: the parts of a stream join to the answer.
func TestStream(t *testing.T) {
	p := embedded(t)
	url := served(t, p, Options{})
	ask := map[string]any{"model": "m", "seed": 5, "n": 2, "max_tokens": 20, "logprobs": true, "messages": []any{user("", "crane mod 8 at 3"), user("hint", "add")}}
	_, body := post(t, url, ask)
	var whole completion
	if err := json.Unmarshal(body, &whole); err != nil {
		t.Fatal(err)
	}
	ask["stream"], ask["stream_options"] = true, map[string]any{"include_usage": true}
	_, body = post(t, url, ask)
	texts, ends, lines := [2]string{}, [2]string{}, bufio.NewScanner(bytes.NewReader(body))
	var last string
	var used *usage
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		last = data
		var part completion
		if json.Unmarshal([]byte(data), &part) != nil {
			continue
		}
		if part.Usage != nil {
			used = part.Usage
		}
		for _, c := range part.Choices {
			texts[c.Index] += c.Delta.Content
			if c.FinishReason != nil {
				ends[c.Index] = *c.FinishReason
			}
		}
	}
	for i, c := range whole.Choices {
		if texts[i] != c.Message.Content || ends[i] != *c.FinishReason {
			t.Errorf("choice %d streams %q (%s), want %q (%s)", i, texts[i], ends[i], c.Message.Content, *c.FinishReason)
		}
	}
	if last != "[DONE]" || used == nil || *used != *whole.Usage {
		t.Errorf("the stream ends with %q and usage %+v", last, used)
	}
	if whole.Choices[0].Message.Content == whole.Choices[1].Message.Content && whole.Choices[0].LogProbs.Content[0].LogProb == whole.Choices[1].LogProbs.Content[0].LogProb {
		t.Log("both choices are the same: they may be")
	}
}

func TestConversation(t *testing.T) {
	var heard []spade.Message
	p := policytest.NewScript(func(spec policy.Spec, messages []spade.Message) string {
		heard = messages
		return "one STOP two"
	})
	url := served(t, p, Options{})
	status, body := post(t, url, map[string]any{"model": "m", "stop": []string{"STOP"}, "temperature": 0, "return_token_ids": true, "messages": []any{
		map[string]any{"role": "developer", "content": "s"}, user("", "a"), map[string]any{"role": "assistant", "content": "b"}, map[string]any{"role": "tool", "content": "c"}}})
	want := []spade.Message{{Speaker: spade.System, Content: "s"}, {Speaker: spade.User, Name: spade.NameObservation, Content: "a"},
		{Speaker: spade.Assistant, Content: "b"}, {Speaker: spade.Tool, Content: "c"}}
	if status != 200 || !reflect.DeepEqual(heard, want) {
		t.Errorf("%d: the policy hears %+v", status, heard)
	}
	var got completion
	if err := json.Unmarshal(body, &got); err != nil || got.Choices[0].Message.Content != "one " || got.Choices[0].TokenIDs != nil {
		t.Errorf("cut at a stop, the answer is %s", body)
	}
}

func TestRefusals(t *testing.T) {
	url := served(t, embedded(t), Options{})
	hello := []any{user("", "crane")}
	for name, test := range map[string]struct {
		body map[string]any
		code string
	}{
		"no model":         {map[string]any{"model": "gpt", "messages": hello}, "model_not_found"},
		"no messages":      {map[string]any{"model": "m"}, "invalid_value"},
		"nothing to say":   {map[string]any{"model": "m", "messages": []any{map[string]any{"role": "assistant", "content": "x"}}}, "invalid_value"},
		"no tokens":        {map[string]any{"model": "m", "messages": hello, "max_tokens": 0}, "invalid_value"},
		"temperature":      {map[string]any{"model": "m", "messages": hello, "temperature": -1}, "invalid_value"},
		"too many":         {map[string]any{"model": "m", "messages": hello, "n": 1000}, "invalid_value"},
		"tools":            {map[string]any{"model": "m", "messages": hello, "tools": []any{map[string]any{}}}, "invalid_value"},
		"unknown role":     {map[string]any{"model": "m", "messages": []any{map[string]any{"role": "judge", "content": "x"}}}, "invalid_value"},
		"a foreign reply":  {map[string]any{"model": "m", "messages": []any{hello[0], map[string]any{"role": "assistant", "content": "3"}, hello[0]}}, "invalid_value"},
		"a foreign design": {map[string]any{"model": "m:designer", "messages": []any{hello[0], map[string]any{"role": "assistant", "content": "3"}, hello[0]}}, "invalid_value"},
		"full context":     {map[string]any{"model": "m", "messages": []any{user("", strings.Repeat("crane hoist 3 ", 2000))}}, "context_length_exceeded"},
	} {
		status, body := post(t, url, test.body)
		var got struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(body, &got); err != nil || status < 400 || got.Error.Code != test.code || got.Error.Message == "" {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	response, err := http.Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var models struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&models); err != nil || len(models.Data) != 2 || models.Data[0].ID != "m" {
		t.Errorf("models are %+v, %v", models, err)
	}
}

// TestTextOnly: a reply of a server that tells no tokens is handed on where it filled the context; messages that leave no
// room for one are refused.
func TestTextOnly(t *testing.T) {
	behind := &openaitest.Server{Model: "far", Context: 4096, Reply: func(openaitest.Request) string { return strings.Repeat("on and on ", 1000) }}
	at, err := openai.ParseAddress(behind.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := openai.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	url := served(t, p, Options{})
	status, body := post(t, url, map[string]any{"model": "m", "messages": []any{user("", "go on")}})
	var got completion
	if err := json.Unmarshal(body, &got); err != nil || status != 200 || len(got.Choices) != 1 {
		t.Fatalf("%d %s", status, body)
	}
	if c := got.Choices[0]; !strings.HasPrefix(c.Message.Content, "on and on ") || *c.FinishReason != "length" {
		t.Errorf("the answer is %s", body)
	}
	status, body = post(t, url, map[string]any{"model": "m", "messages": []any{user("", strings.Repeat("word ", 8000))}})
	if status != 400 || !bytes.Contains(body, []byte("context_length_exceeded")) {
		t.Errorf("messages without an end get %d %s", status, body)
	}
}

// TestOfficialClient asks with OpenAI's own Python package, where a Python has it.
func TestOfficialClient(t *testing.T) {
	python := os.Getenv("SPADE_TINKER_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import openai").CombinedOutput(); err != nil {
		t.Skipf("%s has no package openai (make conformance installs it): %s", python, bytes.TrimSpace(out))
	}
	p := embedded(t)
	cmd := exec.CommandContext(t.Context(), python, "testdata/client.py")
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+served(t, p, Options{Text: p.Format().Text})+"/v1", "OPENAI_API_KEY=none")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
