package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"spade/bench"
	"spade/sandbox"
)

const (
	rounds        = 5
	stepsPerRound = 4000
	action        = `\boxed{1}`

	environments   = 24
	perEnvironment = 16
	episodes       = environments * perEnvironment
	roundLength    = time.Second
)

// roundTrip is one step of one instance, on one core, against the same step with its JSON in a plain loop.
func (b *Bench) roundTrip(ctx context.Context) error {
	return pinned(func() error {
		s, err := open(ctx, 0)
		if err != nil {
			return err
		}
		defer s.Close()
		_, instance, err := start(ctx, s, trivial)
		if err != nil {
			return err
		}
		var p50, p99, loop []float64
		for range rounds {
			plain, err := b.floor.measure(ctx, "loop", trivial, stepsPerRound)
			if err != nil {
				return err
			}
			times, err := timeSteps(ctx, instance, stepsPerRound)
			if err != nil {
				return err
			}
			loop = append(loop, plain[0])
			p50 = append(p50, microseconds(bench.Median(times)))
			p99 = append(p99, microseconds(bench.Quantile(times, 0.99)))
		}
		bare := bench.Median(loop)
		b.add(
			bench.Figure{Name: "bare_loop_step", Value: bare, Unit: "us", Holds: true},
			bench.Figure{Name: "step_p50", Value: bench.Median(p50), Unit: "us", Against: "bare_loop_step", Ratio: bench.Median(p50) / bare}.AtMost(8, 45),
			bench.Figure{Name: "step_p99", Value: bench.Median(p99), Unit: "us", Against: "bare_loop_step", Ratio: bench.Median(p99) / bare, Holds: true},
		)
		return nil
	})
}

func timeSteps(ctx context.Context, i *sandbox.Instance, n int) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	for k := range times {
		before := time.Now()
		_, fault, err := i.Step(ctx, action)
		times[k] = time.Since(before)
		if err := failure(fault, err); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// throughput is the steps a second of 384 open episodes of 24 environments on one core. It counts seconds of
// processor time, of this process and the jailed ones together, so that what else runs on the machine matters less.
func (b *Bench) throughput(ctx context.Context) error {
	return pinned(func() error {
		packed, err := openEpisodes(ctx, true)
		if err != nil {
			return err
		}
		defer packed.close()
		unpacked, err := openEpisodes(ctx, false)
		if err != nil {
			return err
		}
		defer unpacked.close()
		var loop, plain, many, one []float64
		for range rounds {
			figures, err := b.floor.measure(ctx, "loop", game(0), 10*stepsPerRound)
			if err != nil {
				return err
			}
			loop = append(loop, figures[1])
			rate, err := b.plainProcesses(ctx)
			if err != nil {
				return err
			}
			plain = append(plain, rate)
			if rate, err = packed.rate(ctx); err != nil {
				return err
			}
			many = append(many, rate)
			if rate, err = unpacked.rate(ctx); err != nil {
				return err
			}
			one = append(one, rate)
		}
		against := "plain_process_steps_per_second"
		b.add(
			bench.Figure{Name: "bare_loop_steps_per_second", Value: bench.Median(loop), Unit: "steps/s", Holds: true},
			bench.Figure{Name: against, Value: bench.Median(plain), Unit: "steps/s", Against: "bare_loop_steps_per_second",
				Ratio: bench.Median(plain) / bench.Median(loop), Holds: true},
			bench.Figure{Name: "packed_steps_per_second", Value: bench.Median(many), Unit: "steps/s", Against: against,
				Ratio: bench.Median(many) / bench.Median(plain)}.AtLeast(40000),
			bench.Figure{Name: "unpacked_steps_per_second", Value: bench.Median(one), Unit: "steps/s", Against: against,
				Ratio: bench.Median(one) / bench.Median(plain)}.AtLeast(6000),
		)
		return nil
	})
}

// fleet holds open episodes that are always ready for their next step.
type fleet struct {
	sandbox   *sandbox.Sandbox
	instances []*sandbox.Instance
}

func openEpisodes(ctx context.Context, packed bool) (*fleet, error) {
	s, err := open(ctx, episodes)
	if err != nil {
		return nil, err
	}
	f := &fleet{sandbox: s}
	for n := range environments {
		program := s.Program(game(n), packed)
		for range perEnvironment {
			i, fault, err := program.Instance(ctx, 0)
			if err == nil && fault == nil {
				_, fault, err = i.Reset(ctx, 1)
			}
			if err := failure(fault, err); err != nil {
				s.Close()
				return nil, err
			}
			f.instances = append(f.instances, i)
		}
	}
	return f, nil
}

func (f *fleet) close() { f.sandbox.Close() }

// rate plays all episodes for a while and returns the steps a second of processor time. Starting anew is not counted
// as a step.
func (f *fleet) rate(ctx context.Context) (float64, error) {
	var steps atomic.Int64
	var failed atomic.Pointer[error]
	var players sync.WaitGroup
	watch, end := startWatch(), time.Now().Add(roundLength)
	for _, instance := range f.instances {
		players.Go(func() {
			for time.Now().Before(end) {
				n, err := playGame(ctx, instance)
				steps.Add(int64(n))
				if err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	players.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(steps.Load()) / watch.elapsed().Seconds(), nil
}

// playGame plays one game to its end.
func playGame(ctx context.Context, i *sandbox.Instance) (steps int, err error) {
	_, fault, err := i.Reset(ctx, 1)
	for range gameTurns {
		if err := failure(fault, err); err != nil {
			return steps, err
		}
		var step sandbox.Step
		if step, fault, err = i.Step(ctx, action); step.Terminated {
			return steps + 1, nil
		}
		steps++
	}
	return steps, fmt.Errorf("a game of %d turns did not end (%v, %v)", gameTurns, fault, err)
}

// plainProcesses is what a program would do that gives every environment a process of its own, without a jail: it
// returns the steps a second when they take turns.
func (b *Bench) plainProcesses(ctx context.Context) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	servers := make([]*plainServer, environments)
	for n := range servers {
		s, err := b.floor.serve(ctx, game(n))
		if err != nil {
			return 0, err
		}
		defer s.close()
		servers[n] = s
		if err := s.step(); err != nil {
			return 0, err
		}
	}
	watch, steps := startWatch(), 0
	for end := time.Now().Add(roundLength / 2); time.Now().Before(end); {
		for _, s := range servers {
			if err := s.step(); err != nil {
				return 0, err
			}
			steps++
		}
	}
	return float64(steps) / watch.elapsed().Seconds(), nil
}
