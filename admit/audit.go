package admit

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"spade"
	"spade/reply"
)

// Auditor gives a second opinion on environments that all probes let pass, for example by asking a model.
type Auditor interface {
	// Audit returns the answer to prompt, which says what form that must have.
	Audit(ctx context.Context, prompt string) (string, error)
}

// auditCodes are the reasons that an audit may give: what probes can see only in part.
var auditCodes = []spade.Code{spade.VerifierWrong, spade.Unsolvable, spade.AnswerLeak, spade.Trivial}

//go:embed audit.txt
var auditPrompt string

// opinion is what an auditor has to answer, as JSON.
type opinion struct {
	Admit  *bool      `json:"admit"`
	Code   spade.Code `json:"code"`
	Detail string     `json:"detail"`
}

// audit asks the auditor, if there is one, about an admitted environment.
//
// Catches: what takes understanding: a verifier that checks another task than the one that is told, a key that is
// wrong or rounded, a goal that cannot be reached. Costs: one call of the auditor. Cannot see: what the auditor cannot;
// no answer, or one that is not of the form asked for, is no opinion and never counts as acceptance.
func (a *Admission) audit(ctx context.Context, v *spade.Verdict, source string, e *evidence) error {
	if a.auditor == nil || !v.Admit {
		return nil
	}
	v.Stage = "audit"
	answer, err := a.auditor.Audit(ctx, prompt(source, e))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o, ok := readOpinion(answer)
	switch {
	case err != nil || !ok:
		v.Warnings = append(v.Warnings, spade.Warning{Code: "audit_no_opinion", Detail: "the audit gave no usable answer"})
	case !*o.Admit:
		v.Admit, v.Packed = false, false
		v.Reasons = append(v.Reasons, spade.Reason{Code: o.Code, Detail: "audit: " + cut(o.Detail)})
	}
	return nil
}

// prompt fills in what the auditor reads: the source and, if there is one, an episode that was won.
func prompt(source string, e *evidence) string {
	won := "none was seen"
	if i := slices.IndexFunc(e.plain.order, (*episode).won); i >= 0 {
		won = strings.Join(cutAll(e.plain.order[i].lines()), "\n")
	}
	return strings.NewReplacer("{source}", source, "{episode}", won).Replace(auditPrompt)
}

// readOpinion reads an answer strictly: one JSON object of known keys, after any thinking, and nothing else.
func readOpinion(answer string) (opinion, bool) {
	_, rest, _ := reply.Thinking(answer)
	decoder := json.NewDecoder(strings.NewReader(rest))
	decoder.DisallowUnknownFields()
	var o opinion
	if err := decoder.Decode(&o); err != nil || o.Admit == nil {
		return opinion{}, false
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return opinion{}, false
	}
	if *o.Admit {
		return o, o.Code == ""
	}
	return o, slices.Contains(auditCodes, o.Code) && strings.TrimSpace(o.Detail) != ""
}
