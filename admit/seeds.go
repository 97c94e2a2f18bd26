package admit

import (
	"fmt"
	"slices"

	"spade"
)

// seedsMatter refuses environments whose episodes are all the same task.
//
// Catches: one sequence of actions that wins on each of the first lookSeeds seeds, and, where there is no
// solution() to tell, a reset that never uses its seed. Costs: episodes with the constant actions, only if the
// solver's are the same on all of playSeeds. Cannot see: tasks that differ in looks only but not in what wins,
// if the winning actions vary in form. Equal first observations are no fault: what differs may be hidden.
func seedsMatter(e *evidence) []spade.Reason {
	for _, t := range e.blindPlay {
		if t.code == spade.Trivial && t.wins == t.episodes {
			ep := e.plain.episode(t.name, playSeeds[0])
			return []spade.Reason{{
				Code:     spade.Trivial,
				Detail:   fmt.Sprintf("the same actions win on all of %d seeds: %s", t.episodes, ep.ending()),
				Evidence: ep.evidence(),
			}}
		}
	}
	if !e.hasSolution && e.looksAlike() && !usesSeed(e.tokens) {
		return []spade.Reason{{
			Code:     spade.Trivial,
			Detail:   "reset ignores its seed: every episode is the same task",
			Evidence: spade.Evidence{First: []string{cut(e.plain.looks[0].observation)}},
		}}
	}
	return nil
}

// mostPlaces bounds the numbers of an observation that are compared with the answer.
const mostPlaces = 24

// placesMatter refuses tasks in which the answer always stands in the same place.
//
// Catches: one-step answers that are the same number of the first observation, counted from its start, on all of the
// first lookSeeds seeds, though at least two others look like it. Costs: a look at what was seen. Cannot see: words,
// which may have to be read to be found.
func placesMatter(e *evidence) []spade.Reason {
	for _, seed := range playSeeds {
		if ep := e.plain.episode(solver, seed); ep == nil || len(ep.turns) != 1 || !ep.won() {
			return nil
		}
	}
	for place := range mostPlaces {
		if e.answerStandsAt(place) {
			return []spade.Reason{{
				Code:   spade.Trivial,
				Detail: fmt.Sprintf("the answer is number %d of the first observation on all of %d seeds", place+1, lookSeeds),
				Evidence: spade.Evidence{
					Actions: cutAll(e.plain.episode(solver, playSeeds[0]).actions()),
					First:   []string{cut(e.plain.looks[playSeeds[0]].observation)},
					Literal: cut(e.plain.looks[playSeeds[0]].solution),
				},
			}}
		}
	}
	return nil
}

// answerStandsAt reports whether the answer is the number at place on each of the first lookSeeds seeds, with at least
// two rivals.
func (e *evidence) answerStandsAt(place int) bool {
	for seed := range int64(lookSeeds) {
		l := e.plain.looks[seed]
		numbers := numberPattern.FindAllString(l.observation, -1)
		if place >= len(numbers) || !sameAnswer(numbers[place], contentOf(boxed(l.solution))) {
			return false
		}
		rivalling := 0
		for i, n := range numbers {
			if i != place && rivals(n, numbers[place]) {
				rivalling++
			}
		}
		if rivalling < 2 {
			return false
		}
	}
	return true
}

// looksAlike reports whether nothing that was seen tells one seed from another.
func (e *evidence) looksAlike() bool {
	for _, l := range e.plain.looks {
		if l != e.plain.looks[0] {
			return false
		}
	}
	first := e.plain.episode(fuzzPlayer, playSeeds[0]).lines()
	for _, seed := range playSeeds[1:] {
		if ep := e.plain.episode(fuzzPlayer, seed); ep != nil && !slices.Equal(first, ep.lines()) {
			return false
		}
	}
	return true
}

// usesSeed reports whether some method reset reads the parameter after self.
func usesSeed(tokens []token) bool {
	lines := logicalLines(tokens)
	for i, line := range lines {
		if len(line) < 3 || line[0].text != "def" || line[1].text != "reset" {
			continue
		}
		names := parameters(line[2:])
		for _, inner := range append([][]token{afterColon(line)}, block(lines[i+1:], line[0].indent)...) {
			for _, t := range inner {
				if len(names) > 0 && t.kind == nameToken && t.text == names[0] {
					return true
				}
			}
		}
	}
	return false
}

// block returns the lines that are indented deeper than indent, up to the first that is not.
func block(lines [][]token, indent int) [][]token {
	for i, line := range lines {
		if line[0].indent <= indent {
			return lines[:i]
		}
	}
	return lines
}

// afterColon returns what follows the last colon of a def line: its body, if that stands on the same line.
func afterColon(line []token) []token {
	for i := len(line) - 1; i >= 0; i-- {
		if line[i].text == ":" && line[i].kind == operatorToken {
			return line[i+1:]
		}
	}
	return nil
}
