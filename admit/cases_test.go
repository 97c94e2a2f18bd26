package admit

import (
	"slices"
	"strings"
	"testing"

	"spade"
)

// expectedCase is an environment by name and the codes of which one has to refuse it, none if it has to be admitted.
type expectedCase struct {
	name  string
	codes []spade.Code
	// beyond is what ought to come out and is beyond what probes can see.
	beyond string
}

// Cases are environments written after failures that users of other projects reported, and valid ones that are
// easily refused by mistake. A case is refused with any one of its codes; one without codes is admitted.
var cases = []expectedCase{
	{name: "truncated-source", codes: []spade.Code{spade.Syntax, spade.LoadError}},
	{name: "init-order", codes: []spade.Code{spade.LoadError, spade.Contract}},
	{name: "reset-no-seed", codes: []spade.Code{spade.Contract, spade.LoadError}},
	{name: "step-falls-through", codes: []spade.Code{spade.Contract}},
	{name: "global-rng-in-step", codes: []spade.Code{spade.UnseededGlobalState}},
	{name: "set-order", codes: []spade.Code{spade.Nondeterministic}},
	{name: "seed-zero-falsy", codes: []spade.Code{spade.Nondeterministic, spade.UnseededGlobalState}},
	{name: "hang-on-zero", codes: []spade.Code{spade.Hang}},
	{name: "hang-some-seeds", codes: []spade.Code{spade.Hang}},
	{name: "memory-in-reset", codes: []spade.Code{spade.Memory, spade.Hang}},
	{name: "doubling-observation", codes: []spade.Code{spade.OutputTooLarge, spade.Memory}},
	{name: "cumulative-reward", codes: []spade.Code{spade.RewardRange}},
	{name: "nan-answer", codes: []spade.Code{spade.NaNReward, spade.RewardRange}},
	{name: "state-dump-leak", codes: []spade.Code{spade.AnswerLeak}},
	{name: "hint-names-values"},
	{name: "constant-letter", codes: []spade.Code{spade.Trivial, spade.Duplicate}},
	{name: "seed-ignored", codes: []spade.Code{spade.Trivial, spade.Duplicate, spade.Contract}},
	{name: "int-vs-str", codes: []spade.Code{spade.Unsolvable, spade.VerifierWrong}},
	{name: "tool-state-never-set", codes: []spade.Code{spade.Unsolvable, spade.VerifierWrong}},
	{name: "substring-check", codes: []spade.Code{spade.VerifierWrong, spade.ExploitEcho}},
	{name: "empty-wins", codes: []spade.Code{spade.ExploitEmptyAction, spade.VerifierWrong}},
	{name: "echo-keywords", codes: []spade.Code{spade.ExploitEcho, spade.VerifierWrong, spade.ExploitEmptyAction}},
	{name: "reopens-after-win", codes: []spade.Code{spade.StepAfterDone}},
	{name: "score-file", codes: []spade.Code{spade.HiddenIO, spade.Nondeterministic, spade.ForbiddenImport}},
	{name: "ok-global-seeded"},
	{name: "ok-dataclass-future"},
	{name: "ok-tool-use"},
	{name: "ok-reset-string"},
	{name: "ok-unicode"},
	{name: "ok-long-observation"},
	{name: "ok-abstract-base-first"},
	{name: "ok-helper-named-env"},
	{name: "ok-own-pacing"},
	{name: "ok-optional-import"},
	{name: "ok-missing-stdlib-imports"},
	{name: "ok-no-constructor"},
	{name: "ok-shaped-negative"},
	{name: "ok-main-guard"},
	// The key is rounded to fewer digits than the question shows. No probe can see what the question means.
	{name: "rounded-key", beyond: "verifier_wrong, by a model only"},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: readFile(t, "testdata/cases", c.name, "input.py")}, nil)
			verdicts.Store(c.name, result.Verdict)
			expect(t, result.Verdict, c.codes)
		})
	}
}

// expect fails unless v admits where codes is empty and otherwise refuses for one of codes.
func expect(t *testing.T, v spade.Verdict, codes []spade.Code) {
	t.Helper()
	if v.Admit != (len(codes) == 0) {
		t.Fatalf("admit = %v at stage %s, reasons %+v; want codes %v", v.Admit, v.Stage, v.Reasons, codes)
	}
	if !v.Admit && !slices.ContainsFunc(v.Reasons, func(r spade.Reason) bool { return slices.Contains(codes, r.Code) }) {
		t.Errorf("reasons %+v at stage %s; want one of %v", v.Reasons, v.Stage, codes)
	}
}

func TestNumpyIsUsedOrMissed(t *testing.T) {
	source := readFile(t, "testdata/cases/ok-numpy/input.py")
	v := judgeCandidate(t, Candidate{Source: source}, nil).Verdict
	if v.Admit {
		return
	}
	expect(t, v, []spade.Code{spade.LoadError})
	if !strings.Contains(v.Reasons[0].Detail, "numpy") {
		t.Errorf("detail %q does not name numpy", v.Reasons[0].Detail)
	}
}

func TestDuplicate(t *testing.T) {
	first := readFile(t, "testdata/cases/duplicate/input.py")
	second := readFile(t, "testdata/cases/duplicate/input_second.py")
	known := pool{}
	result := judgeCandidate(t, Candidate{Source: first}, known)
	expect(t, result.Verdict, nil)
	known[result.Fingerprint] = spade.ContentID(first)
	v := judgeCandidate(t, Candidate{Source: second}, known).Verdict
	verdicts.Store("duplicate (second file)", v)
	expect(t, v, []spade.Code{spade.Duplicate})
	if got := v.Reasons[0].Evidence.Literal; got != spade.ContentID(first) {
		t.Errorf("evidence names %q, want the id of the first", got)
	}
}

func TestHints(t *testing.T) {
	source := readFile(t, "testdata/cases/hint-names-values/input.py")
	tests := []struct {
		name, hint string
		code       spade.Code // "" where the hint is accepted
	}{
		{"good", readFile(t, "testdata/cases/hint-names-values/hint_good.txt"), ""},
		{"names a value", readFile(t, "testdata/cases/hint-names-values/hint_bad.txt"), spade.HintLeak},
		{"blank", " \n", spade.Contract},
		{"too long", strings.Repeat("weigh ", 400), spade.Contract},
		{"repeats the source", "The fee is 3 per kg plus 17; look for more than 40 kg.", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := judgeCandidate(t, Candidate{Source: source, Hint: test.hint}, nil)
			expect(t, result.Verdict, nil)
			verdicts.Store("hint-names-values (hint: "+test.name+")", *result.Hint)
			if test.code == "" {
				expect(t, *result.Hint, nil)
			} else {
				expect(t, *result.Hint, []spade.Code{test.code})
			}
		})
	}
	if result := judgeCandidate(t, Candidate{Source: source}, nil); result.Hint != nil {
		t.Errorf("verdict %+v on no hint", result.Hint)
	}
}
