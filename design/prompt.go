package design

import (
	"bytes"
	"fmt"
	"strings"

	"spade"
	"spade/policy"
)

// toolSkills are the skills that tool-use environments exercise, as published; all others are exercised by games.
var toolSkills = map[string]bool{
	"API orchestration": true, "data retrieval": true, "state modification": true, "error recovery": true,
	"tool selection": true, multiStep: true,
}

// multiStep is the skill whose tasks are told in several instructions, one after the other.
const multiStep = "multi-step workflows"

// Skills are the published skills, games and tool use taking turns.
func Skills() []string {
	return []string{
		"mathematical reasoning", "API orchestration", "logical deduction", "data retrieval", "spatial reasoning",
		"state modification", "pattern recognition", "error recovery", "optimization", "tool selection", "causal inference",
		multiStep,
	}
}

// KindOf is the form of interaction in which a skill is exercised.
func KindOf(skill string) spade.Kind {
	if toolSkills[skill] {
		return spade.ToolUse
	}
	return spade.Game
}

// Prompt renders what the designer is asked, in the family of prompts that its model reads.
func Prompt(family policy.Prompts, cfg Config, req Request) ([]spade.Message, error) {
	if family == policy.CompactPrompts {
		return compactPrompt(req)
	}
	name := "game.tmpl"
	if KindOf(req.Skill) == spade.ToolUse {
		name = "tool_use.tmpl"
	}
	text, err := render(family, name, newAsk(cfg, req))
	if err != nil {
		return nil, err
	}
	return []spade.Message{{Speaker: spade.User, Content: text}}, nil
}

// compactPrompt is a message for each example, then the passage.
func compactPrompt(req Request) ([]spade.Message, error) {
	var prompt []spade.Message
	for _, example := range req.Examples {
		text, err := render(policy.CompactPrompts, "memory.tmpl", example)
		if err != nil {
			return nil, err
		}
		prompt = append(prompt, spade.Message{Speaker: spade.User, Name: spade.NameMemory, Content: text})
	}
	if req.Passage != nil {
		text, err := render(policy.CompactPrompts, "passage.tmpl", req.Passage)
		if err != nil {
			return nil, err
		}
		prompt = append(prompt, spade.Message{Speaker: spade.User, Name: spade.NamePassage, Content: text})
	}
	return prompt, nil
}

// ask is what the instruct templates read.
type ask struct {
	Skill   string
	Passage string
	// Teachable are examples to learn from, Avoid those to keep away from.
	Teachable, Avoid []spade.Remembered
	// Known says that Rate, in [0, 1], is how often environments of the skill were won of late.
	Known bool
	Rate  float64
	// ToolUse and MultiTurn say what kind of task is asked for; Separate that the hint is asked for on its own.
	ToolUse, MultiTurn, Separate bool

	// Source is the environment that a hint is asked for.
	Source string
	// Fault is why an answer was refused, Advice what to do about each of its reasons.
	Fault  string
	Advice []string
}

func newAsk(cfg Config, req Request) ask {
	a := ask{
		Skill: req.Skill, ToolUse: KindOf(req.Skill) == spade.ToolUse, MultiTurn: req.Skill == multiStep,
		Separate: cfg.Hint == HintSeparate,
	}
	if req.Passage != nil {
		a.Passage = firstWords(req.Passage.Text, cfg.PassageWords)
	}
	if req.WinRate != nil {
		a.Known, a.Rate = true, *req.WinRate
	}
	for _, e := range req.Examples {
		e.Source = strings.TrimSpace(e.Source)
		if extreme(e) {
			a.Avoid = append(a.Avoid, e)
		} else {
			a.Teachable = append(a.Teachable, e)
		}
	}
	return a
}

// extreme says that an example is one to avoid; memory shows as such what is won nearly always or nearly never.
func extreme(e spade.Remembered) bool { return e.WinRate < 0.1 || mastered(e) }

func mastered(e spade.Remembered) bool { return e.WinRate > 0.9 }

// firstWords returns the beginning of a text up to n words, 0 for all of it.
func firstWords(text string, n int) string {
	text = strings.TrimSpace(text)
	if n <= 0 {
		return text
	}
	inside, words := false, 0
	for i, r := range text {
		space := r == ' ' || r == '\n' || r == '\t' || r == '\r'
		if !space && !inside {
			if words++; words > n {
				return strings.TrimSpace(text[:i]) + " […]"
			}
		}
		inside = !space
	}
	return text
}

// within returns the examples whose sources fit into a budget of tokens together, in their order. Sources are shown
// whole or not at all.
func within(examples []spade.Remembered, budget int, count func(string) int) []spade.Remembered {
	if budget <= 0 {
		return examples
	}
	var shown []spade.Remembered
	for _, e := range examples {
		if n := count(e.Source); n <= budget {
			budget -= n
			shown = append(shown, e)
		}
	}
	return shown
}

func render(family policy.Prompts, name string, data any) (string, error) {
	set := compact
	if family == policy.InstructPrompts {
		set = instruct
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("render the designer's prompt %s: %w", name, err)
	}
	if family == policy.CompactPrompts {
		return b.String(), nil
	}
	return strings.TrimSpace(b.String()), nil
}
