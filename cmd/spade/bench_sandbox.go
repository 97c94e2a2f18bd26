package main

import (
	"context"
	"fmt"

	"spade/sandbox/bench"
)

type benchSandboxCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

func (c *benchSandboxCommand) Run(ctx context.Context, con console) error {
	b := bench.Bench{Progress: func(what string) { fmt.Fprintln(con.err, what) }}
	measured, err := b.Run(ctx)
	if err != nil {
		return err
	}
	figures := make([]figure, len(measured))
	holds := true
	for i, f := range measured {
		figures[i] = figure(f)
		holds = holds && f.Holds
	}
	if c.JSON {
		return printJSON(con, map[string][]figure{"figures": figures})
	}
	for _, f := range figures {
		ratio, verdict := "", ""
		if f.Against != "" {
			ratio = fmt.Sprintf("%.2f x %s", f.Ratio, f.Against)
		}
		if f.Target != "" {
			verdict = "holds: " + f.Target
			if !f.Holds {
				verdict = "MISSED: " + f.Target
			}
		}
		fmt.Fprintf(con.out, "%-30s %12.3f %-8s %-42s %s\n", f.Name, f.Value, f.Unit, ratio, verdict)
	}
	return nil
}
