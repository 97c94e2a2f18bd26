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

// pairWeight is what a pair of neighbouring tokens, by its number, weighs in a source: how often it occurs there, times
// its rarity.
type pairWeight struct {
	pair   int
	weight float64
}

// profile is the weights of a source's token pairs, in ascending order of pairs.
type profile []pairWeight

// profilesOf weighs the pairs of each source; pairs are numbered in the order in which they are met. The rarity of a pair
// that occurs in d of the n sources is ln(1 + n/d): environments share the shell of their class, and without it that shell
// would hide all that differs.
func profilesOf(sources []string) []profile {
	numbers := make(map[[2]string]int)
	var holders []int // by pair, the number of sources that hold it
	profiles := make([]profile, len(sources))
	for i, source := range sources {
		counts := make(map[int]int)
		tokens := token.FindAllString(source, -1)
		for t := 1; t < len(tokens); t++ {
			pair := [2]string{tokens[t-1], tokens[t]}
			number, known := numbers[pair]
			if !known {
				number = len(numbers)
				numbers[pair] = number
				holders = append(holders, 0)
			}
			counts[number]++
		}
		for pair, count := range counts {
			profiles[i] = append(profiles[i], pairWeight{pair, float64(count)})
			holders[pair]++
		}
		slices.SortFunc(profiles[i], func(a, b pairWeight) int { return cmp.Compare(a.pair, b.pair) })
	}
	for _, p := range profiles {
		for i := range p {
			p[i].weight *= math.Log1p(float64(len(sources)) / float64(holders[p[i].pair]))
		}
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
	return p.dot(q) / math.Sqrt(p.dot(p)*q.dot(q))
}

func (p profile) dot(q profile) float64 {
	var sum float64
	for i, j := 0, 0; i < len(p) && j < len(q); {
		switch {
		case p[i].pair < q[j].pair:
			i++
		case p[i].pair > q[j].pair:
			j++
		default:
			sum += p[i].weight * q[j].weight
			i++
			j++
		}
	}
	return sum
}
