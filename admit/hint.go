package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/sandbox"
)

// longestHint bounds a hint in characters.
const longestHint = 2000

// judgeHint decides whether the hint of c may be shown; nil if there is none. process has the environment loaded, or is
// nil.
//
// Catches: hints that are blank or too long; that quote values of one seed or announce an answer (quotedValue); that
// quote the source (quotesSource); that are a script of actions (script.go). Costs: a look at what was played, and
// lookSeeds episodes at the same time if the hint names three actions or more. Cannot see: values in other words, and
// values that neither a solution nor an observation showed.
func (a *Admission) judgeHint(ctx context.Context, c Candidate, j *judged, process *sandbox.Process) (*spade.Verdict, error) {
	if c.Hint == "" {
		return nil, nil
	}
	v := newVerdict()
	reasons := hintReasons(c.Hint, j.evidence)
	if len(reasons) == 0 {
		var err error
		if reasons, err = a.scriptReasons(ctx, c, j, process); err != nil {
			return nil, err
		}
	}
	v.Admit = pass(&v, "hint", reasons)
	return &v, nil
}

func hintReasons(hint string, e *evidence) []spade.Reason {
	if strings.TrimSpace(hint) == "" {
		return []spade.Reason{{Code: spade.Contract, Detail: "the hint is blank"}}
	}
	if n := len([]rune(hint)); n > longestHint {
		detail := fmt.Sprintf("the hint has %d characters; at most %d are allowed", n, longestHint)
		return []spade.Reason{{Code: spade.Contract, Detail: detail}}
	}
	if reason := quotedValue(hint, e); reason != nil {
		return []spade.Reason{*reason}
	}
	if quote := quotesSource(hint, e.tokens); quote != "" {
		return []spade.Reason{{
			Code:     spade.HintLeak,
			Detail:   "it quotes the source: " + cut(quote),
			Evidence: spade.Evidence{Literal: cut(quote)},
		}}
	}
	return nil
}

// quotedValue finds a value that the hint has from one seed: a number of at least two digits or a name with a digit
// in it that a solution gives there, or of at least three characters that an observation shows, in either case one
// that the source does not contain, unless the observation shows so many that chance decides (mostValues); or anything announced as the answer that a solution gives.
func quotedValue(hint string, e *evidence) *spade.Reason {
	quoted := wordsOf(hint)
	own := sourceWords(e.tokens)
	found := func(seed int64, value, from string) *spade.Reason {
		return &spade.Reason{
			Code:     spade.HintLeak,
			Detail:   fmt.Sprintf("it quotes %s, which is part of %s on seed %d and differs from seed to seed", value, from, seed),
			Evidence: spade.Evidence{Seed: &seed, Literal: value},
		}
	}
	for seed := range int64(lookSeeds) {
		l := e.plain.looks[seed]
		for _, value := range wordsOf(l.solution) {
			if isValue(value, 2) && slices.Contains(quoted, value) && !own[value] {
				return found(seed, value, "the solution")
			}
		}
		for line := range strings.Lines(l.solution) {
			if content := contentOf(boxed(line)); isAnnounced(content, hint) {
				return found(seed, content, "the solution")
			}
		}
		for _, value := range fewValues(l.observation) {
			if isValue(value, 3) && slices.Contains(quoted, value) && !own[value] {
				return found(seed, value, "the first observation")
			}
		}
	}
	for _, ep := range e.plain.order {
		if ep.player != solver && ep.player != fuzzPlayer {
			continue
		}
		for _, t := range ep.turns {
			for _, value := range fewValues(t.step.Observation) {
				if isValue(value, 3) && slices.Contains(quoted, value) && !own[value] && !strings.Contains(t.action, value) {
					return found(ep.seed, value, "an observation")
				}
			}
		}
	}
	return nil
}

// mostValues is the number of values of an observation from which on a hint may hold one of them by chance.
const mostValues = 40

// fewValues returns the words of an observation, none if many of them look like values.
func fewValues(observation string) []string {
	words := wordsOf(observation)
	values := make(map[string]bool)
	for _, word := range words {
		if isValue(word, 3) {
			values[word] = true
		}
	}
	if len(values) > mostValues {
		return nil
	}
	return words
}

// isValue reports whether word looks like a value of one seed: at least shortest characters, a digit among them.
func isValue(word string, shortest int) bool {
	return len([]rune(word)) >= shortest && hasDigit(word)
}

// sourceWords returns the words of the source's literals and names.
func sourceWords(tokens []token) map[string]bool {
	own := make(map[string]bool)
	for _, t := range tokens {
		own[t.text] = true
		for _, word := range wordsOf(t.text) {
			own[word] = true
		}
	}
	return own
}

// shortestQuote is the number of tokens in a row that hint and source have to share for a quotation.
const shortestQuote = 8

// quotesSource returns a run of source tokens, or a name of hidden state, that hint contains; "" if there is none.
func quotesSource(hint string, tokens []token) string {
	quoted := lex(hint)
	for i := 0; i+2 < len(quoted); i++ {
		if quoted[i].text == "self" && quoted[i+1].text == "." && quoted[i+2].kind == nameToken {
			return "self." + quoted[i+2].text
		}
	}
	for i := 0; i+shortestQuote <= len(quoted); i++ {
		for j := 0; j+shortestQuote <= len(tokens); j++ {
			if sameTokens(quoted[i:i+shortestQuote], tokens[j:j+shortestQuote]) {
				return tokenText(quoted[i : i+shortestQuote])
			}
		}
	}
	return ""
}

func sameTokens(a, b []token) bool {
	for i := range a {
		if a[i].kind != b[i].kind || a[i].text != b[i].text {
			return false
		}
	}
	return true
}

func tokenText(tokens []token) string {
	texts := make([]string, len(tokens))
	for i, t := range tokens {
		texts[i] = t.text
	}
	return strings.Join(texts, " ")
}
