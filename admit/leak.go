package admit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"spade"
)

// shortestSecret is the length in characters from which a lone value in an observation is a leak. Shorter ones stand
// anywhere by chance.
const shortestSecret = 4

// leak is a place where an answer was found.
type leak struct {
	detail string
	where  *episode
	// text is the observation, literal the answer in it.
	text, literal string
}

// answerIsHidden refuses environments that give away what wins.
//
// Catches: an answer that wins at once and stands in the first observation on all of playSeeds, or in the one that
// follows a wrong answer while it still wins: a value with a digit, of at least shortestSecret characters and without
// a rival that could be the answer as well, or anything that is announced as the answer (isAnnounced) or shown as in a dump of variables (isDumped). Likewise the
// whole list of winning actions, announced. Costs: up to two episodes of one step a seed. Cannot see: short answers
// and names that are not announced (any word of the observation is their rival), answers in other words or spread over
// several turns; what has to be earned by acting is no leak.
func answerIsHidden(e *evidence) []spade.Reason {
	for _, find := range []func(*evidence, int64) *leak{leaksAtOnce, leaksAfterWrong, leaksScript} {
		var first *leak
		all := true
		for _, seed := range playSeeds {
			found := find(e, seed)
			if first == nil {
				first = found
			}
			all = all && found != nil
		}
		if all {
			seed := first.where.seed
			return []spade.Reason{{
				Code:   spade.AnswerLeak,
				Detail: fmt.Sprintf("%s: %s in %s", first.detail, quote(cut(first.literal)), quote(cut(excerpt(first.text, first.literal)))),
				Evidence: spade.Evidence{
					Seed: &seed, Actions: cutAll(first.where.actions()), Literal: cut(first.literal),
					First: []string{cut(excerpt(first.text, first.literal))},
				},
			}}
		}
	}
	return nil
}

// leaksAtOnce finds an answer in the first observation that wins there.
func leaksAtOnce(e *evidence, seed int64) *leak {
	ep := e.plain.episode(conclude, seed)
	if ep == nil || !ep.won() {
		return nil
	}
	literal := contentOf(ep.turns[0].action)
	if !standsAlone(literal, ep.first) && !isAnnounced(literal, ep.first) && !isOnlyBox(literal, ep.first) && !isDumped(literal, ep.first) {
		return nil
	}
	return &leak{"the first observation contains the answer, and nothing else that looks like one", ep, ep.first, literal}
}

// leaksAfterWrong finds the answer in the observation after a wrong one.
func leaksAfterWrong(e *evidence, seed int64) *leak {
	ep := e.plain.episode(afterWrong, seed)
	if ep == nil || !ep.won() || len(ep.turns) != 2 {
		return nil
	}
	literal, text := contentOf(ep.turns[1].action), ep.turns[0].step.Observation
	if literal == "" || !standsAlone(literal, text) && !isAnnounced(literal, text) && !isDumped(literal, text) && !isNews(literal, ep.first, text) {
		return nil
	}
	return &leak{"after a wrong answer it names the right one, which then still wins", ep, text, literal}
}

// leaksScript finds the winning actions of an episode, one after the other, announced in the first observation.
func leaksScript(e *evidence, seed int64) *leak {
	const shortest = 3
	ep := e.plain.episode(solver, seed)
	if ep == nil || !ep.won() || len(ep.turns) < shortest {
		return nil
	}
	var script []string
	for _, action := range ep.actions() {
		script = append(script, wordsOf(contentOf(action))...)
	}
	words := wordsOf(ep.first)
	for at := range words {
		if len(words)-at < len(script) {
			break
		}
		if slices.Equal(words[at:at+len(script)], script) && isAnnounced(script[0], ep.first) {
			return &leak{"the first observation contains the actions that win, in their order", ep, ep.first, strings.Join(script, " ")}
		}
	}
	return nil
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

// isOnlyBox reports whether the example of an action in text is answer.
func isOnlyBox(answer, text string) bool {
	boxes := boxPattern.FindAllStringSubmatch(text, -1)
	return len(boxes) == 1 && strings.TrimSpace(boxes[0][1]) == answer
}

// dumpPattern matches a value that is written as code writes it: name='value'.
var dumpPattern = regexp.MustCompile(`\w=(?:'([^'\n]*)'|"([^"\n]*)")`)

// isDumped reports whether answer is the one value that text writes as code does, as debugging output may.
func isDumped(answer, text string) bool {
	values := dumpPattern.FindAllStringSubmatch(text, -1)
	return answer != "" && len(values) == 1 && answer == values[0][1]+values[0][2]
}

// isNews reports whether answer is a value that text brings up, among few, and that before does not contain.
func isNews(answer, before, text string) bool {
	const few = 3
	old := wordsOf(before)
	var news []string
	for _, word := range wordsOf(text) {
		if hasDigit(word) && !slices.Contains(old, word) {
			news = append(news, word)
		}
	}
	return len(news) <= few && slices.Contains(news, answer)
}

// announcement matches what introduces a value as the one that is asked for, up to the value itself.
var announcement = regexp.MustCompile(`(?i)\b_?(?:answer|solution|secret|password|expected(?:[_ ]answer)?|correct(?:[_ ]\w+)?|hidden(?:[_ ]\w+)?|ground[_ ]truth|truth|key|gold)["']?\s*(?:is|was|[:=]|->)\s*["'\[(]*$`)

// longestAnnouncement bounds an announcement in bytes.
const longestAnnouncement = 64

// isAnnounced reports whether text names answer as the answer, as debugging output does: answer=gull, secret: 'gull'.
func isAnnounced(answer, text string) bool {
	if answer == "" {
		return false
	}
	for at := 0; ; {
		next := strings.Index(text[at:], answer)
		if next < 0 {
			return false
		}
		start, end := at+next, at+next+len(answer)
		if announcement.MatchString(text[max(0, start-longestAnnouncement):start]) && !inWord(text, end) {
			return true
		}
		at = end
	}
}

// inWord reports whether a word goes on at offset at of text.
func inWord(text string, at int) bool {
	return at < len(text) && isNameRune(rune(text[at]))
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
	if at < 0 {
		return text
	}
	return strings.ToValidUTF8(text[max(0, at-margin):min(len(text), at+len(literal)+margin)], "")
}
