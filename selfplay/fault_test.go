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

// TestAnotherHint: a hint that gives the answer away is asked for again once, with what was seen; the designer trains on
// its first answer, and an environment whose second hint is no better plays without.
func TestAnotherHint(t *testing.T) {
	leak := "Boxes win: \\boxed{1} then \\boxed{2} then \\boxed{3}."
	tests := []struct {
		name, second string
		hinted       int
		admit        bool
	}{
		{"better", "<hint>say again what you read last</hint>", 3, true},
		{"no better", "<hint>" + leak + "</hint>", 0, false},
		{"none", "I have no other.", 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := small(1)
			cfg.Environments = 1
			first := strings.Replace(written(source(0)), "say it again", leak, 1)
			var asked []string
			r, _ := runLoop(t, cfg, newModel(func(_ int, messages []spade.Message) string {
				if len(messages) == 1 {
					return first
				}
				asked = append(asked, messages[len(messages)-1].Content)
				return test.second
			}))
			d := r.cycles[1].Designs[0]
			if len(asked) != 1 || !strings.Contains(asked[0], "hint_leak: it is a script") {
				t.Errorf("asked %q", asked)
			}
			if !d.Verdict.Admit || d.HintVerdict.Admit != test.admit || d.Reply != first || len(d.Repairs) != 1 || d.Repairs[0].Reply != test.second {
				t.Errorf("verdict %+v, hint %+v, repairs %+v", d.Verdict, d.HintVerdict, d.Repairs)
			}
			hinted := 0
			for _, e := range r.cycles[1].Episodes {
				if e.Arm == spade.Hinted {
					hinted++
				}
			}
			if hinted != test.hinted || len(r.cycles[1].Episodes) != 6+test.hinted {
				t.Errorf("%d of %d episodes with a hint, want %d", hinted, len(r.cycles[1].Episodes), test.hinted)
			}
		})
	}
}
