package admit

import (
	"context"
	"errors"
	"slices"

	"spade"
)

// sitting is an episode that is to be played.
type sitting struct {
	key  episodeKey
	next move
	// told are its turns where they are known beforehand.
	told []turn
}

// script is a sitting that plays actions.
func script(key episodeKey, actions ...string) sitting {
	told := make([]turn, len(actions))
	for i, action := range actions {
		told[i].action = action
	}
	return sitting{key, scripted(actions), told}
}

// errTogether says that what was asked for together did not go as it should: what it was shows only if all is played from
// the start in a fresh process, one by one.
var errTogether = errors.New("episodes that were played together went otherwise than they should")

// mostTogether bounds the episodes that are played at the same time, as all their instances are in memory then.
const mostTogether = 32

// playAll plays sittings and keeps their episodes, in the order of sittings: many at the same time, so that the process
// is asked for one turn of all of them at once, unless it has turned out that they must be played apart.
func (r *run) playAll(ctx context.Context, sittings []sitting) ([]*episode, error) {
	var episodes []*episode
	for chunk := range slices.Chunk(sittings, mostTogether) {
		if err := r.spare(); err != nil {
			return nil, err
		}
		play := r.playChunk
		if r.apart {
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
	episodes, seats := make([]*episode, len(sittings)), make([]*seat, len(sittings))
	for i, s := range sittings {
		episodes[i] = &episode{episodeKey: s.key}
		seats[i] = r.sit(episodes[i], s.next)
		seats[i].told = s.told
		defer r.leaveSeat(seats[i])
	}
	if err := r.playSeats(ctx, seats...); err != nil {
		return nil, err
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

// survivable reports whether a process goes on after outcome.
func survivable(outcome spade.Outcome) bool {
	switch outcome {
	case spade.EnvError, spade.InvalidReward, spade.InvalidObservation:
		return true
	}
	return false
}
