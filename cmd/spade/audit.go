package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"spade"
	"spade/admit"
	"spade/policy"
)

// auditFlags are the options of commands that may ask a model about what they would admit.
type auditFlags struct {
	Audit   bool   `help:"Also ask a model whether the verifier does what the environment says. It can only refuse."`
	Auditor string `help:"The model that --audit asks. Default: the policy of the command." placeholder:"P"`
}

// model is the policy that audits, own where none is named, and "" if nobody does.
func (f auditFlags) model(own string) string {
	switch {
	case f.Auditor != "":
		return f.Auditor
	case f.Audit:
		return own
	}
	return ""
}

// openAuditor opens the model called name as an auditor, nil where name is "".
func openAuditor(ctx context.Context, name string, seed uint64) (admit.Auditor, error) {
	if name == "" {
		return nil, nil
	}
	if kind, _, _ := strings.Cut(name, ":"); kind == "local" {
		return nil, spade.Errorf(spade.ByUser, "name a model that follows instructions with --auditor P (in a configuration: auditor), or leave the audit out",
			"the embedded model cannot audit: it knows its own little environments and reads no instructions")
	}
	model, err := openPolicy(ctx, name)
	if err != nil {
		return nil, err
	}
	return auditor{model, seed}, nil
}

// An auditor is a sampler whose replies are opinions (admit.Auditor).
type auditor struct {
	policy.Sampler
	// seed is that of the streams from which replies are drawn.
	seed uint64
}

const (
	// auditTokens bounds an opinion with the thinking before it.
	auditTokens = 8192
	// auditTemperature is low: what is asked for is a judgement.
	auditTemperature = 0.3
)

// Audit implements admit.Auditor. Equal prompts draw from equal streams.
func (a auditor) Audit(ctx context.Context, prompt string) (string, error) {
	session, err := a.Open(ctx, policy.Spec{
		Role: spade.Agent, Temperature: auditTemperature, MaxTokens: auditTokens,
		Rand: spade.Stream(a.seed, 0, 0, "audit "+spade.ContentID(prompt)),
	})
	if err != nil {
		return "", fmt.Errorf("open an audit: %w", err)
	}
	defer session.Close()
	said, err := session.Reply(ctx, spade.Message{Speaker: spade.User, Content: prompt})
	switch {
	case err != nil:
		return "", fmt.Errorf("audit: %w", err)
	case said.Stop != policy.StopEnd:
		return "", errors.New("the audit was cut off")
	}
	return said.Text, nil
}
