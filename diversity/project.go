package diversity

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"spade"
)

// Project places items in the plane so that near means alike: the two principal components of their likeness. The
// distance of two points is at most sqrt(2·(1 - likeness)) of the items, and as near to it as two dimensions allow, so
// that a set of copies is one spot however large it is. Coordinates lie in [-1, 1]; the first has the larger spread.
// The cost is in proportion to the text, and less than that of Vendi.
func Project(items []Item) [][2]float64 {
	points := make([][2]float64, len(items))
	if len(items) < 2 {
		return points
	}
	profiles, features := profilesOf(items)
	vectors, values := newGram(profiles, features).components()
	for i := range points {
		for k, v := range vectors {
			points[i][k] = v[i] * math.Sqrt(max(0, values[k])*float64(len(items)))
		}
	}
	return points
}

// componentRounds is how often the subspace is multiplied. With width vectors the error of the first two shrinks each
// time by the ratio of the ninth eigenvalue to theirs.
const componentRounds = 24

// components returns the two largest eigenvalues, largest first, of K/n with the means of rows and columns taken away,
// and their unit vectors, by subspace iteration.
func (g *gram) components() (vectors [][]float64, values []float64) {
	subspace := make([][]float64, min(width, len(g.rows)))
	draw := spade.Stream(1, 0, 0, "projection")
	for k := range subspace {
		subspace[k] = signs(draw, len(g.rows))
		centre(subspace[k])
	}
	for range componentRounds {
		orthonormalise(subspace)
		subspace = g.timesCentred(subspace)
	}
	orthonormalise(subspace)
	found, within := ritz(subspace, g.timesCentred(subspace))
	for i := len(found) - 1; i >= max(0, len(found)-2); i-- {
		vectors, values = append(vectors, combine(subspace, within, i)), append(values, found[i])
	}
	return vectors, values
}

// timesCentred multiplies vectors whose mean is 0.
func (g *gram) timesCentred(vectors [][]float64) [][]float64 {
	products := g.times(vectors)
	for _, v := range products {
		centre(v)
	}
	return products
}

func centre(v []float64) { floats.AddConst(-stat.Mean(v, nil), v) }

// orthonormalise makes vectors orthogonal and of length 1, in place; one that depends on those before it becomes 0.
func orthonormalise(vectors [][]float64) {
	for k, v := range vectors {
		normalise(v)
		orthogonalise(v, vectors[:k])
		orthogonalise(v, vectors[:k]) // once more, for what rounding left
		normalise(v)
	}
}
