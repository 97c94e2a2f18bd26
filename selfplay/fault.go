package selfplay

import (
	"fmt"
	"strings"

	"spade"
)

// explainFault is what the designer is told about a refused answer: each reason with what was seen.
func explainFault(v spade.Verdict) string {
	var b strings.Builder
	for i, r := range v.Reasons {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s", r.Code, r.Detail)
		writeEvidence(&b, r.Evidence)
	}
	return b.String()
}

// quotedActions bounds how many actions a designer is shown: those that led to the end.
const quotedActions = 12

func writeEvidence(b *strings.Builder, e spade.Evidence) {
	if e.Seed != nil {
		fmt.Fprintf(b, "\nseed: %d", *e.Seed)
	}
	if len(e.Actions) > 0 {
		actions := e.Actions
		if len(actions) > quotedActions {
			actions = actions[len(actions)-quotedActions:]
		}
		fmt.Fprintf(b, "\nactions: %q", actions)
	}
	if e.Literal != "" {
		fmt.Fprintf(b, "\nvalue: %s", e.Literal)
	}
	at := 0 // the first line in which two transcripts differ
	for at < len(e.First) && at < len(e.Second) && e.First[at] == e.Second[at] {
		at++
	}
	if at < len(e.First) {
		fmt.Fprintf(b, "\nonce: %s", e.First[at])
	}
	if at < len(e.Second) {
		fmt.Fprintf(b, "\nonce more: %s", e.Second[at])
	}
	if e.Trace != "" {
		fmt.Fprintf(b, "\n%s", strings.TrimRight(e.Trace, "\n"))
	}
}
