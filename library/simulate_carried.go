package library

import (
	"math/rand/v2"
	"slices"
	"strings"
)

func beginSum(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	start := r.IntN(it.Size)
	up, down := start, start
	return number(it.Size) + " at " + number(start), func(int) (string, []string) {
		x := 1 + r.IntN(3)
		up, down = (up+x)%it.Size, (down+it.Size-x)%it.Size
		return " add " + number(x), m.numbers(up, down, up, up, up)
	}
}

func beginStack(_ *mechanic, it *Item, r *rand.Rand) (string, asker) {
	var stack, queue, under []string
	return "", func(int) (string, []string) {
		if n := len(stack); n > r.IntN(it.Size) {
			u := n - min(2, n)
			answers := []string{stack[n-1], queue[0], under[u]}
			stack, queue, under = stack[:n-1], queue[1:], slices.Delete(under, u, u+1)
			return " pull", answers
		}
		w := it.Words[r.IntN(len(it.Words))]
		stack, queue, under = append(stack, w), append(queue, w), append(under, w)
		return " push " + w, []string{w, w, w}
	}
}

func beginAlt(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	return "", func(turn int) (string, []string) {
		p := sample(r, it.Size, 2)
		question := " " + number(p[0]) + " " + number(p[1])
		want, other := max(p[0], p[1]), min(p[0], p[1])
		if turn%2 == 1 {
			want, other = other, want
		}
		return question, m.numbers(want, other, want, want, want)
	}
}

func beginLag(_ *mechanic, it *Item, r *rand.Rand) (string, asker) {
	first := sample(r, len(it.Words), 2)
	older, old := it.Words[first[0]], it.Words[first[1]]
	return older + " " + old, func(int) (string, []string) {
		now := it.Words[r.IntN(len(it.Words))]
		answers := []string{old, older, now}
		older, old = old, now
		return " see " + now, answers
	}
}

func beginTank(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	start := r.IntN(it.Size)
	level, swapped := start, start
	flow := func(y, x int) int { return min(it.Size, max(0, y+x)) }
	return number(it.Size) + " at " + number(start), func(int) (string, []string) {
		x := 1 + r.IntN(3)
		question := " in " + number(x)
		if r.IntN(2) == 0 {
			question, x = " out "+number(x), -x
		}
		level, swapped = flow(level, x), flow(swapped, -x)
		return question, m.numbers(level, swapped, level, level, level)
	}
}

func beginFace(_ *mechanic, _ *Item, r *rand.Rand) (string, asker) {
	wind := strings.Fields(winds)
	start := r.IntN(4)
	d, swapped := start, start
	return wind[start], func(int) (string, []string) {
		i := 1 + r.IntN(3)
		d, swapped = (d+i)%4, (swapped+4-i)%4
		return []string{" right", " back", " left"}[i-1], []string{wind[d], wind[swapped], wind[(d+2)%4]}
	}
}

func beginCell(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	y := r.IntN(it.Size)
	return number(y), func(int) (string, []string) {
		question := " get"
		switch r.IntN(3) {
		case 0:
			y = r.IntN(it.Size)
			question = " set " + number(y)
		case 1:
			x := 1 + r.IntN(3)
			y += x
			question = " add " + number(x)
		}
		return question, m.numbers(y, y, y, y)
	}
}

func beginBounce(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	x, d := 1+r.IntN(it.Size-1), 1
	way := " up"
	if r.IntN(2) == 0 {
		way, d = " down", -1
	}
	return number(it.Size) + " at " + number(x) + way, func(int) (string, []string) {
		x += d
		if x == 0 || x == it.Size {
			d = -d
		}
		return " go", m.numbers(x, x, x, x)
	}
}

func beginNext(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	n, start, d := it.Size, r.IntN(it.Size), 1+r.IntN(3)
	plain, prior, skip := start, start, start
	return number(n) + " by " + number(d) + " at " + number(start), func(int) (string, []string) {
		plain, prior, skip = (plain+d)%n, (prior+n-d)%n, (skip+2*d)%n
		return " after", m.numbers(plain, prior, skip, plain, plain)
	}
}

func beginWheel(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	n, start := it.Size, r.IntN(it.Size)
	plain, swapped, skipped := start, start, start
	return number(n) + " at " + number(start), func(int) (string, []string) {
		x := 1 + r.IntN(3)
		question, d := " ahead "+number(x), x
		if r.IntN(2) == 0 {
			question, d = " back "+number(x), -x
		}
		plain, swapped, skipped = (plain+n+d)%n, (swapped+n-d)%n, (skipped+2*n+2*d)%n
		return question, m.numbers(plain, swapped, skipped, plain, plain)
	}
}

func beginGap(m *mechanic, it *Item, r *rand.Rand) (string, asker) {
	x := r.IntN(it.Size)
	return number(x), func(int) (string, []string) {
		y := x
		x = r.IntN(it.Size)
		gap := max(x-y, y-x)
		return " to " + number(x), m.numbers(gap, min(x, y), gap, gap, gap)
	}
}
