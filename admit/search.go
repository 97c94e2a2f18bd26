package admit

import (
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

// search looks, where there is no solution(), for a win on the first of playSeeds: it tries what the observations
// offer, goes on from where most was paid so far, then from where play has got furthest.
//
// Costs: at most mostExpansions rounds of mostBranches episodes at the same time, for environments without solution()
// that no other player has won. Cannot see: wins by actions that no observation shows or computes from its numbers.
func (e *evidence) search(ctx context.Context, r *run) error {
	if e.hasSolution || slices.ContainsFunc(r.view.order, (*episode).won) {
		return nil
	}
	open := []*episode{{episodeKey: episodeKey{seed: playSeeds[0]}, first: e.plain.looks[playSeeds[0]].observation}}
	seen := make(map[string]bool)
	round := 0
	for range mostExpansions {
		if len(open) == 0 {
			return nil
		}
		slices.SortStableFunc(open, promise)
		from := open[0]
		open = open[1:]
		tried := make(map[string]bool)
		shown := []string{from.latest()}
		for range 2 { // the second time with what the first answers have shown
			var sittings []sitting
			for _, content := range searchActions(shown) {
				if tried[content] || len(sittings) == mostBranches {
					continue
				}
				tried[content] = true
				script := append(slices.Clone(from.actions()), answer(e.kind, content))
				key := episodeKey{player: searchPlayer, seed: playSeeds[0], round: round}
				sittings = append(sittings, sitting{key, scripted(script)})
				round++
			}
			episodes, err := r.playAll(ctx, sittings)
			if err != nil {
				return err
			}
			for _, ep := range episodes {
				if ep.won() {
					return nil
				}
				shown = append(shown, ep.latest())
				if state := fmt.Sprint(len(ep.turns), ep.latest()); !ep.over() && !seen[state] {
					seen[state] = true
					open = append(open, ep)
				}
			}
		}
	}
	return nil
}

// promise orders positions: more reward first, then more turns.
func promise(a, b *episode) int {
	if pa, pb := a.paid(), b.paid(); pa != pb {
		if pa > pb {
			return -1
		}
		return 1
	}
	return len(b.turns) - len(a.turns)
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
