package admit

import (
	"context"
	"errors"
	"slices"
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

// mostTogether bounds the episodes that are played at the same time, as all their instances are in memory then.
const mostTogether = 32

// playAll plays sittings and keeps their episodes, in the order of sittings: many at the same time, as the steps that
// wait together go to the process in one exchange, unless it has turned out that they must be played apart.
func (r *run) playAll(ctx context.Context, sittings []sitting) ([]*episode, error) {
	var episodes []*episode
	for chunk := range slices.Chunk(sittings, mostTogether) {
		play := r.playChunk
		if r.apart || len(chunk) == 1 {
			play = r.playEach
		}
		played, err := play(ctx, chunk)
		if err != nil {
			return nil, err
		}
		episodes = append(episodes, played...)
	}
	return episodes, nil
}

// playChunk plays sittings at the same time.
func (r *run) playChunk(ctx context.Context, sittings []sitting) ([]*episode, error) {
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
