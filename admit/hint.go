package admit

import (
	"fmt"
	"slices"
	"strings"

	"spade"
)

// longestHint bounds a hint in characters.
const longestHint = 2000

// judgeHint decides whether hint may be shown; nil if there is none or the survey did not get to see solutions.
//
// Catches: hints that are blank or too long, and hints that quote a value which solution() gives on one of the
// first lookSeeds seeds and which the source does not contain: a number of at least two digits, or a name with a
// digit in it. Costs: a look at what was played. Cannot see: values in other words, values of hidden state that no
// solution names, scripts of actions; without solution() it sees no values at all.
func judgeHint(hint, source string, e *evidence) *spade.Verdict {
	if hint == "" {
		return nil
	}
	v := newVerdict()
	v.Admit = pass(&v, "hint", hintReasons(hint, source, e))
	return &v
}

func hintReasons(hint, source string, e *evidence) []spade.Reason {
	if strings.TrimSpace(hint) == "" {
		return []spade.Reason{{Code: spade.Contract, Detail: "the hint is blank"}}
	}
	if n := len([]rune(hint)); n > longestHint {
		detail := fmt.Sprintf("the hint has %d characters; at most %d are allowed", n, longestHint)
		return []spade.Reason{{Code: spade.Contract, Detail: detail}}
	}
	quoted := wordsOf(hint)
	for seed := range int64(lookSeeds) {
		for _, value := range wordsOf(e.plain.looks[seed].solution) {
			if isValue(value) && slices.Contains(quoted, value) && !strings.Contains(source, value) {
				return []spade.Reason{{
					Code:     spade.HintLeak,
					Detail:   fmt.Sprintf("it quotes %s, which is part of the solution on seed %d", value, seed),
					Evidence: spade.Evidence{Seed: &seed, Literal: value},
				}}
			}
		}
	}
	return nil
}

// isValue reports whether word looks like a value of one seed: at least two characters, a digit among them.
func isValue(word string) bool {
	return len([]rune(word)) >= 2 && hasDigit(word)
}
