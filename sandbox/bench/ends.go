package bench

import (
	"context"
	"fmt"
	"time"

	"spade"
	"spade/bench"
	"spade/sandbox"
)

const (
	hangs     = 60
	hangLimit = 60 * time.Millisecond
)

// deadlines is the time from the deadline of a step that hangs until its process is gone and its place free. Half of
// the environments sleep and half compute. Those that compute count from the verdict, because on a busy machine they
// get more time before it.
func (b *Bench) deadlines(ctx context.Context) error {
	limits := patient
	limits.Step = hangLimit
	s, err := sandbox.Open(ctx, sandbox.Config{Limits: limits})
	if err != nil {
		return err
	}
	defer s.Close()
	times := make([]time.Duration, hangs)
	for k := range times {
		source := sleeper
		if k%2 == 1 {
			source = spinner
		}
		if times[k], err = hang(ctx, s, source); err != nil {
			return err
		}
	}
	b.add(
		bench.Figure{Name: "deadline_to_free_p50", Value: milliseconds(bench.Median(times)), Unit: "ms"}.AtMost(0, 15),
		bench.Figure{Name: "deadline_to_free_p99", Value: milliseconds(bench.Quantile(times, 0.99)), Unit: "ms"}.AtMost(0, 150),
	)
	return nil
}

func hang(ctx context.Context, s *sandbox.Sandbox, source string) (time.Duration, error) {
	_, i, err := start(ctx, s, source)
	if err != nil {
		return 0, err
	}
	deadline := time.Now().Add(hangLimit)
	_, fault, err := i.Step(ctx, action)
	if err != nil {
		return 0, err
	}
	if source == spinner {
		deadline = time.Now()
	}
	if fault == nil || fault.Outcome != spade.WallTimeout && fault.Outcome != spade.CPULimit {
		return 0, fmt.Errorf("a step that hangs ended with %v", fault)
	}
	for s.InUse() > 0 {
		time.Sleep(100 * time.Microsecond)
	}
	return time.Since(deadline), nil
}
