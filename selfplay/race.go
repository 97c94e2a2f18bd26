package selfplay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/reward"
)

// Race lets more designs be made than are played in full. Every admitted candidate is first played a few times
// blind. The Config.Environments candidates of the largest expected anchor (reward.ExpectedAnchor; the lower slot
// first where it is equal) are then played to the end in both arms; for the others the race is over. What was played
// trains the agent, and all candidates train the designer.
type Race struct {
	// Candidates is the number of designs of a regeneration: at least Config.Environments, or 0 for no race.
	Candidates int `yaml:"candidates" json:"candidates"`
	// Plays is the number of blind episodes that decide, in [1, Config.Plays].
	Plays int `yaml:"plays" json:"plays"`
}

func (r Race) validate(environments, plays int) error {
	switch {
	case r.Candidates != 0 && (r.Candidates < environments || r.Candidates > 1<<20):
		return fmt.Errorf("race.candidates is %d: it must be 0, or at least environments (%d)", r.Candidates, environments)
	case r.Candidates > 0 && (r.Plays < 1 || r.Plays > plays):
		return fmt.Errorf("race.plays is %d: it must lie in [1, %d]", r.Plays, plays)
	}
	return nil
}

// designs is the number of designs of a regeneration.
func (c Config) designs() int { return max(c.Environments, c.Race.Candidates) }

// races reports whether the slot takes part in a race.
func (l *Loop) races(s *slot) bool {
	return s.made && l.Config.Race.Candidates > 0 && l.arm.designs()
}

// finishRace lets the best candidates play what is left of their plays.
func (l *Loop) finishRace(ctx context.Context, number int, slots []*slot) error {
	var racing []*slot
	expected := map[*slot]float64{}
	for _, s := range slots {
		if l.races(s) && s.force.Playable {
			racing = append(racing, s)
			expected[s] = expectedAnchor(s.episodes)
		}
	}
	slices.SortStableFunc(racing, func(a, b *slot) int { return cmp.Compare(expected[b], expected[a]) })
	on := min(l.Config.Environments, len(racing))
	for _, s := range racing[on:] {
		s.force.Out = true
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range racing[:on] {
		group.Go(func() error { return l.play(ctx, s, l.tasks(number, s)[len(s.episodes):]) })
	}
	return group.Wait()
}

// expectedAnchor is that of the episodes that count.
func expectedAnchor(episodes []spade.Episode) float64 {
	wins, plays := 0, 0
	for i := range episodes {
		if episodes[i].Counts() {
			plays++
			if episodes[i].Won() {
				wins++
			}
		}
	}
	return reward.ExpectedAnchor(wins, plays)
}
