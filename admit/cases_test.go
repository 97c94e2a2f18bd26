package admit

import (
	"slices"
	"strings"
	"testing"

	"spade"
)

// Cases are environments written after failures that users of other projects reported, and valid ones that are
// easily refused by mistake. A case is refused with any one of its codes; one without codes is admitted.
var cases = []struct {
	name  string
	codes []spade.Code
}{
	{"truncated-source", []spade.Code{spade.Syntax, spade.LoadError}},
	{"init-order", []spade.Code{spade.LoadError, spade.Contract}},
	{"reset-no-seed", []spade.Code{spade.Contract, spade.LoadError}},
	{"step-falls-through", []spade.Code{spade.Contract}},
	{"global-rng-in-step", []spade.Code{spade.UnseededGlobalState}},
	{"set-order", []spade.Code{spade.Nondeterministic}},
	{"seed-zero-falsy", []spade.Code{spade.Nondeterministic, spade.UnseededGlobalState}},
	{"hang-on-zero", []spade.Code{spade.Hang}},
	{"hang-some-seeds", []spade.Code{spade.Hang}},
	{"memory-in-reset", []spade.Code{spade.Memory, spade.Hang}},
	{"doubling-observation", []spade.Code{spade.OutputTooLarge, spade.Memory}},
	{"cumulative-reward", []spade.Code{spade.RewardRange}},
	{"nan-answer", []spade.Code{spade.NaNReward, spade.RewardRange}},
	{"state-dump-leak", []spade.Code{spade.AnswerLeak}},
	{"hint-names-values", nil},
	{"constant-letter", []spade.Code{spade.Trivial, spade.Duplicate}},
	{"seed-ignored", []spade.Code{spade.Trivial, spade.Duplicate, spade.Contract}},
	{"int-vs-str", []spade.Code{spade.Unsolvable, spade.VerifierWrong}},
	{"tool-state-never-set", []spade.Code{spade.Unsolvable, spade.VerifierWrong}},
	{"substring-check", []spade.Code{spade.VerifierWrong, spade.ExploitEcho}},
	{"empty-wins", []spade.Code{spade.ExploitEmptyAction, spade.VerifierWrong}},
	{"echo-keywords", []spade.Code{spade.ExploitEcho, spade.VerifierWrong, spade.ExploitEmptyAction}},
	{"reopens-after-win", []spade.Code{spade.StepAfterDone}},
	{"score-file", []spade.Code{spade.HiddenIO, spade.Nondeterministic, spade.ForbiddenImport}},
	{"ok-global-seeded", nil},
	{"ok-dataclass-future", nil},
	{"ok-tool-use", nil},
	{"ok-reset-string", nil},
	{"ok-unicode", nil},
	{"ok-long-observation", nil},
	{"ok-abstract-base-first", nil},
	{"ok-helper-named-env", nil},
	{"ok-own-pacing", nil},
	{"ok-optional-import", nil},
	{"ok-missing-stdlib-imports", nil},
	{"ok-no-constructor", nil},
	{"ok-shaped-negative", nil},
	{"ok-main-guard", nil},
	// The key is rounded to fewer digits than the question shows. No probe can see what the question means.
	{"rounded-key", nil},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: readFile(t, "testdata/cases", c.name, "input.py")}, nil)
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
