package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"spade"
	"spade/bench"
	"spade/bench/remote"
	"spade/sandbox"
)

// measureRemote measures the loop against a model server.
func (c *benchLoopCommand) measureRemote(ctx context.Context, con console) ([]bench.Figure, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	jail, err := openSandbox(ctx, "degraded", sandbox.Limits{}, con.teller())
	if err != nil {
		return nil, err
	}
	defer jail.Close()
	b := remote.Bench{Episodes: c.Episodes, Delay: 200 * time.Millisecond, Pairs: 4, Settle: time.Second, Span: 3 * time.Second,
		Server: []string{program, "bench", "answer"}, Progress: func(what string) { fmt.Fprintln(con.err, what) }}
	result, err := b.Run(ctx, jail)
	if err != nil || c.Profile == "" {
		return result.Figures, err
	}
	if err := os.WriteFile(c.Profile, result.Profile, 0o644); err != nil {
		return nil, spade.Errorf(spade.ByUser, "name a file that can be written with --profile", "%w", err)
	}
	return result.Figures, nil
}

// benchAnswerCommand is the model server of bench loop --remote. It ends with its input.
type benchAnswerCommand struct {
	Delay time.Duration `default:"200ms"`
}

func (c *benchAnswerCommand) Run(con console) error { return remote.Serve(con.in, con.out, c.Delay) }
