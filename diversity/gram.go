package diversity

import (
	"runtime"
	"sync"
)

// gram is the matrix K/n of n profiles, kept as the sparse matrix X of their weights: K = X·Xᵀ. Features that a single
// item has add to the diagonal alone and are kept as that.
type gram struct {
	rows    []profile // by item, the features that others have too
	columns []profile // by feature, the items that have it
	own     []float64 // by item, the squares of the features that no other has
}

func newGram(profiles []profile, features int) *gram {
	holders := make([]int, features)
	for _, p := range profiles {
		for _, w := range p {
			holders[w.feature]++
		}
	}
	g := &gram{rows: make([]profile, len(profiles)), columns: make([]profile, features), own: make([]float64, len(profiles))}
	for f, n := range holders {
		if n > 1 {
			g.columns[f] = make(profile, 0, n)
		}
	}
	for i, p := range profiles {
		g.rows[i] = make(profile, 0, len(p))
		for _, w := range p {
			if holders[w.feature] == 1 {
				g.own[i] += w.value * w.value
				continue
			}
			g.rows[i] = append(g.rows[i], w)
			g.columns[w.feature] = append(g.columns[w.feature], weight{int32(i), w.value})
		}
	}
	return g
}

// width is how many vectors are multiplied at a time: the matrix is read from memory once for all of them.
const width = 8

// block is width vectors, the values of one item or feature side by side.
type block [][width]float64

// times returns K/n times each of at most width vectors. Each sum has its own order, so that the result is the same on
// any number of processors.
func (g *gram) times(vectors [][]float64) [][]float64 {
	n := len(g.rows)
	v, features, product := make(block, n), make(block, len(g.columns)), make(block, n)
	for k, vector := range vectors {
		for i, x := range vector {
			v[i][k] = x
		}
	}
	inParallel(len(features), func(f int) { g.columns[f].apply(v, &features[f]) })
	inParallel(n, func(i int) { g.rows[i].apply(features, &product[i]) })
	products := make([][]float64, len(vectors))
	for k := range products {
		products[k] = make([]float64, n)
		for i := range n {
			products[k][i] = (product[i][k] + g.own[i]*v[i][k]) / float64(n)
		}
	}
	return products
}

// apply adds the dot products of a sparse vector with the vectors of a block to sums.
func (p profile) apply(b block, sums *[width]float64) {
	s := *sums
	for _, w := range p {
		x := &b[w.feature]
		s[0] += w.value * x[0]
		s[1] += w.value * x[1]
		s[2] += w.value * x[2]
		s[3] += w.value * x[3]
		s[4] += w.value * x[4]
		s[5] += w.value * x[5]
		s[6] += w.value * x[6]
		s[7] += w.value * x[7]
	}
	*sums = s
}

// inParallel calls do for 0 to n-1, in as many pieces as there are processors.
func inParallel(n int, do func(i int)) {
	pieces := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for p := range pieces {
		wait.Go(func() {
			for i := p * n / pieces; i < (p+1)*n/pieces; i++ {
				do(i)
			}
		})
	}
	wait.Wait()
}
