package sandbox

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"spade"
)

// String returns the fault as one line.
func (f *Fault) String() string {
	return fmt.Sprintf("%s in %s: %s", f.Outcome, f.Phase, f.Message)
}

// outcomes are those that a process may name itself; the others are for us to find.
var outcomes = map[string]spade.Outcome{
	"env_error":           spade.EnvError,
	"memory_limit":        spade.MemoryLimit,
	"output_limit":        spade.OutputLimit,
	"invalid_reward":      spade.InvalidReward,
	"invalid_observation": spade.InvalidObservation,
}

const (
	messageLimit = 400
	traceLimit   = 4 << 10
)

// address matches what Python prints for an object without a text of its own; it differs in every process.
var address = regexp.MustCompile(` at 0x[0-9a-fA-F]+`)

// oneLine makes a message of an environment fit for a record that must be equal in equal runs.
func oneLine(text string) string {
	text = address.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
	return cut(printable(text), messageLimit)
}

// printable makes a text of an environment fit for a terminal: what could steer one becomes U+FFFD.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			return r
		}
		return utf8.RuneError
	}, text)
}

// cut returns at most n bytes of text, ending at a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
