package diversity

import (
	"cmp"
	"math"
	"slices"
)

// Item is one environment as its likeness to others is judged.
type Item struct {
	// Source is the whole Python file.
	Source string
	// Objective says what the environment is about: its first observations, or a description. Where it is "", the
	// texts in Source stand for it: docstrings and string literals.
	Objective string
}

// structureShare is what the structure of two sources counts for in their likeness; the words of their objectives
// count for the rest.
const structureShare = 0.7

// weight is what one feature, by its number, weighs in an item.
type weight struct {
	feature int32
	value   float64
}

// profile is the weights of an item's features, in ascending order of features: a vector of length 1.
type profile []weight

// profilesOf weighs the features of each item, and returns the number of different features. There are two views of an
// item: the shingles of its normalised source, and the words of its objective. A shingle that occurs c times in an item
// and at all in d of n items weighs ln(1+c)·ln(1+n/d): environments share the shell of their class, and without the
// second factor that shell would hide all that differs. A word weighs ln(1+c): what is rare in an objective is its
// theme, and another theme alone makes no other environment. The squares of the weights of a view add up to its share,
// so that the dot product of two items is the mean of two cosines. Where one view of an item is empty, the other has
// the whole share.
func profilesOf(items []Item) (profiles []profile, features int) {
	found := make([][]occurrence, len(items))
	inParallel(len(items), func(i int) { found[i] = featuresOf(items[i]) })
	numbers := make(map[feature]int32)
	var holders []float64 // by feature, the number of items that have it
	for _, list := range found {
		for _, o := range list {
			number, known := numbers[o.feature]
			if !known {
				number = int32(len(numbers))
				numbers[o.feature] = number
				holders = append(holders, 0)
			}
			holders[number]++
		}
	}
	profiles = make([]profile, len(items))
	inParallel(len(items), func(i int) {
		profiles[i] = make(profile, 0, len(found[i]))
		for _, o := range found[i] {
			number := numbers[o.feature]
			value := math.Log1p(o.count)
			if o.view == structureView {
				value *= math.Log1p(float64(len(items)) / holders[number])
			}
			profiles[i] = append(profiles[i], weight{number, value})
		}
		share(found[i], profiles[i])
		found[i] = nil // of thousands of items this is most of the memory
		slices.SortFunc(profiles[i], func(a, b weight) int { return cmp.Compare(a.feature, b.feature) })
	})
	return profiles, len(numbers)
}

// share scales the weights of an item's features so that each view has its share.
func share(found []occurrence, weights profile) {
	var squares [3]float64
	for i, o := range found {
		squares[o.view] += weights[i].value * weights[i].value
	}
	shares := [3]float64{1, structureShare, 1 - structureShare}
	switch {
	case squares[structureView] == 0:
		shares[objectiveView] = 1
	case squares[objectiveView] == 0:
		shares[structureView] = 1
	}
	for i, o := range found {
		weights[i].value *= math.Sqrt(shares[o.view] / squares[o.view])
	}
}

// dot is the likeness of two items, in [0, 1].
func (p profile) dot(q profile) float64 {
	var sum float64
	for i, j := 0, 0; i < len(p) && j < len(q); {
		switch {
		case p[i].feature < q[j].feature:
			i++
		case p[i].feature > q[j].feature:
			j++
		default:
			sum += p[i].value * q[j].value
			i++
			j++
		}
	}
	return sum
}
