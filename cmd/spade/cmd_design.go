package main

import (
	"context"
	"fmt"
	"strings"

	"spade"
	"spade/admit"
	"spade/design"
	"spade/sandbox"
)

type designCommand struct {
	Passage string `help:"Text file with the passage to ground the design on." required:"" placeholder:"F"`
	Skill   string `help:"Skill to exercise. Default: the one that the passage suggests to the policy." placeholder:"S"`
	Policy  string `help:"The model: local, or local:DIR for a checkpoint." default:"local" placeholder:"P"`
	Seed    uint64 `help:"Seed of the designer's draws." default:"1"`
	auditFlags
	Sandbox string `help:"Isolation: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// designed is one design as JSON: what was asked and answered, and its judgement as spade check prints it.
type designed struct {
	Prompt []spade.Message `json:"prompt"`
	Reply  string          `json:"reply"`
	Source string          `json:"source"`
	Hint   string          `json:"hint"`
	Skill  string          `json:"skill"`
	Check  *checked        `json:"check"`
}

func (c *designCommand) Run(ctx context.Context, con console) error {
	text, err := readFile(c.Passage, maxTextFile)
	if err != nil {
		return spade.Errorf(spade.ByUser, "name a text file", "read the passage: %w", err)
	}
	passage := spade.Passage{Text: strings.TrimSpace(string(text)), Source: c.Passage}
	if passage.Text == "" {
		return spade.Errorf(spade.ByUser, "write a passage into it", "the passage %s is empty", c.Passage)
	}
	passage.ID = spade.ContentID(passage.Text)
	auditor, err := openAuditor(c.model(c.Policy), c.Seed)
	if err != nil {
		return err
	}
	out, err := c.sample(ctx, &passage)
	if err != nil {
		return err
	}
	if err := c.judge(ctx, con, auditor, &passage, &out); err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(con, out)
	} else {
		_, err = fmt.Fprint(con.out, designText(out))
	}
	if err == nil && (out.Check == nil || out.Check.Verdict != "admit") {
		err = errNo
	}
	return err
}

func (c *designCommand) sample(ctx context.Context, passage *spade.Passage) (designed, error) {
	model, err := openPolicy(c.Policy)
	if err != nil {
		return designed{}, err
	}
	conversation, err := design.Open(ctx, model, design.Default(), design.Request{Passage: passage},
		spade.Stream(c.Seed, 0, 0, "design"))
	if err != nil {
		return designed{}, err
	}
	defer conversation.Close()
	draft, err := conversation.First(ctx)
	return designed{Prompt: conversation.Prompt, Reply: draft.Reply, Source: draft.Source, Hint: draft.Hint, Skill: c.Skill}, err
}

func (c *designCommand) judge(ctx context.Context, con console, auditor admit.Auditor, passage *spade.Passage, out *designed) error {
	if out.Source == "" {
		return nil
	}
	jail, err := openSandbox(ctx, c.Sandbox, sandbox.Limits{}, con.teller())
	if err != nil {
		return err
	}
	defer jail.Close()
	admission := admit.New(jail, admit.Default()).Audited(auditor)
	result, err := judgeCandidate(ctx, admission, "(design)",
		admit.Candidate{Source: out.Source, Hint: out.Hint, Passage: passage}, nil)
	out.Check = &result
	return err
}

func designText(d designed) string {
	if d.Check == nil {
		return d.Reply + "\nreject: the answer holds no complete ```python block\n"
	}
	return fmt.Sprintf("%s\n\nhint: %s\n\n%s", d.Source, d.Hint, checkText(*d.Check))
}
