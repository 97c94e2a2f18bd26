package admit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// part is a piece of the plain plan.
type part struct {
	name string
	play plan
}

// plainPlan is what happens in the plain process: first what shows a broken contract soonest. What is played after a
// fault that refuses the environment in any case would not be read. Where the process is worn out by it, that ends the plan.
func (e *evidence) plainPlan(ctx context.Context, r *run) error {
	e.plain, e.blindPlay, e.randomPlay, e.paidAgain, e.disturbed, e.alone, e.canAsk, e.packed, e.costs = r.view, nil, nil, nil, nil, nil, false, false, nil // as in a first attempt
	sound := []part{{"looks", e.lookAround}, {"contract", e.playContract}}
	err := e.playParts(ctx, r, sound)
	if len(r.view.faults) == 0 && (err == nil || errors.Is(err, errWornOut)) {
		e.tell(r)
		if err == nil {
			err = e.playOn(ctx, r)
		}
	}
	if errors.Is(err, errWornOut) {
		e.slow, e.paidAgain, err = true, nil, nil // that was not looked at to the end
	}
	return err
}

// playOn is what is played with an environment that has broken no contract.
func (e *evidence) playOn(ctx context.Context, r *run) error {
	e.known = e.knownAnswers()
	if err := e.playParts(ctx, r, []part{{"interleaved", e.interleave}, {"replay", e.replay}}); err != nil || e.slow {
		return err
	}
	r.sparing = true
	return e.playParts(ctx, r, []part{
		{"answers at once", e.concludeAtOnce}, {"blind play", e.playBlind}, {"random play", e.playRandom},
		{"targets", e.playTarget}, {"near misses", e.playNearMisses}, {"guesses", e.guess}, {"last turn", e.playLate},
		{"search", e.search}, {"after the end", e.stepOn},
	})
}

// tell hands on what the alternate process is to repeat, once.
func (e *evidence) tell(r *run) {
	if e.told {
		return
	}
	e.told = true
	e.sound <- heard{looks: maps.Clone(r.view.looks), order: slices.Clone(r.view.order)}
}

// playParts plays parts in their order and notes what they cost.
func (e *evidence) playParts(ctx context.Context, r *run, parts []part) error {
	for _, p := range parts {
		if err := r.spare(); err != nil {
			return err
		}
		begun, played := time.Now(), len(r.view.order)
		err := p.play(ctx, r)
		if errors.Is(err, errWornOut) {
			r.forget(played)
		}
		if err != nil {
			return err
		}
		cost := Cost{Part: p.name, Wall: time.Since(begun)}
		for _, ep := range r.view.order[played:] {
			cost.Episodes, cost.Turns = cost.Episodes+1, cost.Turns+len(ep.turns)
		}
		e.costs = append(e.costs, cost)
	}
	return nil
}

// lookAround looks at the first lookSeeds seeds.
func (e *evidence) lookAround(ctx context.Context, r *run) error {
	begun := time.Now()
	err := r.look(ctx, seedsUpTo(lookSeeds), false)
	e.slow = time.Since(begun) > slowStart
	return err
}

// playContract plays the fuzz player and the solver on playSeeds, but no further seed once the process is worn.
func (e *evidence) playContract(ctx context.Context, r *run) error {
	begun := time.Now()
	defer func() { e.slow = e.slow || time.Since(begun) > slowStart }()
	for _, seed := range playSeeds {
		if r.enough && worn(r.process) {
			return errWornOut
		}
		if err := e.fuzz(ctx, r, seed); err != nil {
			return err
		}
		if err := e.solve(ctx, r, seed); err != nil {
			return err
		}
		r.enough = true
	}
	return nil
}

// slowStart is how long the looks and the first episodes may take each, about 200 ms a reset or 50 ms a step, for the
// exploits to be played: those take some hundred of both. It is so long that a busy machine makes no environment slow.
const slowStart = 3 * time.Second

// alternatePlan plays the same episodes as plainPlan in the opposite order, so that whatever outlives an episode
// shows as a difference. Blind play is not repeated, and neither are seeds that were not heard of.
//
// The solver plays all its episodes in one instance, so that a reset after a whole episode has to equal a fresh one.
func (e *evidence) alternatePlan(ctx context.Context, r *run, h heard) error {
	for _, seed := range slices.Backward(playSeeds) {
		if !h.played(seed) {
			continue
		}
		if err := r.inOne(ctx, func() error { return e.solve(ctx, r, seed) }); err != nil {
			return err
		}
		if err := e.fuzz(ctx, r, seed); err != nil {
			return err
		}
	}
	seeds := seedsUpTo(lookSeeds)
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
