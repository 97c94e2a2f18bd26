package bench

import (
	"context"
	"time"

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
	var floors []float64
	var times []time.Duration
	for range 2 * rounds {
		fork, err := b.floor.measure(ctx, "fork", trivial, forks)
		if err != nil {
			return err
		}
		floors = append(floors, fork[0])
		for range starts {
			awaitPool()
			before := time.Now()
			p, _, err := start(ctx, s, withNumpy)
			times = append(times, time.Since(before))
			if err != nil {
				return err
			}
			p.Close()
		}
	}
	reset, err := resetTimes(ctx, s)
	if err != nil {
		return err
	}
	floor := median(floors)
	first := milliseconds(median(times[1:])) // the first one started the fork server
	b.add(
		Figure{Name: "fork_exit_floor", Value: floor, Unit: "ms", Holds: true},
		Figure{Name: "acquire_to_first_observation", Value: first, Unit: "ms", Against: "fork_exit_floor", Ratio: first / floor}.atMost(1.2, 15),
		Figure{Name: "reset", Value: milliseconds(median(reset)), Unit: "ms"}.atMost(0, 1),
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
		create, step, err := compare(ctx, [2]*sandbox.Sandbox{jail, free})
		if err != nil {
			return err
		}
		b.add(
			Figure{Name: "create_unjailed", Value: create[1], Unit: "ms", Holds: true},
			Figure{Name: "create_jailed", Value: create[0], Unit: "ms", Against: "create_unjailed", Ratio: create[0] / create[1]}.atMost(1.3, 0),
			Figure{Name: "step_unjailed", Value: step[1], Unit: "us", Holds: true},
			Figure{Name: "step_jailed", Value: step[0], Unit: "us", Against: "step_unjailed", Ratio: step[0] / step[1]}.atMost(1.1, 0),
		)
		return nil
	})
}

// compare returns the medians of the time to create a process, in ms, and of a step, in µs. The boxes take short
// turns, so that both meet the same load of the machine.
func compare(ctx context.Context, boxes [2]*sandbox.Sandbox) (create, step [2]float64, err error) {
	var creates [2][]float64
	var steps [2][]time.Duration
	var instances [2]*sandbox.Instance
	for k, s := range boxes {
		if _, instances[k], err = start(ctx, s, trivial); err != nil {
			return create, step, err
		}
	}
	for range rounds {
		for k, s := range boxes {
			took, err := sustained(ctx, s)
			if err != nil {
				return create, step, err
			}
			creates[k] = append(creates[k], took)
		}
	}
	awaitPool()
	for range stepTurns {
		for k, i := range instances {
			times, err := timeSteps(ctx, i, stepsPerTurn)
			if err != nil {
				return create, step, err
			}
			steps[k] = append(steps[k], times...)
		}
	}
	for k := range boxes {
		create[k], step[k] = median(creates[k]), microseconds(median(steps[k]))
	}
	return create, step, nil
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
