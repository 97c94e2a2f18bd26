package bench

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"spade/bench"
)

const idle = 64

// memory is the proportional share of memory (PSS) of processes that wait for their next step. It is left out where
// this user may not see it.
func (b *Bench) memory(ctx context.Context) error {
	one, err := b.share(ctx, idle, 1)
	if errors.Is(err, fs.ErrPermission) {
		b.Progress("memory is left out: only root may see that of a jailed process")
		return nil
	}
	if err != nil {
		return err
	}
	many, err := b.share(ctx, environments, perEnvironment)
	if err != nil {
		return err
	}
	b.add(
		bench.Figure{Name: "memory_per_process", Value: one, Unit: "MiB"}.AtMost(0, 2.2),
		bench.Figure{Name: "memory_per_packed_episode", Value: many / perEnvironment, Unit: "MiB"}.AtMost(0, 0.15),
	)
	return nil
}

// share returns the mean memory of n processes with some episodes each.
func (b *Bench) share(ctx context.Context, n, episodes int) (float64, error) {
	s, err := open(ctx, n)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for k := range n {
		p, i, err := start(ctx, s, game(k))
		for e := 0; err == nil; e++ {
			if _, err = playGame(ctx, i); err != nil || e == episodes-1 {
				break
			}
			i, err = begin(ctx, p)
		}
		if err != nil {
			return 0, err
		}
	}
	awaitPool()
	_, processes := jailed()
	var shares []float64
	for _, pid := range processes {
		mib, err := memory(pid, "smaps_rollup", "Pss")
		if err != nil {
			return 0, err
		}
		shares = append(shares, mib)
	}
	slices.SortFunc(shares, func(a, b float64) int { return int(1e6 * (b - a)) })
	total := 0.0
	for _, mib := range shares[:n] { // the others wait in the pool and have less
		total += mib
	}
	return total / float64(n), nil
}
