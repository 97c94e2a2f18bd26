package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/admit"
	"spade/design"
	"spade/library"
	"spade/policy"
	"spade/sandbox"
)

type designCommand struct {
	Passage string `help:"Text file with the passage to ground the design on." required:"" placeholder:"F"`
	Skill   string `help:"Skill to exercise: for the embedded model table, next, sum, rank, stack, alt, walk, lag, tune, tank, face, cell, bounce, duel, wheel or gap, for others any, for example logical deduction; those of tool use are API orchestration, data retrieval, state modification, error recovery, tool selection and multi-step workflows. Default: the one that the passage suggests to the policy." placeholder:"S"`
	Policy  string `help:"The model: ${policies}" default:"local" placeholder:"P"`
	Hint    string `help:"Ask for the hint in a conversation of its own: separate." enum:",separate" default:"" placeholder:"separate"`
	DryRun  bool   `help:"Show what the policy would be asked, and ask nobody."`
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
	// Skill is what the source exercises, "" where that cannot be told.
	Skill string   `json:"skill"`
	Check *checked `json:"check"`
}

func (c *designCommand) Run(ctx context.Context, con console) error {
	if err := c.checkSkill(); err != nil {
		return err
	}
	passage, err := readPassage(c.Passage)
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.dryRun(con, passage)
	}
	auditor, err := openAuditor(ctx, c.model(c.Policy), c.Seed)
	if err != nil {
		return err
	}
	out, err := c.sample(ctx, con, passage)
	if err != nil {
		return err
	}
	if err := c.judge(ctx, con, auditor, passage, &out); err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(con, out)
	} else {
		_, err = fmt.Fprint(con.out, designText(out))
	}
	if err == nil && (out.Check == nil || out.Check.Verdict != "admit" || c.Skill != "" && out.Skill != c.Skill) {
		err = errNo
	}
	return err
}

// skilledTries bounds the designs that are sampled for one of a given skill.
const skilledTries = 16

// sample asks the policy for a design. Where a skill is given, an example of it is shown, as memory would, and designs of
// another skill are drawn again: the embedded model follows the passage where both pull in different directions.
func (c *designCommand) sample(ctx context.Context, con console, passage *spade.Passage) (designed, error) {
	model, err := openPolicy(ctx, c.Policy)
	if err != nil {
		return designed{}, err
	}
	request := design.Request{Passage: passage, Skill: c.skill()}
	if c.instructed() {
		out, err := c.draw(ctx, model, request, 0)
		out.Skill = request.Skill
		return out, err
	}
	if c.Skill != "" {
		request.Examples = []spade.Remembered{exampleOf(c.Skill, c.Seed)}
	}
	var out designed
	for try := range skilledTries {
		out, err = c.draw(ctx, model, request, try)
		if err != nil || c.Skill == "" || out.Skill == c.Skill {
			return out, err
		}
	}
	fmt.Fprintf(con.err, "spade: none of %d designs exercises the skill %s; the last one, shown here, exercises %s\nnext: write what the skill needs into the passage (corpus/builtin.jsonl shows how), or leave --skill out\n",
		skilledTries, c.Skill, cmp.Or(out.Skill, "none"))
	return out, nil
}

// draw samples one design.
func (c *designCommand) draw(ctx context.Context, model policy.Sampler, request design.Request, try int) (designed, error) {
	conversation, err := design.Open(ctx, model, c.settings(), request, spade.Stream(c.Seed, 0, try, "design"))
	if err != nil {
		return designed{}, err
	}
	defer conversation.Close()
	draft, err := conversation.First(ctx)
	traits, _ := library.Inspect(draft.Source)
	return designed{Prompt: conversation.Prompt, Reply: draft.Reply, Source: draft.Source, Hint: draft.Hint, Skill: traits.Mechanic}, err
}

// exampleOf is an environment of a skill from the library, as memory shows one that half of its plays win.
func exampleOf(skill string, seed uint64) spade.Remembered {
	item := library.Sample(spade.Stream(seed, 0, 0, "example"), library.Options{Mechanic: skill})
	return spade.Remembered{EnvID: spade.ContentID(item.Source), Skill: skill, Hint: item.Hint, Source: item.Source, WinRate: 0.5}
}

func (c *designCommand) checkSkill() error {
	skills := library.Mechanics()
	if c.instructed() || c.Skill == "" || slices.Contains(skills, c.Skill) {
		return nil
	}
	next := "choose one of " + strings.Join(skills, ", ")
	if near := nearest(c.Skill, skills); near != "" {
		next = fmt.Sprintf("did you mean %s? There are %s", near, strings.Join(skills, ", "))
	}
	return spade.Errorf(spade.ByUser, next, "the embedded model has no skill %q", c.Skill)
}

// instructed reports whether the policy reads instructions.
func (c *designCommand) instructed() bool { return promptsOf(c.Policy) == policy.InstructPrompts }

func (c *designCommand) settings() design.Config {
	cfg := designSettings(promptsOf(c.Policy))
	cfg.Hint = c.Hint
	return cfg
}

// skill is the one to ask for; models that follow instructions have to be told one.
func (c *designCommand) skill() string {
	if c.Skill == "" && c.instructed() {
		return design.Skills()[0]
	}
	return c.Skill
}

// dryRun shows what the designer would be asked, and asks nobody.
func (c *designCommand) dryRun(con console, passage *spade.Passage) error {
	prompt, err := design.Prompt(promptsOf(c.Policy), c.settings(), design.Request{Passage: passage, Skill: c.skill()})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con, map[string][]spade.Message{"prompt": prompt})
	}
	for _, m := range prompt {
		name := string(m.Speaker)
		if m.Name != "" {
			name += ", " + m.Name
		}
		if _, err := fmt.Fprintf(con.out, "--- %s\n%s\n", name, m.Content); err != nil {
			return err
		}
	}
	return nil
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
