package admit

import (
	"testing"

	"spade"
)

// ownCases are environments that we thought of ourselves: faults that other people's reports do not name, and valid
// ones that look odd. A case is refused with any one of its codes; one without codes is admitted.
var ownCases = []expectedCase{
	{name: "reset-returns-none", codes: []spade.Code{spade.Contract}},
	{name: "observation-is-a-dict", codes: []spade.Code{spade.Contract}},
	{name: "four-values", codes: []spade.Code{spade.Contract}},
	{name: "reward-is-a-text", codes: []spade.Code{spade.Contract}},
	{name: "recurses-on-zero", codes: []spade.Code{spade.Contract}},
	{name: "huge-info", codes: []spade.Code{spade.OutputTooLarge}},
	{name: "seeded-by-the-clock", codes: []spade.Code{spade.Nondeterministic}},
	{name: "uuid-in-the-text", codes: []spade.Code{spade.Nondeterministic}},
	{name: "hash-of-a-text", codes: []spade.Code{spade.Nondeterministic}},
	{name: "generator-outlives-episodes", codes: []spade.Code{spade.Nondeterministic}},
	{name: "seeded-at-import", codes: []spade.Code{spade.Nondeterministic, spade.UnseededGlobalState}},
	{name: "budget-shrinks", codes: []spade.Code{spade.Nondeterministic}},
	{name: "class-list-grows", codes: []spade.Code{spade.Nondeterministic}},
	{name: "starts-a-thread", codes: []spade.Code{spade.ForbiddenImport}},
	{name: "asks-the-network", codes: []spade.Code{spade.ForbiddenImport}},
	{name: "file-by-another-name", codes: []spade.Code{spade.HiddenIO}},
	{name: "never-ends", codes: []spade.Code{spade.Unsolvable}},
	{name: "solution-opens-the-door", codes: []spade.Code{spade.Unsolvable}},
	{name: "last-turn-is-truncated", codes: []spade.Code{spade.VerifierWrong}},
	{name: "new-task-after-a-loss", codes: []spade.Code{spade.StepAfterDone}},
	{name: "coin-flip", codes: []spade.Code{spade.Trivial}},
	{name: "hidden-of-three", codes: []spade.Code{spade.Trivial}},
	{name: "two-coin-flips", codes: []spade.Code{spade.Trivial}},
	{name: "tool-answer-without-work", codes: []spade.Code{spade.Trivial}},
	{name: "debug-line-names-the-word", codes: []spade.Code{spade.AnswerLeak}},
	{name: "wrong-answer-reveals-it", codes: []spade.Code{spade.AnswerLeak}},
	{name: "tool-task-names-the-answer", codes: []spade.Code{spade.AnswerLeak}},
	{name: "letters-with-retries", codes: []spade.Code{spade.ExploitRandom}},
	{name: "range-with-enough-turns", codes: []spade.Code{spade.ExploitRandom}},
	{name: "nearly-always-yes", codes: []spade.Code{spade.Trivial, spade.ExploitRandom}},
	{name: "any-number-wins", codes: []spade.Code{spade.ExploitRandom, spade.VerifierWrong}},
	{name: "target-passes", codes: []spade.Code{spade.ExploitEcho}},
	{name: "anagram-of-itself", codes: []spade.Code{spade.ExploitEcho}},
	{name: "any-box-counts", codes: []spade.Code{spade.VerifierWrong}},
	{name: "length-is-enough", codes: []spade.Code{spade.VerifierWrong}},
	{name: "prefix-passes", codes: []spade.Code{spade.VerifierWrong}},
	{name: "end-of-word-passes", codes: []spade.Code{spade.VerifierWrong}},
	{name: "only-digits-count", codes: []spade.Code{spade.VerifierWrong}},
	{name: "unstated-tolerance", codes: []spade.Code{spade.VerifierWrong}},
	{name: "unit-is-ignored", codes: []spade.Code{spade.VerifierWrong}},
	{name: "order-is-ignored", codes: []spade.Code{spade.VerifierWrong}},
	{name: "evaluates-the-answer", codes: []spade.Code{spade.VerifierWrong}},
	{name: "slow-pattern", codes: []spade.Code{spade.Hang}},
	{name: "power-of-the-answer", codes: []spade.Code{spade.Hang, spade.Memory}},
	{name: "default-list-grows", codes: []spade.Code{spade.Nondeterministic}},
	{name: "waits-for-input", codes: []spade.Code{spade.Contract}},
	{name: "flag-is-a-number", codes: []spade.Code{spade.Contract}},
	{name: "sleeps", codes: []spade.Code{spade.Hang}},
	{name: "often-cannot-be-won", codes: []spade.Code{spade.Unsolvable}},
	{name: "idling-wins", codes: []spade.Code{spade.ExploitEmptyAction}},
	{name: "ok-any-order"},
	{name: "ok-answer-in-info"},
	{name: "ok-asks-for-a-box"},
	{name: "ok-both-flags"},
	{name: "ok-case-and-space"},
	{name: "ok-copies-the-last-word"},
	{name: "ok-first-keyword-counts"},
	{name: "ok-heating-dose"},
	{name: "ok-higher-or-lower"},
	{name: "ok-inner-class"},
	{name: "ok-inquiry"},
	{name: "ok-keyword-only-constructor"},
	{name: "ok-loses-one"},
	{name: "ok-many-answers"},
	{name: "ok-module-constant"},
	{name: "ok-number-in-a-sentence"},
	{name: "ok-one-life"},
	{name: "ok-one-question"},
	{name: "ok-prints"},
	{name: "ok-sets-its-budget"},
	{name: "ok-set-in-sorted-order"},
	{name: "ok-stated-tolerance"},
	{name: "ok-times-itself"},
	{name: "ok-tool-use-in-messages"},
	{name: "ok-two-strikes"},
	{name: "ok-unseeded-fallback"},
	{name: "ok-without-solution"},
	{name: "ok-yes-or-no"},
	{name: "ok-bounded-eval"},
	{name: "ok-returns-a-list"},
	{name: "ok-options-in-reset"},
	{name: "ok-slow-reset"},
	{name: "ok-module-generator"},
	{name: "ok-match-and-enum"},
}

func TestOwnCases(t *testing.T) {
	for _, c := range ownCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: readFile(t, "testdata/own", c.name+".py")}, nil)
			verdicts.Store(c.name, result.Verdict)
			expect(t, result.Verdict, c.codes)
		})
	}
}
