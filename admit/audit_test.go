package admit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"spade"
)

// scribe answers every prompt alike and counts them.
type scribe struct {
	answer string
	err    error
	asked  int
}

func (s *scribe) Audit(_ context.Context, prompt string) (string, error) {
	if !strings.Contains(prompt, "class CraneEnv") || !strings.Contains(prompt, " -> 1 terminated won") {
		return "", errors.New("the prompt lacks the source or an episode")
	}
	s.asked++
	return s.answer, s.err
}

func TestAudit(t *testing.T) {
	tests := []struct {
		name    string
		auditor scribe
		admit   bool
		opinion bool
	}{
		{"accepts", scribe{answer: `{"admit": true, "code": "", "detail": ""}`}, true, true},
		{"accepts after thinking", scribe{answer: "<think>{}</think>\n{\"admit\": true}"}, true, true},
		{"refuses", scribe{answer: `{"admit": false, "code": "verifier_wrong", "detail": "line 9 rounds"}`}, false, true},
		{"refuses without a reason", scribe{answer: `{"admit": false, "code": "verifier_wrong"}`}, true, false},
		{"refuses for a reason of its own", scribe{answer: `{"admit": false, "code": "boring", "detail": "x"}`}, true, false},
		{"says nothing of it", scribe{answer: `{}`}, true, false},
		{"adds a key", scribe{answer: `{"admit": false, "code": "trivial", "detail": "x", "sure": 1}`}, true, false},
		{"adds words", scribe{answer: `{"admit": false, "code": "trivial", "detail": "x"} I think`}, true, false},
		{"fails", scribe{err: errors.New("no server")}, true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			admission := New(jail, Default()).Audited(&test.auditor)
			result, err := admission.Judge(t.Context(), Candidate{Source: crane}, nil)
			if err != nil {
				t.Fatal(err)
			}
			closeProcess(result.Process)
			v := result.Verdict
			if v.Admit != test.admit || v.Stage != "audit" || (len(v.Warnings) == 0) != test.opinion {
				t.Errorf("verdict %+v", v)
			}
			if !test.admit && v.Reasons[0].Code != spade.VerifierWrong {
				t.Errorf("reasons %+v", v.Reasons)
			}
		})
	}
}

func TestOnlyWhatWouldBeAdmittedIsAudited(t *testing.T) {
	auditor := &scribe{}
	source := change(t, crane, "return s.c\n", "return s.c+'0'\n")
	if _, err := New(jail, Default()).Audited(auditor).Judge(t.Context(), Candidate{Source: source}, nil); err != nil || auditor.asked > 0 {
		t.Errorf("asked %d times, error %v", auditor.asked, err)
	}
}
