package admit

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"spade"
)

// mostTargets bounds the places of the first observation that are tried.
const mostTargets = 16

// targetPlayer sends what stands at a place of the first observation.
func targetPlayer(place int) string { return fmt.Sprintf("place %d", place+1) }

// playTarget answers with the numbers and words that the first observation shows, where one action wins: by place, as
// they differ from seed to seed; what does not differ is no target.
func (e *evidence) playTarget(ctx context.Context, r *run) error {
	left := e.targetPlaces()
	for _, seeds := range [][]int64{playSeeds[:1], playSeeds[1:], otherSeeds()} {
		var sittings []sitting
		var places []int
		for _, place := range left {
			for _, seed := range seeds {
				if action, ok := e.targetAction(place, seed); ok {
					sittings = append(sittings, script(episodeKey{player: targetPlayer(place), seed: seed}, action))
					places = append(places, place)
				}
			}
		}
		episodes, err := r.playAll(ctx, sittings)
		if err != nil {
			return err
		}
		left = left[:0]
		for i, ep := range episodes {
			if ep.won() && !slices.Contains(left, places[i]) {
				left = append(left, places[i])
			}
		}
	}
	return nil
}

// atomPattern matches the numbers and words of an observation.
var atomPattern = regexp.MustCompile(numberPattern.String() + "|" + wordPattern.String())

// mostAtoms bounds how many of them are looked at.
const mostAtoms = 256

func atoms(observation string) []string { return atomPattern.FindAllString(observation, mostAtoms) }

// targetPlaces returns the places at which the first observations on playSeeds differ; nil unless one action of
// solution() wins on all of them.
func (e *evidence) targetPlaces() []int {
	var shown [][]string
	for _, seed := range playSeeds {
		ep := e.plain.episode(solver, seed)
		if ep == nil || !ep.won() || len(ep.turns) != 1 {
			return nil
		}
		shown = append(shown, atoms(ep.first))
	}
	var places []int
	for place, atom := range shown[0] {
		differs := slices.ContainsFunc(shown, func(other []string) bool { return place >= len(other) || other[place] != atom })
		if differs && len(places) < mostTargets {
			places = append(places, place)
		}
	}
	return places
}

// targetAction returns what stands at place in the first observation on seed as an action, unless it is the answer of
// solution().
func (e *evidence) targetAction(place int, seed int64) (string, bool) {
	l := e.plain.looks[seed]
	shown := atoms(l.observation)
	if place >= len(shown) || sameAnswer(shown[place], contentOf(boxed(l.solution))) || sameAnswer(shown[place], contentOf(l.solution)) {
		return "", false
	}
	return answer(e.kind, shown[place]), true
}

// sameAnswer compares answers as texts, leaving case, spaces and signs of quoting aside.
func sameAnswer(a, b string) bool {
	plain := func(text string) string { return strings.ToLower(strings.Trim(strings.TrimSpace(text), "\"'$.")) }
	return plain(a) == plain(b)
}

// targetIsNoAnswer refuses verifiers that take a piece of the question for the answer.
//
// Catches: the target of a task, sent back, where it is not what solution() says and wins on the first of playSeeds and at
// least blindShare of the first lookSeeds seeds: an expression that has to make 24 may not be 24, an anagram not the
// word itself. Costs: one episode of one turn a place, at the same time. Cannot see: targets of several words, tasks of
// several turns.
func targetIsNoAnswer(e *evidence) []spade.Reason {
	for _, place := range e.targetPlaces() {
		wins := 0
		for seed := range int64(lookSeeds) {
			if ep := e.plain.episode(targetPlayer(place), seed); ep != nil && ep.won() {
				wins++
			}
		}
		if float64(wins) < blindShare*lookSeeds {
			continue
		}
		ep := e.plain.episode(targetPlayer(place), playSeeds[0])
		return []spade.Reason{{
			Code: spade.ExploitEcho,
			Detail: fmt.Sprintf("sending back a piece of the observation wins on %d of %d seeds, though it is not the answer of solution(): %s where that says %s",
				wins, lookSeeds, ep.ending(), quote(cut(e.plain.episode(solver, ep.seed).turns[0].action))),
			Evidence: ep.evidence(),
		}}
	}
	return nil
}
