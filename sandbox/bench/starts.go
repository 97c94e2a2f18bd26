package bench

import (
	"context"
	"time"

	"spade/bench"
	"spade/sandbox"
	"spade/sandbox/internal/unjailed"
)

const (
	starts    = 6 // and forks: in each round
	resets    = 1000
	forks     = 12
	creations = 40
	stepTurns = 100
	// stepsPerTurn takes a few milliseconds.
	stepsPerTurn = 200
)

// starts is the time from asking for a process to the first observation, and of a reset after that.
func (b *Bench) starts(ctx context.Context) error {
	s, err := open(ctx, 0)
	if err != nil {
		return err
	}
	defer s.Close()
	// Each round measures floor and starts one right after the other, so that its ratio is of one load of the machine.
	var floors, ratios []float64
	var times []time.Duration
	if _, _, err := start(ctx, s, withNumpy); err != nil { // which starts the fork server
		return err
	}
	for range 2 * rounds {
		fork, err := b.floor.measure(ctx, "fork", trivial, forks)
		if err != nil {
			return err
		}
		floors = append(floors, fork[0])
		took := make([]time.Duration, starts)
		for k := range took {
			awaitPool()
			before := time.Now()
			p, _, err := start(ctx, s, withNumpy)
			took[k] = time.Since(before)
			if err != nil {
				return err
			}
			p.Close()
		}
		times = append(times, took...)
		ratios = append(ratios, milliseconds(bench.Median(took))/fork[0])
	}
	reset, err := resetTimes(ctx, s)
	if err != nil {
		return err
	}
	floor := bench.Median(floors)
	first := milliseconds(bench.Median(times))
	b.add(
		bench.Figure{Name: "fork_exit_floor", Value: floor, Unit: "ms", Holds: true},
		bench.Figure{Name: "acquire_to_first_observation", Value: first, Unit: "ms", Against: "fork_exit_floor", Ratio: bench.Median(ratios)}.AtMost(1.2, 15),
		bench.Figure{Name: "reset", Value: milliseconds(bench.Median(reset)), Unit: "ms"}.AtMost(0, 1),
	)
	return nil
}

// awaitPool waits until the pool of every fork server has stopped to fill.
func awaitPool() {
	quiet := 0
	for _, have := jailed(); quiet < 3; {
		time.Sleep(50 * time.Millisecond)
		_, now := jailed()
		if len(now) == len(have) {
			quiet++
		} else {
			quiet = 0
		}
		have = now
	}
}

func resetTimes(ctx context.Context, s *sandbox.Sandbox) ([]time.Duration, error) {
	p, i, err := start(ctx, s, withNumpy)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	times := make([]time.Duration, resets)
	for k := range times {
		before := time.Now()
		_, fault, err := i.Reset(ctx, int64(k))
		times[k] = time.Since(before)
		if err := failure(fault, err); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// isolation compares the jail with the same processes without any isolation, on one core: making a process, loading
// it, its first observation and its end; and a step.
func (b *Bench) isolation(ctx context.Context) error {
	return pinned(func() error {
		jail, err := open(ctx, 0)
		if err != nil {
			return err
		}
		defer jail.Close()
		free, err := open(unjailed.Context(ctx), 0)
		if err != nil {
			return err
		}
		defer free.Close()
		create, step, ratios, err := compare(ctx, [2]*sandbox.Sandbox{jail, free})
		if err != nil {
			return err
		}
		b.add(
			bench.Figure{Name: "create_unjailed", Value: create[1], Unit: "ms", Holds: true},
			bench.Figure{Name: "create_jailed", Value: create[0], Unit: "ms", Against: "create_unjailed", Ratio: ratios[0]}.AtMost(1.3, 0),
			bench.Figure{Name: "step_unjailed", Value: step[1], Unit: "us", Holds: true},
			bench.Figure{Name: "step_jailed", Value: step[0], Unit: "us", Against: "step_unjailed", Ratio: ratios[1]}.AtMost(1.1, 0),
		)
		return nil
	})
}

// compare returns the medians of the time to create a process, in ms, and of a step, in µs, and the median of the
// ratios of both over pairs of turns. The boxes take short turns, now the one and now the other first, so that both
// meet the same load of the machine.
func compare(ctx context.Context, boxes [2]*sandbox.Sandbox) (create, step, ratios [2]float64, err error) {
	var creates, steps [2][]float64
	var instances [2]*sandbox.Instance
	for k, s := range boxes {
		if _, instances[k], err = start(ctx, s, trivial); err != nil {
			return create, step, ratios, err
		}
	}
	for round := range 2 * rounds {
		for turn := range boxes {
			k := (round + turn) % 2
			took, err := sustained(ctx, boxes[k])
			if err != nil {
				return create, step, ratios, err
			}
			creates[k] = append(creates[k], took)
		}
	}
	awaitPool()
	for round := range stepTurns {
		for turn := range instances {
			k := (round + turn) % 2
			times, err := timeSteps(ctx, instances[k], stepsPerTurn)
			if err != nil {
				return create, step, ratios, err
			}
			steps[k] = append(steps[k], microseconds(bench.Median(times)))
		}
	}
	ratios = [2]float64{paired(creates), paired(steps)}
	for k := range boxes {
		create[k], step[k] = bench.Median(creates[k]), bench.Median(steps[k])
	}
	return create, step, ratios, nil
}

// paired returns the median of the ratios of values that were measured one right after the other.
func paired(values [2][]float64) float64 {
	ratios := make([]float64, len(values[0]))
	for k := range ratios {
		ratios[k] = values[0][k] / values[1][k]
	}
	return bench.Median(ratios)
}

// sustained creates processes faster than the pool can fill, and returns how long one took, in ms.
func sustained(ctx context.Context, s *sandbox.Sandbox) (float64, error) {
	var before time.Time
	for k := range creations {
		if k == creations/4 { // the pool is empty by now
			before = time.Now()
		}
		p, _, err := start(ctx, s, trivial)
		if err != nil {
			return 0, err
		}
		p.Close()
	}
	return milliseconds(time.Since(before)) / (creations - creations/4), nil
}
