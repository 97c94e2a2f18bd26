package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"spade/bench"
	"spade/sandbox"
)

// Bench measures. Progress is told what is being measured.
type Bench struct {
	Progress func(what string)

	floor   floor
	figures []bench.Figure
}

// Run measures everything once, which takes about a minute on an idle machine. Its errors are those of opening a
// sandbox, and surprises.
func (b *Bench) Run(ctx context.Context) ([]bench.Figure, error) {
	var err error
	if b.floor, err = newFloor(ctx); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{
		{"steps of one instance", b.roundTrip},
		{"384 episodes, packed and not", b.throughput},
		{"starting and resetting", b.starts},
		{"memory", b.memory},
		{"what isolation costs", b.isolation},
		{"deadlines", b.deadlines},
	} {
		b.Progress(part.name)
		if err := part.measure(ctx); err != nil {
			return nil, fmt.Errorf("measuring %s: %w", part.name, err)
		}
	}
	return b.figures, nil
}

func (b *Bench) add(f ...bench.Figure) { b.figures = append(b.figures, f...) }

// patient are limits that a measurement on a busy machine does not reach.
var patient = sandbox.Limits{CPU: time.Hour, Episode: time.Hour, Environment: time.Hour}

func open(ctx context.Context, processes int) (*sandbox.Sandbox, error) {
	return sandbox.Open(ctx, sandbox.Config{Limits: patient, MaxProcesses: processes})
}

// start loads source and starts an episode.
func start(ctx context.Context, s *sandbox.Sandbox, source string) (*sandbox.Process, *sandbox.Instance, error) {
	p, fault, err := s.Load(ctx, source, sandbox.LoadOptions{})
	if err := failure(fault, err); err != nil {
		return nil, nil, err
	}
	i, err := begin(ctx, p)
	return p, i, err
}

func begin(ctx context.Context, p *sandbox.Process) (*sandbox.Instance, error) {
	i, fault, err := p.New(ctx, 0)
	if err := failure(fault, err); err != nil {
		return nil, err
	}
	_, fault, err = i.Reset(ctx, 1)
	return i, failure(fault, err)
}

// failure makes an error of a fault, because the environments here have none.
func failure(fault *sandbox.Fault, err error) error {
	if err == nil && fault != nil {
		return fmt.Errorf("an environment of the benchmark failed: %v", fault)
	}
	return err
}

// pinned runs measure with this process, and all that it starts, on one core.
func pinned(measure func() error) error {
	undo, err := onOneCore()
	if err != nil {
		return err
	}
	defer undo()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return measure()
}
