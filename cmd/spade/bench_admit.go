package main

import (
	"context"
	"fmt"

	"spade"
	"spade/bench/admission"
)

type benchAdmitCommand struct {
	Rounds int  `help:"How often each environment is judged; figures are medians." default:"20"`
	JSON   bool `name:"json" help:"Print one JSON object."`
}

func (c *benchAdmitCommand) Run(ctx context.Context, con console) error {
	if c.Rounds < 1 {
		return spade.Errorf(spade.ByUser, "give --rounds 20, for example", "%d rounds measure nothing", c.Rounds)
	}
	figures, err := admission.Run(ctx, c.Rounds, func(what string) { fmt.Fprintln(con.err, what) })
	if err != nil {
		return err
	}
	return printFigures(con, figures, c.JSON)
}
