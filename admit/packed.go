package admit

import (
	"context"
	"slices"
)

// interleave plays two seeds turn by turn in two instances of the process and reports whether their episodes are
// those that they gave one after the other.
//
// Catches: state that instances share (class attributes, module globals). It refuses nothing: such an environment
// is played with a process an episode. Costs: two episodes a player. Cannot see: sharing that only other actions
// bring out.
func (e *evidence) interleave(ctx context.Context, r *run) (bool, error) {
	same, err := r.pair(ctx, fuzzPlayer, func() move { return fuzzMove(e.kind, e.tools, 0) })
	if err != nil || !same || !e.hasSolution {
		return same, err
	}
	return r.pair(ctx, solver, func() move { return solverMove(e.kind) })
}

// pair plays the first two of playSeeds at once and compares them with the episodes in the view.
func (r *run) pair(ctx context.Context, player string, next func() move) (bool, error) {
	var seats []*seat
	for _, seed := range playSeeds[:2] {
		s, err := r.sit(ctx, &episode{episodeKey: episodeKey{player: player, seed: seed}}, next())
		defer s.leave()
		if err != nil {
			return false, err
		}
		seats = append(seats, s)
	}
	for !seats[0].over || !seats[1].over {
		for _, s := range seats {
			if s.over {
				continue
			}
			if err := s.move(ctx); err != nil {
				return false, err
			}
		}
	}
	for _, s := range seats {
		if !slices.Equal(s.ep.lines(), r.view.episodes[s.ep.episodeKey].lines()) {
			return false, nil
		}
	}
	return true, nil
}
