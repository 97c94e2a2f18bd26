package design

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/policytest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestInstruct holds the prompts for models that follow instructions against files.
func TestInstruct(t *testing.T) {
	rate := func(r float64) *float64 { return &r }
	salt := passage("Salt draws water out of cells.")
	teachable := spade.Remembered{Source: body, WinRate: 0.5, HintedWinRate: 0.75}
	for name, test := range map[string]struct {
		cfg Config
		req Request
	}{
		"game":     {DefaultInstruct(), Request{Passage: salt, Skill: "optimization"}},
		"tool_use": {DefaultInstruct(), Request{Passage: salt, Skill: "data retrieval"}},
		"workflow": {DefaultInstruct(), Request{Skill: multiStep, WinRate: rate(0.5)}},
		"separate": {Config{Hint: HintSeparate}, Request{Passage: salt, Skill: "optimization", WinRate: rate(0.9)}},
		"examples": {DefaultInstruct(), Request{Skill: "optimization", WinRate: rate(0.1), Examples: []spade.Remembered{
			teachable, {Source: "# easy\n", WinRate: 1}, {Source: "# hard\n", WinRate: 0.05}}}},
	} {
		t.Run(name, func(t *testing.T) {
			prompt, err := Prompt(policy.InstructPrompts, test.cfg, test.req)
			if err != nil || len(prompt) != 1 || prompt[0].Speaker != spade.User {
				t.Fatalf("%+v, %v", prompt, err)
			}
			golden(t, name, prompt[0].Content)
		})
	}
	for name, data := range map[string]ask{
		"ask_hint": {}, "new_hint": {Fault: "hint_leak: it names 7"}, "hint": {Source: body, ToolUse: true}, "repair": {Fault: "hang: reset took 9 s", Advice: adviceOn(spade.Verdict{Reasons: []spade.Reason{
			{Code: spade.Hang}, {Code: spade.Hang}, {Code: spade.Contract}}})},
	} {
		text, err := render(policy.InstructPrompts, name+".tmpl", data)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, text)
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text+"\n" {
		t.Errorf("%s differs from %s; look at it, then go test ./design -update", name, file)
	}
}

// TestBudget shows examples whole or not at all, and cuts passages between words.
func TestBudget(t *testing.T) {
	examples := []spade.Remembered{{Source: strings.Repeat("a", 60)}, {Source: strings.Repeat("b", 50)}, {Source: strings.Repeat("c", 40)}}
	shown := within(examples, 100, func(s string) int { return len(s) })
	if len(shown) != 2 || shown[0].Source[0] != 'a' || shown[1].Source[0] != 'c' {
		t.Errorf("shown: %+v", shown)
	}
	for text, want := range map[string]string{"one two  three": "one two […]", "one two": "one two", " one\ntwo ": "one\ntwo", "": ""} {
		if got := firstWords(text, 2); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// instructed is a script that reads instructions.
type instructed struct{ policy.Sampler }

func (s instructed) Info() policy.Info {
	info := s.Sampler.Info()
	info.Prompts = policy.InstructPrompts
	return info
}

// TestSeparateHint asks for the hint in a conversation of its own, which knows the source and nothing else.
func TestSeparateHint(t *testing.T) {
	var hints []string
	script := policytest.NewScript(func(spec policy.Spec, messages []spade.Message) string {
		if spec.Temperature == hintTemperature {
			if len(messages) != 1 {
				t.Errorf("a hint is asked for after %d messages", len(messages)-1)
			}
			hints = append(hints, messages[0].Content)
			return "<hint>look first</hint>"
		}
		if len(messages) > 1 {
			return "```python\nclass BEnv:\n    pass\n```"
		}
		return code + "\n<hint>not this one</hint>"
	})
	cfg := DefaultInstruct()
	cfg.Hint = HintSeparate
	c, err := Open(t.Context(), instructed{script}, cfg, Request{Skill: "optimization"}, spade.Stream(1, 1, 1, "design"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	first, err := c.First(t.Context())
	if err != nil || first.Hint != "look first" || first.Source != body {
		t.Fatalf("source %q, hint %q, %v", first.Source, first.Hint, err)
	}
	again, err := c.Repair(t.Context(), "trivial: no", spade.Verdict{})
	if err != nil || again.Hint != "look first" {
		t.Fatalf("hint %q, %v", again.Hint, err)
	}
	if len(hints) != 2 || !strings.Contains(hints[0], "class AEnv") || !strings.Contains(hints[1], "class BEnv") {
		t.Errorf("hints were asked for with %q", hints)
	}
}
