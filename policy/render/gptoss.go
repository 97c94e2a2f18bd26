package render

import (
	"encoding/json"
	"strings"

	"spade"
)

// gptOSS is OpenAI's harmony format: replies are messages on channels, tools are declared in TypeScript.
type gptOSS struct{}

func (gptOSS) stops() []string { return []string{"<|return|>", "<|call|>"} }
func (gptOSS) end() string     { return "<|end|>" }
func (gptOSS) marks() []string {
	return []string{"<|start|>", "<|message|>", "<|channel|>", "<|constrain|>"}
}

func (g gptOSS) turns(w *writer, messages []spade.Message, first bool, o Options) error {
	if first {
		messages = g.preamble(w, messages, o)
	}
	for _, m := range messages {
		switch m.Speaker {
		case spade.Tool:
			g.message(w, "functions."+m.Name+" to=assistant", "commentary", m.Content)
		case spade.Assistant:
			g.message(w, "assistant", "final", m.Content)
		case spade.System:
			g.message(w, "developer", "", "# Instructions\n\n"+m.Content)
		default:
			g.message(w, "user", "", m.Content)
		}
	}
	return nil
}

// preamble writes the system message, which is about the model, and the developer message with instructions and tools. It
// returns the other messages.
func (g gptOSS) preamble(w *writer, messages []spade.Message, o Options) []spade.Message {
	about := "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
	if o.Date != "" {
		about += "Current date: " + o.Date + "\n"
	}
	effort := o.Effort
	if effort == "" {
		effort = "medium"
	}
	about += "\nReasoning: " + effort + "\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message."
	if len(o.Tools) > 0 {
		about += "\nCalls to these tools must go to the commentary channel: 'functions'."
	}
	g.message(w, "system", "", about)
	var sections []string
	if len(messages) > 0 && messages[0].Speaker == spade.System {
		sections = append(sections, "# Instructions\n\n"+messages[0].Content)
		messages = messages[1:]
	}
	if len(o.Tools) > 0 {
		sections = append(sections, "# Tools\n\n"+namespace(o.Tools))
	}
	if len(sections) > 0 {
		g.message(w, "developer", "", strings.Join(sections, "\n\n"))
	}
	return messages
}

func (gptOSS) message(w *writer, author, channel, text string) {
	w.mark("<|start|>")
	w.text(author)
	if channel != "" {
		w.mark("<|channel|>")
		w.text(channel)
	}
	w.mark("<|message|>")
	w.text(text)
	w.mark("<|end|>")
}

func (gptOSS) after(*writer) {}

func (gptOSS) open(w *writer, _ Options) {
	w.mark("<|start|>")
	w.text("assistant")
}

// visible puts the messages of a reply together: what was said on the analysis channel are thoughts, what was addressed
// to a function is a call.
func (gptOSS) visible(r reply, _ Options) string {
	var out []string
	header := ""
	for _, p := range r {
		switch p.mark {
		case "<|start|>":
			header = p.text
		case "<|message|>":
			out = append(out, harmonyMessage(header, p.text))
			header = ""
		default:
			header += " " + p.text
		}
	}
	return strings.Join(out, "\n")
}

// harmonyMessage is one message, by what its header says of channel and recipient.
func harmonyMessage(header, text string) string {
	function := ""
	for _, word := range strings.Fields(header) {
		if name, found := strings.CutPrefix(word, "to=functions."); found {
			function = name
		}
	}
	switch {
	case function != "" && json.Valid([]byte(text)):
		return call(function, json.RawMessage(strings.TrimSpace(text)))
	case function != "":
		return "<tool_call>\n" + text + "\n</tool_call>" // broken, and read as such
	case strings.Contains(header, "analysis"):
		return "<think>\n" + text + "\n</think>"
	}
	return text
}
