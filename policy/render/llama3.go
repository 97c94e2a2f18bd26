package render

import (
	"encoding/json"
	"strings"

	"spade"
)

// llama3 is the form of Llama 3.1 to 3.3: a system message with dates, tools in the first message of the user.
type llama3 struct{}

func (llama3) stops() []string { return []string{"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"} }
func (llama3) end() string     { return "<|eot_id|>" }
func (llama3) marks() []string {
	return []string{"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>"}
}

const (
	llamaDate  = "26 Jul 2024"
	llamaTools = "Given the following functions, please respond with a JSON for a function call with its proper arguments that best " +
		"answers the given prompt.\n\nRespond in the format {\"name\": function name, \"parameters\": dictionary of argument name " +
		"and its value}.Do not use variables.\n\n"
)

func (l llama3) turns(w *writer, messages []spade.Message, first bool, o Options) error {
	if first {
		w.mark("<|begin_of_text|>")
		messages = l.system(w, messages, o)
	}
	for i, m := range messages {
		role, text := string(m.Speaker), strings.TrimSpace(m.Content)
		if m.Speaker == spade.Tool {
			// Its template writes an answer as JSON, even one that is a text.
			role, text = "ipython", quoted(m.Content)
		}
		l.header(w, role)
		if first && i == 0 && m.Speaker == spade.User && len(o.Tools) > 0 {
			w.text(llamaTools)
			for _, t := range o.Tools {
				w.text(t.function("    "), "\n\n")
			}
		}
		w.text(text)
		w.mark("<|eot_id|>")
	}
	return nil
}

// system writes the system message and returns the others.
func (l llama3) system(w *writer, messages []spade.Message, o Options) []spade.Message {
	l.header(w, "system")
	if len(o.Tools) > 0 {
		w.text("Environment: ipython\n")
	}
	date := o.Date
	if date == "" {
		date = llamaDate
	}
	w.text("Cutting Knowledge Date: December 2023\nToday Date: ", date, "\n\n")
	if len(messages) > 0 && messages[0].Speaker == spade.System {
		w.text(strings.TrimSpace(messages[0].Content))
		messages = messages[1:]
	}
	w.mark("<|eot_id|>")
	return messages
}

func (llama3) header(w *writer, role string) {
	w.mark("<|start_header_id|>")
	w.text(role)
	w.mark("<|end_header_id|>")
	w.text("\n\n")
}

func (llama3) after(*writer) {}

func (l llama3) open(w *writer, _ Options) { l.header(w, "assistant") }

// visible turns a reply that is a call into the common form.
func (llama3) visible(r reply, o Options) string {
	text := r.all()
	var said struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	if len(o.Tools) > 0 && json.Unmarshal([]byte(strings.TrimSpace(text)), &said) == nil && said.Name != "" && said.Parameters != nil {
		return call(said.Name, said.Parameters)
	}
	return text
}
