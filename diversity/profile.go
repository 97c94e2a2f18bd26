package diversity

import (
	"cmp"
	"math"
	"regexp"
	"slices"
)

// token matches the tokens of a source: words (names and keywords, underscores included), runs of digits, and every other
// character that is not space on its own. Layout does not count; names and numbers do.
var token = regexp.MustCompile(`[\pL_][\pL\pN_]*|\pN+|\S`)

// pairCount says how often a pair of neighbouring tokens, by its number, occurs in a source.
type pairCount struct {
	pair  int
	count int64
}

// profile is the counts of a source's token pairs, in ascending order of pairs.
type profile []pairCount

// profilesOf counts the pairs of each source; pairs are numbered in the order in which they are met.
func profilesOf(sources []string) []profile {
	numbers := make(map[[2]string]int)
	profiles := make([]profile, len(sources))
	for i, source := range sources {
		counts := make(map[int]int64)
		tokens := token.FindAllString(source, -1)
		for t := 1; t < len(tokens); t++ {
			pair := [2]string{tokens[t-1], tokens[t]}
			number, known := numbers[pair]
			if !known {
				number = len(numbers)
				numbers[pair] = number
			}
			counts[number]++
		}
		for pair, count := range counts {
			profiles[i] = append(profiles[i], pairCount{pair, count})
		}
		slices.SortFunc(profiles[i], func(a, b pairCount) int { return cmp.Compare(a.pair, b.pair) })
	}
	return profiles
}

// cosine is in [0, 1]; two empty profiles are alike, an empty one is unlike all others.
func (p profile) cosine(q profile) float64 {
	switch {
	case len(p) == 0 && len(q) == 0:
		return 1
	case len(p) == 0 || len(q) == 0:
		return 0
	}
	return float64(p.dot(q)) / math.Sqrt(float64(p.dot(p))*float64(q.dot(q)))
}

func (p profile) dot(q profile) int64 {
	var sum int64
	for i, j := 0, 0; i < len(p) && j < len(q); {
		switch {
		case p[i].pair < q[j].pair:
			i++
		case p[i].pair > q[j].pair:
			j++
		default:
			sum += p[i].count * q[j].count
			i++
			j++
		}
	}
	return sum
}
