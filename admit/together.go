package admit

import (
	"context"
	"errors"
	"sync"

	"spade"
)

// sitting is an episode that is to be played.
type sitting struct {
	key  episodeKey
	next move
}

// errTogether says that the process did not survive several episodes at once: which of them it was shows only if
// they are played one by one.
var errTogether = errors.New("the process is gone while several episodes were played")

// playAll plays sittings and keeps their episodes, in the order of sittings. If instances do not disturb each other
// they are played at the same time, as the steps that wait together go to the process in one exchange.
func (r *run) playAll(ctx context.Context, sittings []sitting) ([]*episode, error) {
	if r.apart || len(sittings) == 1 {
		return r.playEach(ctx, sittings)
	}
	episodes := make([]*episode, len(sittings))
	failures := make([]error, len(sittings))
	var group sync.WaitGroup
	for i, s := range sittings {
		episodes[i] = &episode{episodeKey: s.key}
		group.Go(func() { failures[i] = r.playOut(ctx, episodes[i], s.next) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	for _, ep := range episodes {
		if ep.fault != nil && !survivable(ep.fault.Outcome) {
			return nil, errTogether
		}
	}
	for _, ep := range episodes {
		r.view.keep(ep)
		if ep.fault != nil {
			if err := r.note(ep.fault, &ep.seed, ep.actions()); err != nil {
				return nil, err
			}
		}
	}
	return episodes, nil
}

func (r *run) playEach(ctx context.Context, sittings []sitting) ([]*episode, error) {
	var episodes []*episode
	for _, s := range sittings {
		ep, err := r.play(ctx, s.key, s.next)
		if err != nil {
			return nil, err
		}
		episodes = append(episodes, ep)
	}
	return episodes, nil
}

// playOut plays ep to its end in an instance of its own. What goes wrong there is in ep.
func (r *run) playOut(ctx context.Context, ep *episode, next move) error {
	seat, err := r.sit(ctx, ep, next)
	defer seat.leave()
	for err == nil && !seat.over {
		err = seat.move(ctx)
	}
	return err
}

// survivable reports whether a process goes on after outcome.
func survivable(outcome spade.Outcome) bool {
	switch outcome {
	case spade.EnvError, spade.InvalidReward, spade.InvalidObservation:
		return true
	}
	return false
}
