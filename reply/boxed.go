package reply

import "strings"

// Boxed returns the raw content of the last complete box of a reply, \boxed{content}. Braces are counted, \{
// and \} are not braces, and of nested boxes the inner one counts. White space may stand before the brace. A
// box that never closes is none, and neither is \boxed without braces. An empty box says nothing where another
// one has content. \fbox{content} is read if there is no complete \boxed.
func Boxed(text string) (content string, ok bool) {
	rest := counting(text)
	if content, ok = lastBox(rest, `\boxed`); ok {
		return content, true
	}
	return lastBox(rest, `\fbox`)
}

// Action returns what an environment's step receives: the last box of a reply with its content trimmed, or ""
// if it has none.
func Action(text string) string {
	content, ok := Boxed(text)
	if !ok {
		return ""
	}
	return `\boxed{` + strings.TrimSpace(content) + "}"
}

// lastBox returns the content of the complete box of the given command that begins last.
func lastBox(text, command string) (content string, ok bool) {
	var open []int // where the content of each open group begins; -1 for a group that is no box
	from := -1     // where the content that is returned begins
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if start := boxStart(text, i, command); start > 0 {
				open = append(open, start)
				i = start - 1
			} else if boxStart(text, i+1, command) < 0 {
				i++ // the next character is escaped
			}
		case '{':
			open = append(open, -1)
		case '}':
			if len(open) == 0 {
				continue
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if start < 0 {
				continue
			}
			inner := text[start:i]
			blank, wasBlank := strings.TrimSpace(inner) == "", strings.TrimSpace(content) == ""
			if !ok || !blank && (wasBlank || start > from) {
				content, from, ok = inner, start, true
			}
		}
	}
	return content, ok
}

// boxStart returns where the content of the box begins whose command stands at i, or -1 if there is none.
func boxStart(text string, i int, command string) int {
	rest, found := strings.CutPrefix(text[min(i, len(text)):], command)
	if !found {
		return -1
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	if !strings.HasPrefix(rest, "{") {
		return -1
	}
	return len(text) - len(rest) + 1
}
