package main

import (
	"context"
	"fmt"
	"os/exec"

	"spade"
	benchlocal "spade/bench/local"
	"spade/policy/local"
	"spade/policy/local/base"
)

type benchLocalCommand struct {
	Python string `help:"A Python that has PyTorch, to compare with. Without one, python3 is asked." placeholder:"FILE"`
	Rounds int    `help:"How often each side is measured; figures are medians." default:"5"`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

func (c *benchLocalCommand) Run(ctx context.Context, con console) error {
	if c.Rounds < 1 {
		return spade.Errorf(spade.ByUser, "give --rounds 5, for example", "%d rounds measure nothing", c.Rounds)
	}
	python, err := c.python(ctx, con)
	if err != nil {
		return err
	}
	model, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		return err
	}
	figures, err := benchlocal.Run(ctx, benchlocal.Options{Config: model.Config(), Tokenizer: vocabulary, Python: python,
		Rounds: c.Rounds, Progress: func(what string) { fmt.Fprintln(con.err, what) }})
	if err != nil {
		return err
	}
	return printFigures(con, figures, c.JSON)
}

// python returns the Python to compare with, "" if none was named and python3 has no PyTorch.
func (c *benchLocalCommand) python(ctx context.Context, con console) (string, error) {
	const how = "make one with: python3 -m venv torch && torch/bin/pip install torch, then give --python torch/bin/python"
	if c.Python != "" {
		if !benchlocal.HasPyTorch(ctx, c.Python) {
			return "", spade.Errorf(spade.ByUser, how, "%s cannot import torch", c.Python)
		}
		return c.Python, nil
	}
	found, err := exec.LookPath("python3")
	if err != nil || !benchlocal.HasPyTorch(ctx, found) {
		fmt.Fprintln(con.err, "without a comparison: python3 cannot import torch;", how)
		return "", nil
	}
	return found, nil
}
