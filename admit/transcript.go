package admit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spade"
	"spade/sandbox"
)

// turn is one action and what step made of it.
type turn struct {
	action string
	step   sandbox.Step
	// said is what solution() said right before the action, nil if it was not asked.
	said *string
}

// episode is one play of one seed by one player.
type episode struct {
	episodeKey
	first string // observation
	turns []turn
	// fault ended the episode early, nil if none did.
	fault *sandbox.Fault
	// maxTurns is the environment's own turn budget, 0 if it has none.
	maxTurns int
}

// episodeKey names an episode across processes. Round counts the episodes of the fuzz player, which goes on where
// its last one ended; it is 0 for the others.
type episodeKey struct {
	player string
	seed   int64
	round  int
}

// won reports whether the episode ended in a win: terminated, with a reward of at least 1.
func (e *episode) won() bool {
	if len(e.turns) == 0 {
		return false
	}
	last := e.turns[len(e.turns)-1].step
	return e.fault == nil && last.Terminated && last.Reward >= 1
}

func (e *episode) actions() []string {
	actions := make([]string, len(e.turns))
	for i, t := range e.turns {
		actions[i] = t.action
	}
	return actions
}

// equals reports whether nothing tells two episodes without faults apart.
func (e *episode) equals(other *episode) bool {
	return e.fault == nil && other.fault == nil && e.first == other.first && e.maxTurns == other.maxTurns &&
		slices.EqualFunc(e.turns, other.turns, turn.equals)
}

func (t turn) equals(other turn) bool {
	if t.action != other.action || t.step != other.step || (t.said == nil) != (other.said == nil) {
		return false
	}
	return t.said == nil || *t.said == *other.said
}

// lines writes the episode as one line a turn, the first observation before them.
func (e *episode) lines() []string {
	lines := []string{"reset: " + e.first}
	for _, t := range e.turns {
		lines = append(lines, t.line())
	}
	if e.fault != nil {
		lines = append(lines, "fault: "+e.fault.Message)
	}
	return lines
}

// over reports whether the environment ended the episode.
func (e *episode) over() bool {
	if len(e.turns) == 0 || e.fault != nil {
		return false
	}
	last := e.turns[len(e.turns)-1].step
	return last.Terminated || last.Truncated
}

// ending says in a few words how the episode ended.
func (e *episode) ending() string {
	if len(e.turns) == 0 {
		return "no step was taken"
	}
	last := e.turns[len(e.turns)-1]
	end := "and the episode went on"
	switch {
	case last.step.Terminated && last.step.Truncated:
		end = "terminated and truncated"
	case last.step.Terminated:
		end = "terminated"
	case last.step.Truncated:
		end = "truncated"
	}
	if last.step.Reward >= 1 && !last.step.Terminated {
		end += ", though only a win that terminates the episode counts"
	}
	turns := "turns"
	if len(e.turns) == 1 {
		turns = "turn"
	}
	return fmt.Sprintf("after %d %s %s paid %g, %s", len(e.turns), turns, quote(cut(last.action)), last.step.Reward, end)
}

// evidence returns the episode as what a reason shows.
func (e *episode) evidence() spade.Evidence {
	return spade.Evidence{Seed: &e.seed, Actions: cutAll(e.actions()), First: cutAll(e.lines())}
}

func (t turn) line() string {
	end := ""
	if t.step.Terminated {
		end += " terminated"
	}
	if t.step.Truncated {
		end += " truncated"
	}
	return fmt.Sprintf("%s -> %g%s %s %s", t.action, t.step.Reward, end, t.step.Observation, t.step.Info)
}

// quote puts text between quotes as it is, so that an action reads as it was written; what would not print is escaped.
func quote(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) || !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return `"` + text + `"`
}

// cut shortens a line of evidence to what a person reads.
func cut(line string) string { return shorten(line, 240) }

// shorten cuts line after length bytes, at a character.
func shorten(line string, length int) string {
	if len(line) <= length {
		return line
	}
	for !utf8.RuneStart(line[length]) {
		length--
	}
	return line[:length] + "…"
}

// cutAll shortens each line.
func cutAll(lines []string) []string {
	short := make([]string, len(lines))
	for i, line := range lines {
		short[i] = cut(line)
	}
	return short
}

// difference cuts two transcripts down to the first line in which they differ and the one before it.
func difference(first, second []string) (a, b []string) {
	at := 0
	for at < len(first) && at < len(second) && first[at] == second[at] {
		at++
	}
	return cutAll(around(first, at)), cutAll(around(second, at))
}

func around(lines []string, at int) []string { return lines[max(0, at-1):min(len(lines), at+1)] }
