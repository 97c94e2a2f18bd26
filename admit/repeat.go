package admit

import (
	"context"
	"slices"
)

// What is known to happen need not be waited for: an episode that was played is asked for as a whole, to see whether it
// goes the same way in another process, beside another episode or once more. If it does not, all is played again apart,
// and that tells what it was.

// heard is what the plain process has shown by the time that the alternate one repeats it.
type heard struct {
	looks map[int64]look
	// order are the episodes of the fuzz player and the solver.
	order []*episode
}

func (h heard) played(seed int64) bool {
	return slices.ContainsFunc(h.order, func(ep *episode) bool { return ep.seed == seed })
}

// repeatPlan does what alternatePlan does with the episodes that were heard.
func (e *evidence) repeatPlan(h heard) plan {
	return func(ctx context.Context, r *run) error {
		if r.apart {
			return asFarAsItGoes(ctx, r, func(ctx context.Context, r *run) error { return e.alternatePlan(ctx, r, h) })
		}
		b := r.batch()
		solving := b.New(r.maxTurns)
		var seats []*seat
		for _, seed := range slices.Backward(playSeeds) {
			for _, player := range []string{solver, fuzzPlayer} {
				for _, known := range h.order {
					if known.player != player || known.seed != seed {
						continue
					}
					s := r.repeated(known)
					if player == solver {
						s.env, s.borrowed = solving, true
					}
					s.order(r, b)
					if !s.borrowed {
						b.Close(s.env)
					}
					seats = append(seats, s)
				}
			}
		}
		looking := b.New(r.maxTurns)
		glances := make([]*glance, lookSeeds)
		for seed := int64(lookSeeds) - 1; seed >= 0; seed-- {
			glances[seed] = newGlance(b, looking, seed, r.process.HasSolution(), true)
		}
		if err := b.Do(ctx); err != nil {
			return err
		}
		for _, s := range seats {
			if !s.repeats(r) {
				return errTogether
			}
			r.view.keep(s.ep)
		}
		for seed, g := range glances {
			if g.fault() != nil || g.look() != h.looks[int64(seed)] {
				return errTogether
			}
			r.view.looks[int64(seed)] = g.look()
		}
		return nil
	}
}

// repeated returns a seat for an episode that is known.
func (r *run) repeated(known *episode) *seat {
	s := r.sit(&episode{episodeKey: known.episodeKey}, nil)
	s.told, s.known = known.turns, known
	return s
}

// repeats reads what was asked for and reports whether it is what was known.
func (s *seat) repeats(r *run) bool { return s.read(r) && s.ep.equals(s.known) }

// repeatTurns lets the episodes in the view that the seats are for happen once more, a turn of each in turn.
func (r *run) repeatTurns(ctx context.Context, seats []*seat) error {
	b, most := r.batch(), 0
	for _, s := range seats {
		s.known = r.view.episodes[s.ep.episodeKey]
		s.env = b.New(r.maxTurns)
		s.first = b.Reset(s.env, s.ep.seed)
		s.told, most = s.known.turns, max(most, len(s.known.turns))
	}
	for n := range most {
		for _, s := range seats {
			s.tell(b, n)
		}
	}
	if err := b.Do(ctx); err != nil {
		return err
	}
	for _, s := range seats {
		if !s.repeats(r) {
			return errTogether
		}
	}
	return nil
}

// repeat lets an episode of the view happen once more; the seat stays and must be left.
func (r *run) repeat(ctx context.Context, known *episode) (*seat, error) {
	s := r.repeated(known)
	if err := r.playSeats(ctx, s); err != nil {
		return s, err
	}
	if !s.ep.equals(known) {
		return s, errTogether
	}
	return s, nil
}
