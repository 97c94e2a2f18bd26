package admit

import (
	"context"
	"slices"
)

// plainPlan is what happens in the plain process: first what shows a broken contract soonest.
func (e *evidence) plainPlan(ctx context.Context, r *run) error {
	e.plain, e.blindPlay, e.randomPlay, e.paidAgain = r.view, nil, nil, nil // nothing is left of an earlier attempt
	if err := r.look(ctx, seedsUpTo(lookSeeds), false); err != nil {
		return err
	}
	for _, seed := range playSeeds {
		if err := e.fuzz(ctx, r, seed); err != nil {
			return err
		}
		if err := e.solve(ctx, r, seed); err != nil {
			return err
		}
	}
	if len(r.view.faults) > 0 {
		return nil // the contract is broken: nothing else will be read
	}
	packed, err := e.interleave(ctx, r)
	if err != nil {
		return err
	}
	e.packed = packed
	r.apart = r.apart || !packed
	for _, play := range []plan{e.replay, e.concludeAtOnce, e.playBlind, e.playRandom, e.playTarget, e.playNearMisses, e.guess, e.playLate, e.search} {
		if err := play(ctx, r); err != nil {
			return err
		}
	}
	alive, err := e.stepOn(ctx, r)
	e.packed = e.packed && alive
	return err
}

// alternatePlan plays the same episodes as plainPlan in the opposite order, so that whatever outlives an episode
// shows as a difference. Blind play is not repeated.
//
// The solver plays all its episodes in one instance, so that a reset after a whole episode has to equal a fresh one.
func (e *evidence) alternatePlan(ctx context.Context, r *run) error {
	seeds := slices.Clone(playSeeds)
	slices.Reverse(seeds)
	for _, seed := range seeds {
		if err := r.inOne(ctx, func() error { return e.solve(ctx, r, seed) }); err != nil {
			return err
		}
		if err := e.fuzz(ctx, r, seed); err != nil {
			return err
		}
	}
	seeds = seedsUpTo(lookSeeds)
	slices.Reverse(seeds)
	return r.look(ctx, seeds, true)
}

func seedsUpTo(n int64) []int64 { return seedsFrom(0, n) }

// seedsFrom returns the seeds from low to below high.
func seedsFrom(low, high int64) []int64 {
	seeds := make([]int64, 0, high-low)
	for seed := low; seed < high; seed++ {
		seeds = append(seeds, seed)
	}
	return seeds
}

// otherSeeds are the first lookSeeds seeds but for playSeeds.
func otherSeeds() []int64 {
	return slices.DeleteFunc(seedsUpTo(lookSeeds), func(seed int64) bool { return slices.Contains(playSeeds, seed) })
}
