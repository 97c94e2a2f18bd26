package token

import "container/heap"

type pair struct{ left, right int32 }

// merge is one line of the merge list: its rank, and the token that the pair becomes.
type merge struct {
	rank int
	id   int32
}

// candidate is a pair of neighbours that could be merged. It is stale once either side has changed.
type candidate struct {
	rank, at    int
	left, right int32
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	if c[i].rank != c[j].rank {
		return c[i].rank < c[j].rank
	}
	return c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// applyMerges merges ids in place: always the neighbours of lowest rank, the leftmost of equals, until none
// can be merged. It takes O(n log n) time for n ids.
func applyMerges(ids []int32, merges map[pair]merge) []int32 {
	const gone = -1
	n := len(ids)
	prev, next := make([]int, n), make([]int, n)
	var queue candidates
	offer := func(at int) {
		if at < 0 || next[at] >= n {
			return
		}
		p := pair{ids[at], ids[next[at]]}
		if m, ok := merges[p]; ok {
			heap.Push(&queue, candidate{m.rank, at, p.left, p.right})
		}
	}
	for i := range ids {
		prev[i], next[i] = i-1, i+1
	}
	for i := range ids {
		offer(i)
	}
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		right := next[c.at]
		if ids[c.at] != c.left || right >= n || ids[right] != c.right {
			continue
		}
		ids[c.at] = merges[pair{c.left, c.right}].id
		ids[right] = gone
		next[c.at] = next[right]
		if next[c.at] < n {
			prev[next[c.at]] = c.at
		}
		offer(prev[c.at])
		offer(c.at)
	}
	out := ids[:0]
	for _, id := range ids {
		if id != gone {
			out = append(out, id)
		}
	}
	return out
}
