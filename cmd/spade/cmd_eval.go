package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"spade"
	"spade/eval"
	"spade/policy"
	"spade/sandbox"
)

type evalCommand struct {
	Of      string `arg:"" name:"RUN|CHECKPOINT|P" help:"Folder of a run (its last checkpoint), folder of a checkpoint, or a model: ${policies}"`
	Suite   string `help:"Suite: library (held out), tuning (likewise, for choosing settings), or mechanics or twists (fresh environments of each, as in training)." enum:"library,tuning,mechanics,twists" default:"library" placeholder:"S"`
	Pool    string `help:"Play the environments of a pool instead, on the seeds that it records. It is what spade pool ls reads." placeholder:"P"`
	Seeds   int    `help:"Play each environment on at most N seeds; 0 stands for all that a suite has, and for four where a pool records none." placeholder:"N"`
	Hinted  bool   `help:"Show the agent the hint of each environment."`
	Config  string `help:"Take the settings under play: from this configuration; those of a run are its own without it." placeholder:"FILE"`
	Sandbox string `help:"Isolation: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

func (c *evalCommand) Run(ctx context.Context, con console) error {
	if c.Seeds < 0 {
		return spade.Errorf(spade.ByUser, "give a number of seeds, or leave --seeds out", "--seeds is %d", c.Seeds)
	}
	m, err := openSubject(ctx, c.Of)
	if err != nil {
		return err
	}
	defer closePolicy(m.policy)
	if c.Config != "" {
		if m.play, err = readPlay(c.Config, m.policy.Info().Prompts); err != nil {
			return err
		}
	}
	tell := con.teller()
	for _, note := range m.policy.Info().Notes {
		tell.notice(note)
	}
	settings := sandboxConfig(c.Sandbox, sandbox.Limits{}, tell)
	if m.policy.Info().Prompts == policy.InstructPrompts {
		settings.MaxProcesses = waitingProcesses()
	}
	jail, err := sandbox.Open(ctx, settings)
	if err != nil {
		return err
	}
	defer jail.Close()
	suite := suiteNamed(c.Suite)
	if c.Pool != "" {
		if suite, err = poolSuite(ctx, jail, c.Pool, c.Seeds); err != nil {
			return err
		}
	}
	suite.Hinted = c.Hinted
	p := parts{policy: m.policy, sandbox: jail}
	result, err := eval.Run(ctx, p.player(m.play), suite.First(c.Seeds))
	if err != nil {
		return err
	}
	if result.Episodes == 0 && len(result.Failures) > 0 { // nothing was measured
		return spade.Errorf(spade.ByPolicy, "see what is wrong with the server, then measure again",
			"%s gave no reply in any episode: %s", spade.Quote(c.Of), refusals(result.Failures))
	}
	if c.JSON {
		return printJSON(con, result)
	}
	fmt.Fprintf(con.out, "%s on suite %s: %.1f %% of %d episodes won\n", spade.Quote(c.Of), spade.Quote(result.Suite), 100*result.WinRate, result.Episodes)
	for _, f := range result.Families {
		fmt.Fprintf(con.out, "  %-14s %5.1f %% of %d\n", f.Name, 100*f.WinRate, f.Episodes)
	}
	return printLost(con, result)
}

// printLost says which episodes do not count.
func printLost(con console, r eval.Result) error {
	missing := 0
	for _, n := range r.Failures {
		missing += n
	}
	var err error
	if broken := r.Faults - missing; broken > 0 {
		_, err = fmt.Fprintf(con.out, "%d more do not count: the environment misbehaved\n", broken)
	}
	if missing > 0 && err == nil {
		_, err = fmt.Fprintf(con.out, "%d more do not count: no reply: %s\n", missing, refusals(r.Failures))
	}
	return err
}

// isRun reports whether a folder is that of a run, whole or not.
func isRun(dir string) bool {
	for _, name := range []string{"config.yaml", "spade.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
