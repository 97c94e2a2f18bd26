package design

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"spade"
	"spade/library"
	"spade/policy"
	"spade/policy/policytest"
)

const (
	code = "```python\nclass AEnv:\n    pass\n```"
	body = "class AEnv:\n    pass\n"
)

func passage(text string) *spade.Passage {
	return &spade.Passage{ID: spade.ContentID(text), Text: text}
}

// TestPrompt holds the designer's prompt against what the embedded model was warmed up with, to the letter.
func TestPrompt(t *testing.T) {
	example := func(winRate float64, source string) spade.Remembered {
		return spade.Remembered{Source: source, WinRate: winRate, Hint: "not shown"}
	}
	user := func(name, content string) spade.Message {
		return spade.Message{Speaker: spade.User, Name: name, Content: content}
	}
	for _, test := range []struct {
		name string
		req  Request
		want []spade.Message
	}{
		{"ungrounded", Request{}, nil},
		{"a passage as it is", Request{Passage: passage("a < b & {{c}}\n")},
			[]spade.Message{user(spade.NamePassage, "a < b & {{c}}\n")}},
		{"examples before the passage, each with the decile of its win rate",
			Request{
				Passage:  passage("salt"),
				Examples: []spade.Remembered{example(0.42, body), example(0, "x<1\n"), example(1, ""), example(0.1, "y")},
			},
			[]spade.Message{
				user(spade.NameMemory, "win 4\nclass AEnv:\n    pass\n"), user(spade.NameMemory, "win 0\nx<1\n"),
				user(spade.NameMemory, "win 9\n"), user(spade.NameMemory, "win 1\ny"), user(spade.NamePassage, "salt"),
			}},
	} {
		got, err := Prompt(policy.CompactPrompts, Default(), test.req)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(test.want) {
			t.Fatalf("%s: %d messages, want %d", test.name, len(got), len(test.want))
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: message %d is %+v, want %+v", test.name, i, got[i], test.want[i])
			}
		}
	}
}

// TestExamplesReadAsAtTheWarmStart: the embedded model knows examples in the form that the library wrote for it.
func TestExamplesReadAsAtTheWarmStart(t *testing.T) {
	for i := range 101 {
		example := spade.Remembered{Source: body, WinRate: float64(i) / 100}
		prompt, err := Prompt(policy.CompactPrompts, Default(), Request{Examples: []spade.Remembered{example}})
		if err != nil {
			t.Fatal(err)
		}
		if want := library.MemoryText(body, example.WinRate); prompt[0].Content != want {
			t.Errorf("an example reads %q, the library writes %q", prompt[0].Content, want)
		}
	}
}

// scripted opens a conversation with a designer that gives these replies one after the other, and notes what it
// was asked.
func scripted(t *testing.T, asked *[]string, replies ...string) *Conversation {
	t.Helper()
	next := 0
	sampler := policytest.NewScript(func(spec policy.Spec, messages []spade.Message) string {
		if spec.Role != spade.Designer || spec.Temperature != 0.5 || spec.MaxTokens != 1000 {
			t.Errorf("the designer is sampled with %+v", spec)
		}
		*asked = append(*asked, messages[len(messages)-1].Content)
		next++
		return replies[next-1]
	})
	cfg := Config{MaxTokens: 1000, Temperature: 0.5}
	c, err := Open(t.Context(), sampler, cfg, Request{Passage: passage("salt")}, spade.Stream(1, 1, 1, "design"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestFirst(t *testing.T) {
	for _, test := range []struct {
		name         string
		replies      []string
		source, hint string
		follow       bool
	}{
		{"source and hint", []string{code + "\n<hint> go up </hint>"}, body, "go up", false},
		{"a missing hint is asked for", []string{code, "<hint>go up</hint>"}, body, "go up", true},
		{"and may stay missing", []string{code, "no idea"}, body, "", true},
		{"a source in the follow-up is not taken", []string{code, "```python\nx\n```\n<hint>go up</hint>"}, body, "go up", true},
		{"no source, no follow-up", []string{"I cannot."}, "", "", false},
		{"a hint alone", []string{"<hint>go up</hint>"}, "", "go up", false},
		{"a block that is cut off", []string{"```python\nclass AEnv:"}, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			c := scripted(t, &asked, test.replies...)
			d, err := c.First(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d.Source != test.source || d.Hint != test.hint || d.Reply != test.replies[0] {
				t.Errorf("read %+v", d)
			}
			if follow := len(asked) > 1; follow != test.follow || asked[0] != "salt" {
				t.Errorf("asked %q", asked)
			}
			if test.follow && !strings.Contains(asked[1], "<hint>") {
				t.Errorf("the follow-up %q does not say how to answer", asked[1])
			}
			checkTrajectory(t, d.Trajectory, "salt", test.replies[0])
		})
	}
}

// checkTrajectory: the tokens are those of the first answer, whatever was said afterwards. The script's tokens
// are bytes.
func checkTrajectory(t *testing.T, trajectory spade.Trajectory, prompt, reply string) {
	t.Helper()
	var fed, sampled []byte
	for i, token := range trajectory.Tokens {
		if trajectory.Mask[i] {
			sampled = append(sampled, byte(token))
		} else {
			fed = append(fed, byte(token))
		}
	}
	if string(fed) != prompt || string(sampled) != reply || len(trajectory.LogProbs) != len(trajectory.Tokens) {
		t.Errorf("the trajectory feeds %q and samples %q", fed, sampled)
	}
}

func TestRepair(t *testing.T) {
	var asked []string
	c := scripted(t, &asked, "```python\ndef (\n```\n<hint>go up</hint>", code+"\n<hint>go down</hint>")
	if _, err := c.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	const fault = "syntax: invalid syntax (line 1)\n  def ("
	d, err := c.Repair(t.Context(), fault, spade.Verdict{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Source != body || d.Hint != "go down" {
		t.Errorf("read %+v", d)
	}
	want := "The environment was refused: " + fault +
		"\nWrite the whole corrected file in one ```python block, then its hint as <hint>…</hint>."
	if asked[1] != want {
		t.Errorf("asked %q, want %q", asked[1], want)
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked []string
	c := scripted(t, &asked, code)
	cancel()
	if _, err := c.First(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("First: %v", err)
	}
	if _, err := c.Repair(ctx, "fault", spade.Verdict{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Repair: %v", err)
	}
	sampler := policytest.NewScript(nil)
	if _, err := Open(ctx, sampler, Default(), Request{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for key, c := range map[string]Config{
		"design.max_tokens":  {MaxTokens: 0, Temperature: 1},
		"design.temperature": {MaxTokens: 1, Temperature: 0},
		"design.top_p":       {MaxTokens: 1, Temperature: 1, TopP: 1.5},
		"design.top_k":       {MaxTokens: 1, Temperature: 1, TopK: -1},
		"design.repairs":     {MaxTokens: 1, Temperature: 1, Repairs: -1},
	} {
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), key+" is ") {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, c := range []Config{
		{MaxTokens: 1, Temperature: math.NaN()}, {MaxTokens: 1, Temperature: 1, TopP: math.NaN()},
		{MaxTokens: 1, Temperature: math.Inf(1)},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
