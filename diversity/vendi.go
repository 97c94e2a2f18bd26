package diversity

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Vendi returns the Vendi score of sources, the effective number of different ones: the exponential of the Shannon
// entropy of the eigenvalues of K/n (Friedman and Dieng, arXiv 2210.02410), with K the n×n matrix of cosines between
// the sources' token pairs, weighed by how rare each pair is among them (profilesOf). It lies in [1, n]: 1 if all are alike, n if no two share a pair; 0 if there are
// none. Sources with fewer than two tokens are alike and unlike all others.
func Vendi(sources []string) float64 {
	n := len(sources)
	if n == 0 {
		return 0
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(likeness(sources), false) {
		// The QR iteration converges for every finite symmetric matrix, and cosines are finite.
		panic(fmt.Sprintf("diversity: eigenvalues of the likeness of %d sources did not converge", n))
	}
	entropy := 0.0
	for _, v := range eigen.Values(nil) {
		if v > 0 { // rounding leaves zeros slightly below
			entropy -= v * math.Log(v)
		}
	}
	return min(max(math.Exp(entropy), 1), float64(n))
}

// Score is Vendi divided by the number of sources, in (0, 1]; 0 if there are none.
func Score(sources []string) float64 {
	if len(sources) == 0 {
		return 0
	}
	return Vendi(sources) / float64(len(sources))
}

// likeness is K/n. Equal sources have a cosine of exactly 1: the root of a rounded square is the number itself.
func likeness(sources []string) *mat.SymDense {
	n := len(sources)
	profiles := profilesOf(sources)
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, profiles[i].cosine(profiles[j])/float64(n))
		}
	}
	return k
}
