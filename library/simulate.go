package library

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The functions here and in simulate_carried.go simulate the mechanics: see mechanic.begin. Each mirrors the Python
// beside its name in mechanics. All rules are followed at once, each with a state of its own where the rule changes
// the state, so that a player can ask what any of them would have wanted.

func number(n int) string { return strconv.Itoa(n) }

// sample draws k distinct numbers below n, in random order.
func sample(r *rand.Rand, n, k int) []int { return r.Perm(n)[:k] }

func beginTable(_ *mechanic, it *Item, r *rand.Rand) (string, asker) {
	v := slices.Clone(it.Words)
	r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	var opening []string
	for i, w := range v {
		opening = append(opening, number(i), w)
	}
	n := len(v)
	return strings.Join(opening, " "), func(int) (string, []string) {
		i := r.IntN(n)
		return " ask " + number(i), []string{v[i], v[(i+n-1)%n], v[(i+1)%n], v[(i+2)%n]}
	}
}

func beginRank(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	return "", func(int) (string, []string) {
		p := sample(r, it.Size, 3)
		question := " " + number(p[0]) + " " + number(p[1]) + " " + number(p[2])
		low, high := slices.Min(p), slices.Max(p)
		return question, m.numbers(high, low, high, high, high)
	}
}

func beginWalk(_ *mechanic, it *Item, r *rand.Rand) (string, asker) {
	way := func(east bool) string {
		if east {
			return "east"
		}
		return "west"
	}
	x := r.IntN(it.Size)
	goal := x
	return "", func(int) (string, []string) {
		for goal == x {
			goal = r.IntN(it.Size)
		}
		question := " at " + number(x) + " goal " + number(goal)
		answers := []string{way(goal > x), way(goal < x), way(x < 4)}
		if goal > x {
			x++
		} else {
			x--
		}
		return question, answers
	}
}

func beginTune(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	return "", func(int) (string, []string) {
		x, d := 4+r.IntN(it.Size-4), 1+r.IntN(3)
		return " " + number(x) + " off " + number(d), m.numbers(x+d, x-d, x+d, x+d)
	}
}

func beginDuel(_ *mechanic, _ *Item, r *rand.Rand) (string, asker) {
	hand := strings.Fields(hands)
	return "", func(int) (string, []string) {
		i := r.IntN(3)
		return " " + hand[i], []string{hand[(i+1)%3], hand[(i+2)%3], hand[i]}
	}
}
