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
	if c.JSON {
		return printJSON(con, map[string][]bench.Figure{"figures": figures})
	}
	for _, f := range figures {
		fmt.Fprintf(con.out, "%-32s %12.3f %-9s %-44s %s\n", f.Name, f.Value, f.Unit, compared(f), judged(f))
	}
	return nil
}

func compared(f bench.Figure) string {
	if f.Against == "" {
		return ""
	}
	return fmt.Sprintf("%.2f x %s", f.Ratio, f.Against)
}

func judged(f bench.Figure) string {
	switch {
	case f.Target == "":
		return ""
	case f.Holds:
		return "holds (" + f.Target + ")"
	}
	return "MISSED (" + f.Target + ")"
}
