package admit

import (
	"strings"
	"unicode"

	"spade"
)

// shortestSecret is the length in characters from which a lone answer in an observation is a leak.
const shortestSecret = 4

// answerIsHidden refuses environments whose first observation gives the answer away.
//
// Catches: one-step solutions with a digit in them, of at least shortestSecret characters, that stand in the first
// observation on all of playSeeds as a word of their own and without a rival that could be the answer as well.
// Costs: a look at what was played. Cannot see: short answers, answers of letters only (any word of the
// observation is their rival), answers in other words or spread over several turns.
func answerIsHidden(e *evidence) []spade.Reason {
	var reason *spade.Reason
	for _, seed := range playSeeds {
		ep := e.plain.episode(solver, seed)
		if ep == nil || len(ep.turns) != 1 || !standsAlone(contentOf(ep.turns[0].action), ep.first) {
			return nil
		}
		if reason == nil {
			literal := contentOf(ep.turns[0].action)
			reason = &spade.Reason{
				Code:   spade.AnswerLeak,
				Detail: "the first observation contains the answer, and nothing else that looks like one",
				Evidence: spade.Evidence{
					Seed:    &seed,
					Actions: ep.actions(),
					First:   []string{cut(excerpt(ep.first, literal))},
					Literal: literal,
				},
			}
		}
	}
	return []spade.Reason{*reason}
}

// standsAlone reports whether answer is a word of observation that has no rival in it.
func standsAlone(answer, observation string) bool {
	if len([]rune(answer)) < shortestSecret || !hasDigit(answer) {
		return false
	}
	found := false
	for _, word := range wordsOf(observation) {
		if word == answer {
			found = true
		} else if rivals(word, answer) {
			return false
		}
	}
	return found
}

// rivals reports whether two words could be answers to the same question: values of about the same length.
func rivals(a, b string) bool {
	difference := len([]rune(a)) - len([]rune(b))
	return hasDigit(a) && hasDigit(b) && -1 <= difference && difference <= 1
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
}

// excerpt returns the part of text around literal.
func excerpt(text, literal string) string {
	const margin = 80
	at := strings.Index(text, literal)
	start, end := max(0, at-margin), min(len(text), at+len(literal)+margin)
	return strings.ToValidUTF8(text[start:end], "")
}
