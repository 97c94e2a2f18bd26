package render

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spade"
	"spade/policy/token"
	"spade/policy/token/tokentest"
)

// tokenizers names the published tokenizer of each family.
var tokenizers = map[string]string{"qwen3": "qwen3", "llama3": "llama3_2", "gemma3": "gemma3", "gpt-oss": "gpt4o"}

type message struct{ Role, Content, Name string }

// rendering is a conversation as the publisher lays it out (testdata/make.py).
type rendering struct {
	Family, Name string
	Tools        []Tool
	NoThinking   bool `json:"no_thinking"`
	Fed          [][]message
	Replies      []string
	IDs          []int32
}

func renderings(t *testing.T) (out []rendering) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "renderings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRenderings: prompts and replies, put one behind the other, are the publisher's rendering of the whole conversation.
func TestRenderings(t *testing.T) {
	for _, c := range renderings(t) {
		t.Run(c.Family+"/"+c.Name, func(t *testing.T) {
			tok := tokentest.Published(t, tokenizers[c.Family])
			o := Options{Tools: c.Tools, NoThinking: c.NoThinking}
			if c.Family == "gpt-oss" {
				o.Effort, o.Date = "low", "2025-06-28"
			}
			r, err := New(c.Family, tok, o)
			if err != nil {
				t.Fatal(err)
			}
			conversation := r.Open()
			var got []int32
			for i, fed := range c.Fed {
				prompt, err := conversation.Prompt(messages(fed)...)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, prompt...)
				if i < len(c.Replies) {
					reply := spoken(tok, c.Replies[i])
					conversation.Replied(reply)
					got = append(got, reply...)
				}
			}
			if !slices.Equal(got, c.IDs) {
				t.Errorf("got\n%s\nwant\n%s", shown(tok, got), shown(tok, c.IDs))
			}
		})
	}
}

func messages(list []message) (out []spade.Message) {
	for _, m := range list {
		out = append(out, spade.Message{Speaker: spade.Speaker(m.Role), Name: m.Name, Content: m.Content})
	}
	return out
}

// spoken encodes what a model says, special tokens included.
func spoken(tok *token.Tokenizer, text string) (ids []int32) {
	for len(text) > 0 {
		at, end := len(text), len(text)
		var mark int32
		if i := strings.Index(text, "<|"); i >= 0 {
			at, end = i, i+strings.Index(text[i:], "|>")+2
		} else if i := strings.Index(text, "<end_of_turn>"); i >= 0 {
			at, end = i, i+len("<end_of_turn>")
		}
		if at < len(text) {
			mark, _ = tok.Special(text[at:end])
		}
		ids = append(ids, tok.Encode(text[:at])...)
		if at < len(text) {
			ids = append(ids, mark)
		}
		text = text[end:]
	}
	return ids
}

// shown is what ids stand for, with a bar between two.
func shown(tok *token.Tokenizer, ids []int32) string {
	var out []string
	for _, id := range ids {
		out = append(out, tok.Piece(id))
	}
	return strings.Join(out, "|")
}

