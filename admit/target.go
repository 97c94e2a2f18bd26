package admit

import (
	"context"
	"fmt"
	"strings"

	"spade"
)

// mostTargets bounds the numbers of the first observation that are tried.
const mostTargets = 6

// targetPlayer sends a number of the first observation, by its place there.
func targetPlayer(place int) string { return fmt.Sprintf("number %d", place+1) }

// playTarget answers with the numbers that the first observation shows, where one action wins: by place, as the
// numbers themselves differ from seed to seed.
func (e *evidence) playTarget(ctx context.Context, r *run) error {
	var left []int
	for place := range mostTargets {
		left = append(left, place)
	}
	for _, seeds := range [][]int64{playSeeds[:1], playSeeds[1:]} {
		var sittings []sitting
		var places []int
		for _, place := range left {
			for _, seed := range seeds {
				if action, ok := e.targetAction(place, seed); ok {
					sittings = append(sittings, sitting{episodeKey{player: targetPlayer(place), seed: seed}, scripted([]string{action})})
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
			if ep.won() {
				left = append(left, places[i])
			}
		}
	}
	return nil
}

// targetAction returns the number at place in the first observation on seed as an action, unless solution() says the
// same or does not win with one action.
func (e *evidence) targetAction(place int, seed int64) (string, bool) {
	ep := e.plain.episode(solver, seed)
	if ep == nil || !ep.won() || len(ep.turns) != 1 {
		return "", false
	}
	numbers := numberPattern.FindAllString(ep.first, -1)
	if place >= len(numbers) || sameAnswer(numbers[place], contentOf(ep.turns[0].action)) {
		return "", false
	}
	return answer(e.kind, numbers[place]), true
}

// sameAnswer compares answers as texts, leaving case, spaces and signs of quoting aside.
func sameAnswer(a, b string) bool {
	plain := func(text string) string { return strings.ToLower(strings.Trim(strings.TrimSpace(text), "\"'$.")) }
	return plain(a) == plain(b)
}

// targetIsNoAnswer refuses verifiers that take a number of the question for the answer.
//
// Catches: the target of a task, sent back, where it is not what solution() says and wins on all of playSeeds. Costs:
// one episode of one turn a number, at the same time. Cannot see: targets that are words, tasks of several turns.
func targetIsNoAnswer(e *evidence) []spade.Reason {
	for place := range mostTargets {
		all := true
		for _, seed := range playSeeds {
			ep := e.plain.episode(targetPlayer(place), seed)
			all = all && ep != nil && ep.won()
		}
		if all {
			ep := e.plain.episode(targetPlayer(place), playSeeds[0])
			return []spade.Reason{{
				Code: spade.ExploitEcho,
				Detail: fmt.Sprintf("number %d of the observation, sent back, wins on all of %d seeds, though it is not the answer of solution(): %s where that says %q",
					place+1, len(playSeeds), ep.ending(), cut(e.plain.episode(solver, ep.seed).turns[0].action)),
				Evidence: ep.evidence(),
			}}
		}
	}
	return nil
}
