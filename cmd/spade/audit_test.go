package main

import (
	"strings"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/policytest"
)

func TestAuditor(t *testing.T) {
	var asked []policy.Spec
	opinion := `{"admit": true, "code": "", "detail": ""}`
	script := policytest.NewScript(func(spec policy.Spec, messages []spade.Message) string {
		asked = append(asked, spec)
		if len(messages) != 1 || messages[0].Speaker != spade.User {
			t.Errorf("messages %+v", messages)
		}
		return strings.Replace(messages[0].Content, "say: ", "", 1)
	})
	a := auditor{script, 3}
	for range 2 {
		if said, err := a.Audit(t.Context(), "say: "+opinion); err != nil || said != opinion {
			t.Errorf("%q, %v", said, err)
		}
	}
	if len(asked) != 2 || asked[0].Rand.Uint64() != asked[1].Rand.Uint64() || asked[0].MaxTokens < 1 || asked[0].Temperature <= 0 {
		t.Errorf("asked with %+v", asked)
	}
	if _, err := a.Audit(t.Context(), strings.Repeat("x", 2*auditTokens)); err == nil {
		t.Error("an opinion that was cut off counts")
	}
}

func TestAuditFlags(t *testing.T) {
	for _, test := range []struct {
		flags auditFlags
		want  string
	}{
		{auditFlags{}, ""}, {auditFlags{Audit: true}, "own"}, {auditFlags{Audit: true, Auditor: "other"}, "other"},
		{auditFlags{Auditor: "other"}, "other"},
	} {
		if got := test.flags.model("own"); got != test.want {
			t.Errorf("%+v: %q, want %q", test.flags, got, test.want)
		}
	}
}
