package render

import (
	"fmt"
	"strings"

	"spade"
)

// gemma3 knows only turns of the user and of the model, which alternate: a system message opens the first turn of the
// user, and messages of one side in a row share a turn. It has no form for tools.
type gemma3 struct{}

func (gemma3) stops() []string { return []string{"<end_of_turn>", "<eos>"} }
func (gemma3) end() string     { return "<end_of_turn>" }
func (gemma3) marks() []string { return []string{"<bos>", "<start_of_turn>"} }

const (
	gemmaUser  = "user"
	gemmaModel = "model"
)

func (g gemma3) turns(w *writer, messages []spade.Message, first bool, o Options) error {
	if len(o.Tools) > 0 {
		return fmt.Errorf("gemma3 has no form for tools: describe them in a message")
	}
	prefix := ""
	if first {
		w.mark("<bos>")
		if len(messages) > 0 && messages[0].Speaker == spade.System {
			prefix, messages = messages[0].Content+"\n\n", messages[1:]
		}
	}
	for len(messages) > 0 {
		role := gemmaRole(messages[0])
		w.mark("<start_of_turn>")
		w.text(role, "\n", prefix)
		prefix = ""
		for i := 0; len(messages) > 0 && gemmaRole(messages[0]) == role; i++ {
			if i > 0 {
				w.text("\n\n")
			}
			w.text(strings.TrimSpace(messages[0].Content))
			messages = messages[1:]
		}
		w.mark("<end_of_turn>")
		g.after(w)
	}
	return nil
}

func gemmaRole(m spade.Message) string {
	if m.Speaker == spade.Assistant {
		return gemmaModel
	}
	return gemmaUser
}

func (gemma3) after(w *writer) { w.text("\n") }

func (gemma3) open(w *writer, _ Options) {
	w.mark("<start_of_turn>")
	w.text(gemmaModel, "\n")
}

func (gemma3) visible(r reply, _ Options) string { return r.all() }
