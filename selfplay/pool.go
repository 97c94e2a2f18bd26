package selfplay

import (
	"context"

	"golang.org/x/sync/errgroup"

	"spade"
)

// poolRounds bounds the rounds of designs in which a pool must come together.
const poolRounds = 40

// makePool lets the untrained designer fill the pool of a fixed arm, and records it as made in cycle 0: its environments
// with their passages, and the designs that became them or were refused. None of these trains.
func (l *Loop) makePool(ctx context.Context, st *state, record *spade.Cycle) error {
	seen := map[string]bool{}
	l.progress(Progress{Phase: "pool", Total: l.arm.Pool})
	for round := 1; len(st.Pool) < l.arm.Pool; round++ {
		if round > poolRounds {
			return spade.Errorf(spade.ByUser, "ask for a smaller pool, or raise environments (designs a round)",
				"%d rounds of %d designs gave %d of %d environments", poolRounds, l.Config.Environments, len(st.Pool), l.arm.Pool)
		}
		slots, err := l.designSlots(st, -round, l.Config.Environments)
		if err != nil {
			return err
		}
		if err := l.designAll(ctx, st, -round, slots); err != nil {
			return err
		}
		for _, s := range slots {
			f, d := s.force, s.force.Design
			if f.Playable && (seen[f.Env.ID] || len(st.Pool) == l.arm.Pool) {
				continue
			}
			d.Cycle, d.Slot, d.Masked = 0, (round-1)*l.Config.Environments+s.number, true
			record.Designs = append(record.Designs, *d)
			if s.passage != nil {
				record.Passages = append(record.Passages, *s.passage)
			}
			if !f.Playable {
				continue
			}
			seen[f.Env.ID] = true
			f.Env.Cycle, f.Env.Slot, f.Design = 0, d.Slot, nil
			st.Pool = append(st.Pool, *f)
			record.Environments = append(record.Environments, f.Env)
		}
		l.progress(Progress{Phase: "pool", Done: len(st.Pool), Total: l.arm.Pool})
	}
	return nil
}

// poolSlots draws what a cycle plays of the pool, without replacement.
func (l *Loop) poolSlots(st *state, number int) []*slot {
	order := spade.Stream(l.Config.Seed, number, 0, "pool").Perm(len(st.Pool))
	slots := make([]*slot, min(l.Config.Environments, len(order)))
	for i := range slots {
		f := st.Pool[order[i]]
		slots[i] = &slot{number: i, force: &f}
	}
	return slots
}

// designAll fills the slots with designs and plays none of them.
func (l *Loop) designAll(ctx context.Context, st *state, number int, slots []*slot) error {
	seen := newClaims(l.known(st), l.near(st), len(slots))
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range slots {
		group.Go(func() error {
			err := l.design(ctx, number, s, seen)
			if s.process != nil {
				s.process.Close() // others may wait for its place in the sandbox
			}
			return err
		})
	}
	return group.Wait()
}
