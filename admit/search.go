package admit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"spade"
)

const (
	searchPlayer   = "search"
	mostExpansions = 16 // positions from which the search goes on
	mostBranches   = 12 // actions that it tries from each
)

// position is a point of play from which the search can go on.
type position struct {
	ep *episode
	// alike is the number of positions reached by the same step whose observation is the same: the answer to the one
	// right action often differs from all the others.
	alike int
}

// search looks, where there is no solution(), for a win on the first of playSeeds: it tries what the observations
// offer, and goes on from the most promising position.
//
// Costs: at most mostExpansions times two rounds of mostBranches episodes at the same time, for environments without
// solution() that no other player has won. Cannot see: wins by actions that no observation shows or computes from its
// numbers.
func (e *evidence) search(ctx context.Context, r *run) error {
	if e.hasSolution || e.witnessed() {
		return nil
	}
	start := &episode{episodeKey: episodeKey{seed: playSeeds[0]}, first: e.plain.looks[playSeeds[0]].observation}
	open := []position{{ep: start}}
	seen := make(map[string]bool)
	for i := 0; i < mostExpansions && len(open) > 0 && !e.witnessed(); i++ {
		slices.SortStableFunc(open, promise)
		from := open[0].ep
		open = open[1:]
		reached, err := e.expand(ctx, r, from, i)
		if err != nil {
			return err
		}
		alike := make(map[string]int)
		for _, ep := range reached {
			alike[ep.latest()]++
		}
		for _, ep := range reached {
			if state := fmt.Sprint(len(ep.turns), ep.latest()); !ep.over() && !seen[state] {
				seen[state] = true
				open = append(open, position{ep, alike[ep.latest()]})
			}
		}
	}
	return nil
}

// expand plays from on with one more action in each of several ways: first with what its observation offers, then with
// what the answers to those have shown.
func (e *evidence) expand(ctx context.Context, r *run, from *episode, expansion int) ([]*episode, error) {
	tried := make(map[string]bool)
	shown := []string{from.latest()}
	var reached []*episode
	for range 2 {
		var sittings []sitting
		for _, content := range searchActions(shown) {
			if tried[content] || len(sittings) == mostBranches {
				continue
			}
			round := expansion*2*mostBranches + len(tried)
			tried[content] = true
			actions := append(slices.Clone(from.actions()), answer(e.kind, content))
			sittings = append(sittings, script(episodeKey{searchPlayer, from.seed, round}, actions...))
		}
		episodes, err := r.playAll(ctx, sittings)
		if err != nil {
			return nil, err
		}
		for _, ep := range episodes {
			shown = append(shown, ep.latest())
		}
		reached = append(reached, episodes...)
	}
	return reached, nil
}

// promise orders positions: more reward first, then more turns, then those that differ from their likes.
func promise(a, b position) int {
	return cmp.Or(cmp.Compare(b.ep.paid(), a.ep.paid()), len(b.ep.turns)-len(a.ep.turns), a.alike-b.alike)
}

// paid returns the sum of the rewards of the episode.
func (e *episode) paid() float64 {
	sum := 0.0
	for _, t := range e.turns {
		sum += t.step.Reward
	}
	return sum
}

// latest returns the observation after the last turn.
func (e *episode) latest() string {
	if n := len(e.turns); n > 0 {
		return e.turns[n-1].step.Observation
	}
	return e.first
}

// searchActions returns what observations offer, of each the listed options first, and simple sums over its numbers.
func searchActions(observations []string) []string {
	var actions []string
	for _, observation := range observations {
		for _, kind := range offerKinds {
			found := offers(kind, observation)
			actions = append(actions, found[:min(len(found), mostBranches)]...)
		}
		actions = append(actions, figures(observation)...)
	}
	return actions
}

// figures returns the sum, product, largest and smallest of the whole numbers of observation, and their count.
func figures(observation string) []string {
	var numbers []int
	for _, text := range numberPattern.FindAllString(observation, -1) {
		if n, err := strconv.Atoi(text); err == nil {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	sum, product := 0, 1
	for _, n := range numbers {
		sum, product = sum+n, product*n
	}
	return []string{fmt.Sprint(sum), fmt.Sprint(product), fmt.Sprint(slices.Max(numbers)), fmt.Sprint(slices.Min(numbers)), fmt.Sprint(len(numbers))}
}

// witnessed reports whether some episode of the survey was won.
func (e *evidence) witnessed() bool { return slices.ContainsFunc(e.plain.order, (*episode).won) }

// noWitness is the warning for environments that nobody won.
func noWitness(e *evidence) []spade.Warning {
	if e.witnessed() {
		return nil
	}
	return []spade.Warning{{
		Code:   "no_witness",
		Detail: "there is no solution(), and no action that its observations offer won: nothing shows yet that this environment can be won",
	}}
}
