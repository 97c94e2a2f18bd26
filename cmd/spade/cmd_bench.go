package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"spade"
	"spade/bench"
	"spade/policy/local"
	"spade/selfplay"
	"spade/store"
)

type benchCommand struct {
	Admit   benchAdmitCommand   `cmd:"" help:"Measure admission on one core: small and large environments, parts, a hang."`
	Loop    benchLoopCommand    `cmd:"" help:"Run some cycles of self-play and say how the time of a cycle is spent."`
	Local   benchLocalCommand   `cmd:"" help:"Measure the embedded model: training and sampling against PyTorch and the machine's peak, one thread and two."`
	Sandbox benchSandboxCommand `cmd:"" help:"Measure the jail: steps, starts, memory, what isolation costs."`
	Answer  benchAnswerCommand  `cmd:"" hidden:"" help:"The model server of bench loop --remote."`
}

type benchLoopCommand struct {
	Cycles   int    `help:"Cycles to measure, after one that is not counted: enough for episodes to reach their usual length." default:"60"`
	Remote   bool   `help:"Measure instead how many turns a second come out of a model server that answers after 200 ms, beside the same pattern in Python."`
	Episodes int    `help:"For --remote: episodes at once." default:"2048"`
	Profile  string `help:"For --remote: write a profile of this program's processor time to a file, for go tool pprof." placeholder:"F"`
	JSON     bool   `name:"json" help:"Print one JSON object."`
}

// idleTarget is the largest share of a cycle's wall time in which no core may do model work.
const idleTarget = 0.1

func (c *benchLoopCommand) Run(ctx context.Context, con console) error {
	if c.Cycles < 1 || c.Episodes < 1 {
		return spade.Errorf(spade.ByUser, "give --cycles and --episodes 1 or more", "nothing is measured with %d cycles, %d episodes", c.Cycles, c.Episodes)
	}
	if c.Remote {
		figures, err := c.measureRemote(ctx, con)
		if err != nil {
			return err
		}
		return printFigures(con, figures, c.JSON)
	}
	dir, err := os.MkdirTemp("", "spade-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(dir)
	figures, err := c.measure(ctx, con, filepath.Join(dir, "run"))
	if err != nil {
		return err
	}
	return printFigures(con, figures, c.JSON)
}

func (c *benchLoopCommand) measure(ctx context.Context, con console, dir string) ([]bench.Figure, error) {
	cfg := selfplay.Default()
	cfg.Cycles, cfg.Suite = c.Cycles+1, selfplay.NoSuite // what is measured is the cycle
	data, err := encodeConfig(cfg)
	if err != nil {
		return nil, err
	}
	run, err := store.Create(dir, data)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	parts, err := wire(ctx, cfg, con.teller())
	if err != nil {
		return nil, err
	}
	defer parts.close()
	model, ok := parts.policy.(*local.Policy)
	if !ok {
		return nil, fmt.Errorf("bench loop: the policy %s is not the embedded model", cfg.Policy)
	}
	loop := parts.loop(cfg, run)
	var from, to time.Time
	var busy, busyAtEnd, used, usedAtEnd time.Duration
	tokens := 0
	loop.OnCycle = func(cycle spade.Cycle) {
		to, busyAtEnd, usedAtEnd = time.Now(), model.Busy(), bench.TreeTime(os.Getpid())
		if cycle.Number == 1 { // the first cycle starts processes and fills caches
			from, busy, used = to, busyAtEnd, usedAtEnd
			return
		}
		tokens += cycle.Stats.SampledTokens + cycle.Stats.TrainedTokens
		fmt.Fprintf(con.err, "cycle %d\n", cycle.Number)
	}
	if _, err := loop.Run(ctx, nil); err != nil {
		return nil, err
	}
	wall := to.Sub(from)
	idle := 1 - (busyAtEnd-busy).Seconds()/wall.Seconds()
	return []bench.Figure{
		{Name: "idle_model_share", Value: idle, Unit: "of wall", Against: "wall time of a cycle", Ratio: idle,
			Target: fmt.Sprintf("<= %.2f", idleTarget), Holds: idle <= idleTarget},
		bench.Plain("processors_busy", (usedAtEnd-used).Seconds()/wall.Seconds()/float64(runtime.NumCPU()), "of all"),
		bench.Plain("cycle_seconds", wall.Seconds()/float64(c.Cycles), "s"),
		bench.Plain("tokens_per_second", float64(tokens)/wall.Seconds(), "tokens/s"),
	}, nil
}
