package render

import (
	"strings"

	"spade"
)

// qwen3 is ChatML with tools in the system message and thoughts in the reply.
type qwen3 struct{}

func (qwen3) stops() []string { return []string{"<|im_end|>", "<|endoftext|>"} }
func (qwen3) end() string     { return "<|im_end|>" }
func (qwen3) marks() []string { return []string{"<|im_start|>"} }

const (
	qwenToolsBefore = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
	qwenToolsAfter = "\n</tools>\n\nFor each function call, return a json object with function name and arguments within " +
		"<tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
)

func (q qwen3) turns(w *writer, messages []spade.Message, first bool, o Options) error {
	if first && len(o.Tools) > 0 {
		w.mark("<|im_start|>")
		w.text("system\n")
		if len(messages) > 0 && messages[0].Speaker == spade.System {
			w.text(messages[0].Content, "\n\n")
			messages = messages[1:]
		}
		w.text(qwenToolsBefore)
		for _, t := range o.Tools {
			w.text("\n", t.function(""))
		}
		w.text(qwenToolsAfter)
		q.finish(w)
	}
	for i, m := range messages {
		if m.Speaker != spade.Tool {
			w.mark("<|im_start|>")
			w.text(string(m.Speaker), "\n", m.Content)
			q.finish(w)
			continue
		}
		// Answers of tools in a row share one turn of the user.
		if i == 0 || messages[i-1].Speaker != spade.Tool {
			w.mark("<|im_start|>")
			w.text("user")
		}
		w.text("\n<tool_response>\n", m.Content, "\n</tool_response>")
		if i == len(messages)-1 || messages[i+1].Speaker != spade.Tool {
			q.finish(w)
		}
	}
	return nil
}

func (q qwen3) finish(w *writer) {
	w.mark(q.end())
	q.after(w)
}

func (qwen3) after(w *writer) { w.text("\n") }

func (qwen3) open(w *writer, o Options) {
	w.mark("<|im_start|>")
	w.text("assistant\n")
	if o.NoThinking {
		w.text("<think>\n\n</think>\n\n")
	}
}

func (qwen3) visible(r reply, _ Options) string { return strings.TrimRight(r.all(), "\n") }
