package selfplay

import (
	"strings"
	"testing"

	"spade"
)

func TestExplainFault(t *testing.T) {
	seed := int64(0)
	v := spade.Verdict{Reasons: []spade.Reason{
		{Code: spade.Contract, Detail: "step raised", Evidence: spade.Evidence{Seed: &seed, Actions: []string{"a", `\boxed{b}`}, Trace: "line 3\nKeyError\n"}},
		{Code: spade.StepAfterDone, Detail: "it goes on", Evidence: spade.Evidence{Literal: "1.5", First: []string{"x", "y"}, Second: []string{"x", "z"}}},
		{Code: spade.Trivial, Detail: "no effort", Evidence: spade.Evidence{First: []string{"only"}}},
	}}
	want := `contract: step raised
seed: 0
actions: ["a" "\\boxed{b}"]
line 3
KeyError
step_after_done: it goes on
value: 1.5
once: y
once more: z
trivial: no effort
once: only`
	if got := explainFault(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRepairByEvidence: what a running environment did wrong reaches the designer with seed, actions and traceback, and
// a design that is right after that is played.
func TestRepairByEvidence(t *testing.T) {
	cfg := small(1)
	cfg.Environments, cfg.Design.Repairs = 1, 3
	raises := strings.Replace(source(0), "self.turn += 1", "self.turn += one", 1)
	m := newModel(func(_ int, messages []spade.Message) string {
		switch last := messages[len(messages)-1].Content; {
		case len(messages) < 3:
			return written(raises)
		case strings.Contains(last, "name 'one' is not defined") && strings.Contains(last, "seed: ") && strings.Contains(last, "line "):
			return written(source(0))
		}
		return written(raises)
	})
	r, _ := runLoop(t, cfg, m)
	d := r.cycles[1].Designs[0]
	if d.First.Admit || !d.Verdict.Admit || len(d.Repairs) != 1 || len(r.cycles[1].Episodes) != 9 {
		t.Errorf("first %+v, last %+v, repairs %+v", d.First, d.Verdict, d.Repairs)
	}
}
