package reward

import (
	"strings"
	"unicode"

	"spade"
)

// PlaceboGain is what another environment's hint gained on one environment: the mean return of the placebo arm minus
// that of the unhinted arm, over the seeds that both played. ok is false if there are none.
func PlaceboGain(episodes []spade.Episode) (gain float64, ok bool) {
	for i := range episodes {
		if counts(&episodes[i], spade.Placebo) {
			return pairedGain(episodes, spade.Placebo), true
		}
	}
	return 0, false
}

// WithheldSecret looks whether the hinted arm of one environment wins only through what no play could find out. It is
// so if the unhinted arm never won, and every hinted win has an action with a word of its hint that no unhinted play
// saw in an observation or said itself; the word is that of the first win, in its last action with one. wins is the
// number of hinted wins looked at; without any, or without an unhinted play, nothing can be said and wins is 0.
//
// It looks at one cycle's episodes, which must have their turns. What it cannot see: a secret in other words, or one
// that the hint says how to compute.
func WithheldSecret(episodes []spade.Episode) (word string, wins int) {
	known := make(map[string]bool)
	plays := 0
	for i := range episodes {
		e := &episodes[i]
		if !counts(e, spade.Unhinted) {
			continue
		}
		if e.Won() {
			return "", 0
		}
		plays++
		addWords(known, e.Final)
		for _, turn := range e.Turns {
			addWords(known, turn.Observation)
			addWords(known, turn.Action)
		}
	}
	if plays == 0 {
		return "", 0
	}
	for i := range episodes {
		e := &episodes[i]
		if !counts(e, spade.Hinted) || !e.Won() {
			continue
		}
		secret := secretIn(e, known)
		if secret == "" {
			return "", wins + 1
		}
		if wins++; word == "" {
			word = secret
		}
	}
	return word, wins
}

// secretIn returns a word of the hint that an action of e says and nobody knew, from the last such action; "" if there
// is none.
func secretIn(e *spade.Episode, known map[string]bool) string {
	told := make(map[string]bool)
	addWords(told, e.Hint)
	secret := ""
	for _, turn := range e.Turns {
		for _, word := range wordsOf(turn.Action) {
			if told[word] && !known[word] {
				secret = word
			}
		}
	}
	return secret
}

func addWords(to map[string]bool, text string) {
	for _, word := range wordsOf(text) {
		to[word] = true
	}
}

// wordsOf are the runs of letters and digits in text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
