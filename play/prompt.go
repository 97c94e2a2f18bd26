package play

import (
	"bytes"
	"embed"
	"strings"
	"text/template"

	"spade"
	"spade/policy"
)

//go:embed templates/*.tmpl
var files embed.FS

var templates = template.Must(template.ParseFS(files, "templates/*.tmpl"))

// DefaultInstruct is the configuration for a model that follows instructions, as published.
func DefaultInstruct() Config {
	return Config{MaxTurns: 25, MaxTokens: 8192, Temperature: 0.6, TopP: 0.95, TopK: 20}
}

// messages are what the agent reads before a turn. The hint stands beside the first observation; models that follow
// instructions are told first how they play.
func (p *Player) messages(kind spade.Kind, budget int, observation, hint string, first bool) []spade.Message {
	seen := spade.Message{Speaker: spade.User, Name: spade.NameObservation, Content: observation}
	if !first {
		return []spade.Message{seen}
	}
	var m []spade.Message
	instruct := p.Policy.Info().Prompts == policy.InstructPrompts
	if instruct {
		m = append(m, spade.Message{Speaker: spade.User, Content: Instructions(kind, budget)})
	}
	m = append(m, seen)
	if hint != "" {
		if instruct {
			hint = "Advice from somebody who knows how this environment works:\n" + hint
		}
		m = append(m, spade.Message{Speaker: spade.User, Name: spade.NameHint, Content: hint})
	}
	return m
}

// Instructions is what a model that follows instructions is told before it plays an environment of a kind for at most
// budget turns.
func Instructions(kind spade.Kind, budget int) string {
	name := "game.tmpl"
	if kind == spade.ToolUse {
		name = "tool_use.tmpl"
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, map[string]int{"Turns": budget}); err != nil {
		panic(err) // the templates are part of the program and take nothing that can be missing
	}
	return strings.TrimSpace(b.String())
}
