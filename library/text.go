package library

import "fmt"

// What surrounds the parts of a reply.
const (
	codeOpen  = "```python\n"
	codeClose = "\n```\n<hint>"
	hintClose = "</hint>"
	boxOpen   = `\boxed{`
	boxClose  = "}"
)

// Reply is how a designer answers with source, which must not end in a line end, and hint.
func Reply(source, hint string) string {
	return codeOpen + source + codeClose + hint + hintClose
}

// MemoryText is how an earlier environment is shown to the embedded designer: its win rate in [0, 1] as a
// digit of tenths (1 counts as 9), then its source.
func MemoryText(source string, winRate float64) string {
	tenths := min(max(int(winRate*10), 0), 9)
	return fmt.Sprintf("win %d\n%s", tenths, source)
}
