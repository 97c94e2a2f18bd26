package admit

import (
	"context"
	"slices"
	"time"
)

// plainPlan is what happens in the plain process: first what shows a broken contract soonest.
func (e *evidence) plainPlan(ctx context.Context, r *run) error {
	e.plain, e.blindPlay, e.randomPlay, e.paidAgain, e.disturbed = r.view, nil, nil, nil, nil // nothing is left of an earlier attempt
	begun := time.Now()
	if err := r.look(ctx, seedsUpTo(lookSeeds), false); err != nil {
		return err
	}
	e.slow = time.Since(begun) > slowLooks
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
	if !packed {
		return nil // instances share state: nothing else will be read
	}
	e.packed, e.known = true, e.knownAnswers()
	if err := e.replay(ctx, r); err != nil || e.slow {
		return err
	}
	for _, play := range []plan{e.concludeAtOnce, e.playBlind, e.playRandom, e.playTarget, e.playNearMisses, e.guess, e.playLate, e.search} {
		if err := play(ctx, r); err != nil {
			return err
		}
	}
	alive, err := e.stepOn(ctx, r)
	e.packed = alive
	return err
}

// slowLooks is how long the first looks may take, about 200 ms each, for the exploits to be played: those take some
// hundred resets more. It is so long that a busy machine does not make an environment slow.
const slowLooks = 3 * time.Second

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
