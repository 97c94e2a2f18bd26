package admit

import (
	"context"
	"fmt"
	"slices"

	"spade"
)

// interleave plays two seeds turn by turn in two instances of the process: their episodes have to be those that they
// gave one after the other, and then episodes may share a process.
//
// Costs: two episodes a player, and one more of an episode that came out otherwise, to see whether it does so alone.
func (e *evidence) interleave(ctx context.Context, r *run) error {
	players := []struct {
		name string
		next func() move
	}{{fuzzPlayer, func() move { return fuzzMove(e.kind, e.tools, 0) }}, {solver, func() move { return solverMove(e.kind) }}}
	var err error
	for _, p := range players {
		if err != nil || e.disturbed != nil || p.name == solver && !e.hasSolution {
			break
		}
		if err = e.pair(ctx, r, p.name, p.next); err == nil && e.disturbed != nil {
			alone := &episode{episodeKey: e.disturbed.episodeKey}
			if err = r.playOut(ctx, alone, p.next()); err == nil {
				e.alone = alone
			}
		}
	}
	e.packed = err == nil && e.disturbed == nil
	r.apart = r.apart || !e.packed // nothing is played at the same time any more
	return err
}

// sharedState is the warning for environments whose instances disturb each other. They are right as long as each
// episode has a process of its own, and that is how they are played.
//
// Catches: what an episode keeps in class attributes, module globals or mutable defaults, where another episode that is
// played at the same time changes it. The global generators are no such state: every instance has its own. What such
// state carries from one episode to the next is no matter for a warning: runsAgree refuses it. Costs: nothing beyond
// interleave. Cannot see: sharing that only other actions bring out.
func sharedState(e *evidence) []spade.Warning {
	if e.disturbed == nil {
		return nil
	}
	ep := e.disturbed
	return []spade.Warning{{
		Code: "shared_state",
		Detail: fmt.Sprintf("instances share state: seed %d gave another episode when one of seed %d was played in a second instance at the same time; every episode gets a process of its own",
			ep.seed, playSeeds[0]+playSeeds[1]-ep.seed),
	}}
}

// pair plays the first two of playSeeds at once and compares them with the episodes in the view. It keeps one that
// differs as disturbed.
func (e *evidence) pair(ctx context.Context, r *run, player string, next func() move) error {
	var seats []*seat
	for _, seed := range playSeeds[:2] {
		s := r.sit(&episode{episodeKey: episodeKey{player: player, seed: seed}}, next())
		defer r.leaveSeat(s)
		seats = append(seats, s)
	}
	if !r.apart {
		return r.repeatTurns(ctx, seats)
	}
	for turns := 0; !seats[0].over || !seats[1].over; turns++ {
		for _, s := range seats {
			if err := r.playTo(ctx, s, turns); err != nil {
				return err
			}
		}
	}
	for _, s := range seats {
		if !slices.Equal(s.ep.lines(), r.view.episodes[s.ep.episodeKey].lines()) {
			e.disturbed = s.ep
			return nil
		}
	}
	return nil
}

// playTo goes on until s has read its reset and played so many turns.
func (r *run) playTo(ctx context.Context, s *seat, turns int) error {
	for !s.over && (!s.begun || len(s.ep.turns) < turns) {
		if _, err := r.round(ctx, []*seat{s}); err != nil {
			return err
		}
	}
	return nil
}
