package library

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The functions here simulate the mechanics: see mechanic.begin. Each mirrors the Python beside its name in
// mechanics. All rules are followed at once, each with a state of its own where the rule changes the state, so
// that a player can ask what any of them would have wanted.

func number(n int) string { return strconv.Itoa(n) }

// sample draws k distinct numbers below n, in random order.
func sample(r *rand.Rand, n, k int) []int { return r.Perm(n)[:k] }

func beginTable(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	v := slices.Clone(it.Words)
	r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	var opening []string
	for i, w := range v {
		opening = append(opening, number(i), w)
	}
	return strings.Join(opening, " "), func(int) (string, []string) {
		i := r.IntN(len(v))
		return " ask " + number(i), []string{v[i]}
	}
}

func beginNext(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	var p []string
	for _, n := range sample(r, 20, it.Size) {
		p = append(p, number(n))
	}
	p = append(p, p[0])
	return strings.Join(p, " "), func(int) (string, []string) {
		i := r.IntN(len(p) - 1)
		return " after " + p[i], []string{p[i+1]}
	}
}

func beginSum(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	m := it.Size
	start := r.IntN(m)
	plain, minus, twice := start, start, start
	return number(m) + " at " + number(start), func(int) (string, []string) {
		x := 1 + r.IntN(3)
		plain, minus, twice = (plain+x)%m, (minus+m-x)%m, (twice+2*x)%m
		return " add " + number(x), []string{number(plain), number(minus), number(twice)}
	}
}

func beginRank(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	return "", func(int) (string, []string) {
		p := sample(r, it.Size, 3)
		question := " " + number(p[0]) + " " + number(p[1]) + " " + number(p[2])
		slices.Sort(p)
		return question, []string{number(p[2]), number(p[0]), number(p[1])}
	}
}

func beginStack(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	var stack, queue []string
	return "", func(int) (string, []string) {
		if n := len(stack); n > r.IntN(it.Size) {
			answers := []string{stack[n-1], queue[0]}
			stack, queue = stack[:n-1], queue[1:]
			return " pull", answers
		}
		w := it.Words[r.IntN(len(it.Words))]
		stack, queue = append(stack, w), append(queue, w)
		return " push " + w, []string{w, w}
	}
}

func beginAlt(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	return "", func(turn int) (string, []string) {
		p := sample(r, it.Size, 2)
		low, high := number(min(p[0], p[1])), number(max(p[0], p[1]))
		question := " " + number(p[0]) + " " + number(p[1])
		if turn%2 == 0 {
			return question, []string{high, low, low}
		}
		return question, []string{low, high, low}
	}
}

func beginWalk(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
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
		answers := []string{way(goal > x), way(goal < x), way(x%2 == 1)}
		if goal > x {
			x++
		} else {
			x--
		}
		return question, answers
	}
}

func beginLag(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	first := sample(r, len(it.Words), 2)
	older, old := it.Words[first[0]], it.Words[first[1]]
	return older + " " + old, func(int) (string, []string) {
		now := it.Words[r.IntN(len(it.Words))]
		answers := []string{old, older, now}
		older, old = old, now
		return " see " + now, answers
	}
}

func beginTune(it *Item, r *rand.Rand) (string, func(int) (string, []string)) {
	return "", func(int) (string, []string) {
		x, d := 4+r.IntN(it.Size-4), 1+r.IntN(3)
		return " " + number(x) + " off " + number(d), []string{number(x + d), number(x - d), number(x + 2*d)}
	}
}