func TestText(t *testing.T) {
	tools := []Tool{{Name: "f"}}
	for _, c := range []struct {
		family, said, want string
		tools              []Tool
	}{
		{"qwen3", "<think>\nso\n</think>\n\n\\boxed{3}<|im_end|>", "<think>\nso\n</think>\n\n\\boxed{3}", nil},
		{"qwen3", "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>", "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>", tools},
		{"llama3", "\\boxed{3}<|eot_id|>", "\\boxed{3}", tools},
		{"llama3", `{"name": "f", "parameters": {"a": 1}}<|eot_id|>`, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>", tools},
		{"llama3", `{"name": "f", "parameters": {"a": 1}}<|eot_id|>`, `{"name": "f", "parameters": {"a": 1}}`, nil},
		{"gemma3", "\\boxed{3}<end_of_turn>", "\\boxed{3}", nil},
		{"gpt-oss", "<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>\\boxed{3}<|return|>", "<think>\nso\n</think>\n\\boxed{3}", nil},
		{"gpt-oss", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":1}<|call|>", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n</tool_call>", tools},
		{"gpt-oss", " to=functions.f<|channel|>commentary<|message|>{\"a\":<|call|>", "<tool_call>\n{\"a\":\n</tool_call>", tools},
		{"gpt-oss", "<|channel|>commentary<|message|>I look.<|end|>", "I look.", nil},
		{"gpt-oss", "<|channel|>analysis<|message|>cut off", "<think>\ncut off\n</think>", nil},
	} {
		tok := tokentest.Published(t, tokenizers[c.family])
		r, err := New(c.family, tok, Options{Tools: c.tools})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Text(spoken(tok, c.said)); got != c.want {
			t.Errorf("%s: %q reads %q, want %q", c.family, c.said, got, c.want)
		}
	}
}

// TestCutOffRepliesAreClosed: a reply without the token that ends one gets it before the next message, once.
func TestCutOffRepliesAreClosed(t *testing.T) {
	for family, end := range map[string]string{"qwen3": "<|im_end|>", "llama3": "<|eot_id|>", "gemma3": "<end_of_turn>", "gpt-oss": "<|end|>"} {
		tok := tokentest.Published(t, tokenizers[family])
		r, err := New(family, tok, Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := tok.Special(end)
		for _, ended := range []bool{false, true} {
			c := r.Open()
			if _, err := c.Prompt(spade.Message{Speaker: spade.User, Content: "go"}); err != nil {
				t.Fatal(err)
			}
			reply := tok.Encode("half")
			if ended {
				reply = append(reply, r.Stops()[0])
			}
			c.Replied(reply)
			prompt, err := c.Prompt(spade.Message{Speaker: spade.User, Content: "on"})
			if err != nil {
				t.Fatal(err)
			}
			if closed := prompt[0] == id; closed == ended {
				t.Errorf("%s: after a reply that ended (%v) comes %s", family, ended, shown(tok, prompt))
			}
		}
	}
}

// TestNoMessageControls: no family lets a message end its turn.
func TestNoMessageControls(t *testing.T) {
	for family, name := range tokenizers {
		tok := tokentest.Published(t, name)
		r, err := New(family, tok, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := r.Open().Prompt(spade.Message{Speaker: spade.User, Content: "x"})
		if err != nil {
			t.Fatal(err)
		}
		attack := "x" + r.layout.end() + strings.Join(r.layout.stops(), "") + strings.Join(r.layout.marks(), "")
		got, err := r.Open().Prompt(spade.Message{Speaker: spade.User, Content: attack})
		if err != nil {
			t.Fatal(err)
		}
		if want, n := controls(tok, plain), controls(tok, got); n != want {
			t.Errorf("%s: %d special tokens, want %d: %s", family, n, want, shown(tok, got))
		}
	}
}

func controls(tok *token.Tokenizer, ids []int32) (n int) {
	for _, id := range ids {
		if special, ok := tok.Special(tok.Piece(id)); ok && special == id {
			n++
		}
	}
	return n
}

func TestNewRefuses(t *testing.T) {
	tok := tokentest.Published(t, "qwen3")
	for _, c := range []struct {
		family string
		o      Options
		want   string
	}{
		{"mamba", Options{}, "gemma3"},
		{"llama3", Options{}, "lacks <|"},
		{"qwen3", Options{Tools: []Tool{{Name: "f", Parameters: json.RawMessage("{")}}}, "not JSON"},
	} {
		if _, err := New(c.family, tok, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.family, err)
		}
	}
	gemma, err := New("gemma3", tokentest.Published(t, "gemma3"), Options{Tools: []Tool{{Name: "f"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gemma.Open().Prompt(); err == nil {
		t.Error("gemma3 takes tools")
	}
}

func TestDetect(t *testing.T) {
	for model, want := range map[string]string{
		"Qwen/Qwen3-8B": "qwen3", "meta-llama/Llama-3.1-8B-Instruct": "llama3", "google/gemma-3-270m-it": "gemma3", "openai/gpt-oss-20b": "gpt-oss",
		"mistralai/Mistral-7B": "",
	} {
		if got, ok := Detect(model); got != want || ok != (want != "") {
			t.Errorf("%s: %q", model, got)
		}
	}
}
