package main

import (
	"context"
	"fmt"
	"time"

	"spade"
	"spade/admit"
	"spade/diversity"
	"spade/sandbox"
)

type checkCommand struct {
	Files   []string `arg:"" name:"FILE" help:"Python files, judged in this order; earlier files count as the pool."`
	Pool    string   `help:"Pool whose environments count as known: a folder or file as spade pool ls reads it." placeholder:"P"`
	Hint    string   `help:"File with the hint of the environment; goes with one FILE." placeholder:"F"`
	Passage string   `help:"Text file with the passage that the environments are grounded on: what has nothing to do with it is refused." placeholder:"F"`
	auditFlags
	Sandbox string `help:"Isolation: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print one JSON object per file."`
}

// checked is the judgement of one file as JSON.
type checked struct {
	File     string          `json:"file"`
	ID       string          `json:"id"`
	Class    *string         `json:"class"`
	Kind     *string         `json:"kind"`
	Verdict  string          `json:"verdict"`
	Reasons  []spade.Reason  `json:"reasons"`
	Warnings []spade.Warning `json:"warnings"`
	Hint     *checkedHint    `json:"hint"`
	// Grounding is what it shares with the passage; only where there is one.
	Grounding *admit.Grounding `json:"grounding,omitempty"`
	MS        int64            `json:"ms"`
	// Printed is what an admitted environment wrote to its standard output and error while it was judged.
	Printed string `json:"printed,omitempty"`
}

type checkedHint struct {
	Verdict string         `json:"verdict"`
	Reasons []spade.Reason `json:"reasons"`
}

func (c *checkCommand) Run(ctx context.Context, con console) error {
	hint, err := c.hint()
	if err != nil {
		return err
	}
	var passage *spade.Passage
	if c.Passage != "" {
		if passage, err = readPassage(c.Passage); err != nil {
			return err
		}
	}
	auditor, err := openAuditor(ctx, c.model("local"), 1)
	if err != nil {
		return err
	}
	jail, err := openSandbox(ctx, c.Sandbox, sandbox.Limits{}, con.teller())
	if err != nil {
		return err
	}
	defer jail.Close()
	config := admit.Default()
	config.NearDuplicates = true
	admission := admit.New(jail, config).Audited(auditor)
	known, err := readPool(c.Pool)
	if err != nil {
		return err
	}
	var unread error
	refused := false
	for _, file := range c.Files {
		source, err := readFile(file, maxSourceFile)
		if err != nil { // the others are still judged
			fmt.Fprintf(con.err, "spade: %v\n", err)
			unread = spade.Errorf(spade.ByUser, "name Python files that exist and can be read", "not every file could be read")
			continue
		}
		result, err := judgeCandidate(ctx, admission, file, admit.Candidate{Source: string(source), Hint: hint, Passage: passage}, known)
		if err != nil {
			return err
		}
		if result.Verdict == "admit" {
			known.add(result.ID, string(source))
		}
		refused = refused || result.Verdict != "admit" || (result.Hint != nil && result.Hint.Verdict != "admit")
		if c.JSON {
			err = printJSON(con, result)
		} else {
			_, err = fmt.Fprint(con.out, checkText(result))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case unread != nil:
		return unread
	case refused:
		return errNo
	}
	return nil
}

func (c *checkCommand) hint() (string, error) {
	if c.Hint == "" {
		return "", nil
	}
	if len(c.Files) != 1 {
		return "", spade.Errorf(spade.ByUser, "check one file with its hint at a time", "--hint goes with one file, not %d", len(c.Files))
	}
	text, err := readFile(c.Hint, maxSourceFile)
	if err != nil {
		return "", spade.Errorf(spade.ByUser, "name a text file that holds the hint", "read the hint: %w", err)
	}
	return string(text), nil
}

// index is what the pool and the files judged so far hold.
type index struct {
	ids   map[string]string // by fingerprint
	known []diversity.Known
}

// readPool is the index of the pool at path, in any layout; an empty one without a path.
func readPool(path string) (*index, error) {
	x := &index{ids: map[string]string{}}
	if path == "" {
		return x, nil
	}
	p, err := openPool(path)
	if err != nil {
		return nil, err
	}
	for _, e := range p.Entries {
		x.add(e.ID(), e.Code)
	}
	return x, nil
}

func (x *index) add(id, source string) {
	x.ids[admit.Fingerprint(source)] = id
	x.known = append(x.known, diversity.NewKnown(id, source))
}

// Seen implements admit.Index.
func (x *index) Seen(fingerprint string) (string, bool) {
	id, ok := x.ids[fingerprint]
	return id, ok
}

// Near implements admit.Index.
func (x *index) Near(source string, behaviour func(string) ([]string, error)) (string, float64, error) {
	k, resemblance, err := diversity.Nearest(source, x.known, behaviour)
	return k.ID, resemblance, err
}

// judgeCandidate judges one environment and puts the judgement into the form in which it is printed.
func judgeCandidate(ctx context.Context, admission *admit.Admission, file string, candidate admit.Candidate, index admit.Index) (checked, error) {
	begun := time.Now()
	result, err := admission.Judge(ctx, candidate, index)
	if err != nil {
		return checked{}, fmt.Errorf("check %s: %w", file, err)
	}
	printed := ""
	if result.Process != nil {
		printed = result.Process.Printed()
		result.Process.Close()
	}
	out := checked{
		File: file, ID: spade.ContentID(candidate.Source), Class: orNull(result.Class), Kind: orNull(string(result.Kind)),
		Verdict: word(result.Verdict.Admit), Reasons: result.Verdict.Reasons, Warnings: result.Verdict.Warnings,
		Grounding: result.Grounding, MS: time.Since(begun).Milliseconds(), Printed: printed,
	}
	if result.Hint != nil {
		out.Hint = &checkedHint{Verdict: word(result.Hint.Admit), Reasons: result.Hint.Reasons}
	}
	return out, nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func word(admit bool) string {
	if admit {
		return "admit"
	}
	return "reject"
}
