package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"spade"
)

// checkText is a judgement for people: the fault is to be seen without opening the code.
func checkText(c checked) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-6s  %s", c.Verdict, c.File)
	if c.Class != nil && c.Kind != nil {
		fmt.Fprintf(&b, "  (%s, %s)", *c.Class, *c.Kind)
	}
	b.WriteByte('\n')
	writeReasons(&b, c.Reasons)
	if g := c.Grounding; g != nil {
		fmt.Fprintf(&b, "  grounding: %d of the %d content words of the passage, at least %d asked for: %s\n",
			len(g.Shared), g.Words, g.Least, clip(cmp.Or(strings.Join(g.Shared, ", "), "none"), 200))
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "  warning %s: %s\n", w.Code, w.Detail)
	}
	if c.Hint != nil {
		fmt.Fprintf(&b, "  hint: %s\n", c.Hint.Verdict)
		writeReasons(&b, c.Hint.Reasons)
	}
	if c.Printed != "" {
		fmt.Fprintf(&b, "  it printed: %s\n", clip(strings.TrimSpace(c.Printed), 200))
	}
	return visible(b.String())
}

func writeReasons(b *strings.Builder, reasons []spade.Reason) {
	for _, r := range reasons {
		fmt.Fprintf(b, "  %s: %s\n", r.Code, r.Detail)
		writeEvidence(b, r.Evidence)
	}
}

// evidenceLines bounds what is shown of a transcript or traceback.
const evidenceLines = 8

func writeEvidence(b *strings.Builder, e spade.Evidence) {
	if e.Seed != nil {
		fmt.Fprintf(b, "    seed     %d\n", *e.Seed)
	}
	if len(e.Actions) > 0 {
		fmt.Fprintf(b, "    actions  %s\n", clip(strings.Join(quoted(e.Actions), ", "), 200))
	}
	if e.Literal != "" {
		fmt.Fprintf(b, "    value    %s\n", clip(e.Literal, 200))
	}
	writeDifference(b, e.First, e.Second)
	if e.Trace != "" {
		lines := strings.Split(strings.TrimRight(e.Trace, "\n"), "\n")
		for _, line := range lines[max(0, len(lines)-evidenceLines):] {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

// writeDifference shows two transcripts from the first line in which they differ.
func writeDifference(b *strings.Builder, first, second []string) {
	if len(second) == 0 { // one transcript: what led to the fault
		for i, line := range first[max(0, len(first)-evidenceLines):] {
			fmt.Fprintf(b, "    line %-3d %s\n", max(0, len(first)-evidenceLines)+i+1, clip(line, 200))
		}
		return
	}
	at := 0
	for at < len(first) && at < len(second) && first[at] == second[at] {
		at++
	}
	for _, side := range []struct {
		name  string
		lines []string
	}{{"first", first}, {"second", second}} {
		if at < len(side.lines) {
			fmt.Fprintf(b, "    %-8s line %d: %s\n", side.name, at+1, clip(side.lines[at], 200))
		}
	}
}

func quoted(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if out[i] = strconv.Quote(t); out[i] == strings.ReplaceAll(`"`+t+`"`, `\`, `\\`) {
			out[i] = `"` + t + `"` // an action as it was written
		}
	}
	return out
}

// visible is text with control characters replaced, so that no environment steers the terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) && r != '\n' && r != '\t') || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// clip cuts text after n runes.
func clip(text string, n int) string {
	text = strings.ReplaceAll(text, "\n", "⏎")
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}
