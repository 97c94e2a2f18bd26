package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spade"
	"spade/eval"
	"spade/sandbox"
	"spade/store"
)

type evalCommand struct {
	Of      string `arg:"" name:"RUN|CHECKPOINT" help:"Folder of a run (its last checkpoint), folder of a checkpoint, local for the base, or openai:URL[#MODEL]."`
	Suite   string `help:"Suite: library (held out), tuning (likewise, for choosing settings), or mechanics or twists (fresh environments of each, as in training)." enum:"library,tuning,mechanics,twists" default:"library" placeholder:"S"`
	Hinted  bool   `help:"Show the agent the hint of each environment."`
	Sandbox string `help:"Isolation: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

func (c *evalCommand) Run(ctx context.Context, con console) error {
	name, err := checkpointOf(c.Of)
	if err != nil {
		return err
	}
	model, err := openPolicy(ctx, name)
	if err != nil {
		return err
	}
	jail, err := openSandbox(ctx, c.Sandbox, sandbox.Limits{}, con.teller())
	if err != nil {
		return err
	}
	defer jail.Close()
	p := parts{policy: model, sandbox: jail}
	suite := suiteNamed(c.Suite)
	suite.Hinted = c.Hinted
	result, err := eval.Run(ctx, p.player(playSettings(model.Info().Prompts)), suite)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con, result)
	}
	fmt.Fprintf(con.out, "%s on suite %s: %.1f %% of %d episodes won\n", spade.Quote(c.Of), result.Suite, 100*result.WinRate, result.Episodes)
	for _, f := range result.Families {
		fmt.Fprintf(con.out, "  %-14s %5.1f %% of %d\n", f.Name, 100*f.WinRate, f.Episodes)
	}
	return nil
}

// checkpointOf turns what a person names into the name of a policy.
func checkpointOf(of string) (string, error) {
	if of == "local" || strings.HasPrefix(of, "openai:") {
		return of, nil
	}
	if !isRun(of) {
		return "local:" + of, nil
	}
	run, err := store.Open(of)
	if err != nil {
		return "", err
	}
	defer run.Close()
	number, _, checkpoint, ok, err := run.Last()
	if err != nil {
		return "", err
	}
	if !ok || checkpoint == "" {
		return "", spade.Errorf(spade.ByUser, "let the run finish its first cycle", "run %s has no checkpoint yet (last cycle: %d)", spade.Quote(of), number)
	}
	return "local:" + checkpoint, nil
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
