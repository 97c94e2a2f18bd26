package admit

import (
	"testing"

	"spade"
)

// ownCases are environments that we thought of ourselves: faults that other people's reports do not name, and valid
// ones that look odd. A case is refused with any one of its codes; one without codes is admitted.
var ownCases = []struct {
	name  string
	codes []spade.Code
}{
	{"reset-returns-none", []spade.Code{spade.Contract}},
	{"observation-is-a-dict", []spade.Code{spade.Contract}},
	{"four-values", []spade.Code{spade.Contract}},
	{"reward-is-a-text", []spade.Code{spade.Contract}},
	{"recurses-on-zero", []spade.Code{spade.Contract}},
	{"huge-info", []spade.Code{spade.OutputTooLarge}},
	{"seeded-by-the-clock", []spade.Code{spade.Nondeterministic}},
	{"uuid-in-the-text", []spade.Code{spade.Nondeterministic}},
	{"hash-of-a-text", []spade.Code{spade.Nondeterministic}},
	{"generator-outlives-episodes", []spade.Code{spade.Nondeterministic}},
	{"seeded-at-import", []spade.Code{spade.Nondeterministic, spade.UnseededGlobalState}},
	{"budget-shrinks", []spade.Code{spade.Nondeterministic}},
	{"class-list-grows", []spade.Code{spade.Nondeterministic}},
	{"starts-a-thread", []spade.Code{spade.ForbiddenImport}},
	{"asks-the-network", []spade.Code{spade.ForbiddenImport}},
	{"file-by-another-name", []spade.Code{spade.HiddenIO}},
	{"never-ends", []spade.Code{spade.Unsolvable}},
	{"solution-opens-the-door", []spade.Code{spade.Unsolvable}},
	{"last-turn-is-truncated", []spade.Code{spade.VerifierWrong}},
	{"new-task-after-a-loss", []spade.Code{spade.StepAfterDone}},
	{"coin-flip", []spade.Code{spade.Trivial}},
	{"hidden-of-three", []spade.Code{spade.Trivial}},
	{"tool-answer-without-work", []spade.Code{spade.Trivial}},
	{"debug-line-names-the-word", []spade.Code{spade.AnswerLeak}},
	{"wrong-answer-reveals-it", []spade.Code{spade.AnswerLeak}},
	{"tool-task-names-the-answer", []spade.Code{spade.AnswerLeak}},
	{"letters-with-retries", []spade.Code{spade.ExploitRandom}},
	{"range-with-enough-turns", []spade.Code{spade.ExploitRandom}},
	{"nearly-always-yes", []spade.Code{spade.Trivial, spade.ExploitRandom}},
	{"any-number-wins", []spade.Code{spade.ExploitRandom, spade.VerifierWrong}},
	{"target-passes", []spade.Code{spade.ExploitEcho}},
	{"any-box-counts", []spade.Code{spade.VerifierWrong}},
	{"prefix-passes", []spade.Code{spade.VerifierWrong}},
	{"end-of-word-passes", []spade.Code{spade.VerifierWrong}},
	{"only-digits-count", []spade.Code{spade.VerifierWrong}},
	{"unstated-tolerance", []spade.Code{spade.VerifierWrong}},
	{"unit-is-ignored", []spade.Code{spade.VerifierWrong}},
	{"order-is-ignored", []spade.Code{spade.VerifierWrong}},
	{"ok-any-order", nil},
	{"ok-answer-in-info", nil},
	{"ok-asks-for-a-box", nil},
	{"ok-both-flags", nil},
	{"ok-case-and-space", nil},
	{"ok-copies-the-last-word", nil},
	{"ok-first-keyword-counts", nil},
	{"ok-heating-dose", nil},
	{"ok-higher-or-lower", nil},
	{"ok-inner-class", nil},
	{"ok-inquiry", nil},
	{"ok-keyword-only-constructor", nil},
	{"ok-loses-one", nil},
	{"ok-many-answers", nil},
	{"ok-module-constant", nil},
	{"ok-number-in-a-sentence", nil},
	{"ok-one-question", nil},
	{"ok-prints", nil},
	{"ok-sets-its-budget", nil},
	{"ok-set-in-sorted-order", nil},
	{"ok-stated-tolerance", nil},
	{"ok-times-itself", nil},
	{"ok-tool-use-in-messages", nil},
	{"ok-two-strikes", nil},
	{"ok-unseeded-fallback", nil},
	{"ok-without-solution", nil},
	{"ok-yes-or-no", nil},
}

func TestOwnCases(t *testing.T) {
	for _, c := range ownCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: readFile(t, "testdata/own", c.name+".py")}, nil)
			expect(t, result.Verdict, c.codes)
		})
	}
}
