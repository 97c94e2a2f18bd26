package main

import (
	"context"
	"fmt"

	"spade"
	"spade/bench"
	sandboxbench "spade/sandbox/bench"
)

type benchSandboxCommand struct {
	Soak int  `help:"Instead of measuring, play this many episodes in a row, one in a hundred hostile, and say what grows or stays behind." placeholder:"N"`
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c *benchSandboxCommand) Run(ctx context.Context, con console) error {
	if c.Soak < 0 {
		return spade.Errorf(spade.ByUser, "give --soak 200000, for example", "%d episodes are none", c.Soak)
	}
	b := sandboxbench.Bench{Progress: func(what string) { fmt.Fprintln(con.err, what) }}
	measure := b.Run
	if c.Soak > 0 {
		measure = func(ctx context.Context) ([]bench.Figure, error) { return b.Soak(ctx, c.Soak) }
	}
	figures, err := measure(ctx)
	if err != nil {
		return err
	}
	return printFigures(con, figures, c.JSON)
}
