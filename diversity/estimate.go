package diversity

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// estimateEntropy returns the entropy of the eigenvalues of K/n without ever holding K.
//
// The largest eigenvalues are sought in a Krylov space and count as they are. What the rest comes to is the trace of
// f(B), with f(x) = -x·ln x and B the matrix on the remaining space (remainder). It is estimated by stochastic Lanczos
// quadrature (Ubaru, Chen and Saad, SIAM J. Matrix Anal. Appl. 38, 2017): as the mean of zᵀf(B)z over random vectors z
// of signs.
// Most of its variance is that of the polynomial of fourth degree nearest to f, whose trace is known better: two products
// a vector give zᵀBᵏz up to the fourth power, where a quadrature takes depth of them, and of that polynomial in turn
// the line nearest to it has a known trace, since the trace of K/n is 1. The vectors are drawn from r.
func estimateEntropy(g *gram, r *rand.Rand) float64 {
	values, vectors := g.largest(r)
	b := remainder{g, vectors}
	rest := trace{size: float64(len(g.rows) - len(values)), sum: 1}
	entropy := 0.0
	for _, v := range values {
		entropy += surprise(v)
		rest.sum -= v
	}
	draw := func() [][]float64 {
		z := make([][]float64, width)
		for k := range z {
			z[k] = signs(r, len(g.rows))
		}
		inParallel(width, func(k int) { orthogonalise(z[k], vectors) })
		return z
	}
	for range quadratures / width {
		rest.nodes = append(rest.nodes, b.quadratures(draw())...)
	}
	for range products / width {
		z := draw()
		first := b.times(z)
		second := b.times(first)
		for k := range z {
			for i, power := range [degree + 1]float64{
				floats.Dot(z[k], z[k]), floats.Dot(z[k], first[k]), floats.Dot(first[k], first[k]),
				floats.Dot(first[k], second[k]), floats.Dot(second[k], second[k]),
			} {
				rest.powers[i] += power / products
			}
		}
	}
	return entropy + rest.ofSurprise(quadratures)
}

const (
	// quadratures and products are the numbers of random vectors for f(B) and for the powers of B.
	quadratures = 3 * width
	products    = 48 * width
	// searched is the dimension of the space in which the largest eigenvalues are sought, depth that of a quadrature.
	searched = 24 * width
	depth    = 24
	// converged is the residual ‖Kv/n - λv‖, in units of λ, up to which v counts as an eigenvector. The estimate is off by
	// its square, since the remainder is what is orthogonal to v, exact or not.
	converged = 1e-2
	// negligible is what rounding may leave of 0, in numbers of the size of the largest eigenvalues.
	negligible = 1e-12
)

// signs returns n independent signs.
func signs(r *rand.Rand, n int) []float64 {
	z := make([]float64, n)
	for i := range z {
		z[i] = float64(2*r.IntN(2) - 1)
	}
	return z
}

// orthogonalise takes from v what lies along unit vectors that are orthogonal to one another.
func orthogonalise(v []float64, basis [][]float64) {
	for _, b := range basis {
		floats.AddScaled(v, -floats.Dot(v, b), b)
	}
}

// normalise scales v to length 1, or to nothing where it is nothing but rounding.
func normalise(v []float64) (length float64) {
	length = floats.Norm(v, 2)
	if length < negligible {
		clear(v)
		return 0
	}
	floats.Scale(1/length, v)
	return length
}

// largest returns the largest eigenvalues of the matrix with unit vectors, as far as a Krylov space of searched
// dimensions shows them (the Rayleigh-Ritz method).
func (g *gram) largest(r *rand.Rand) (values []float64, vectors [][]float64) {
	var basis, images [][]float64
	next := make([][]float64, width)
	for k := range next {
		next[k] = signs(r, len(g.rows))
	}
	for len(basis) < searched {
		for _, v := range next {
			normalise(v)
			orthogonalise(v, basis)
			orthogonalise(v, basis) // once more, for what rounding left
			normalise(v)
			basis = append(basis, v)
		}
		next = g.times(next)
		for _, v := range next {
			images = append(images, slices.Clone(v))
		}
	}
	found, within := ritz(basis, images)
	for i := len(found) - 1; i >= 0; i-- {
		if found[i] < negligible {
			break
		}
		v, image := combine(basis, within, i), combine(images, within, i)
		floats.AddScaled(image, -found[i], v)
		if floats.Norm(image, 2) > converged*found[i] {
			break
		}
		values, vectors = append(values, found[i]), append(vectors, v)
	}
	return values, vectors
}

// remainder is K/n on the space that is orthogonal to the vectors found, and 0 on theirs.
type remainder struct {
	*gram
	found [][]float64
}

// times returns the matrix times each of at most width vectors of that space. The products are brought back into it
// every time: a found vector is not quite an eigenvector, and what each product adds along those of large eigenvalues
// would outgrow, in a few powers, all that there is of small ones.
func (b remainder) times(vectors [][]float64) [][]float64 {
	products := b.gram.times(vectors)
	inParallel(len(products), func(k int) { orthogonalise(products[k], b.found) })
	return products
}

// ritz returns the eigenvalues of QᵀAQ in ascending order and its vectors, for a basis Q and its images AQ.
func ritz(basis, images [][]float64) ([]float64, *mat.Dense) {
	small := mat.NewSymDense(len(basis), nil)
	inParallel(len(basis), func(i int) {
		for j := i; j < len(basis); j++ {
			small.SetSym(i, j, floats.Dot(basis[i], images[j]))
		}
	})
	return decompose(small)
}

// combine is the sum of vectors weighed by one column.
func combine(vectors [][]float64, weights *mat.Dense, column int) []float64 {
	sum := make([]float64, len(vectors[0]))
	for i, v := range vectors {
		floats.AddScaled(sum, weights.At(i, column), v)
	}
	return sum
}

// node is a point of a quadrature: zᵀf(A)z is about the sum of weight·f(value), for every f.
type node struct{ value, weight float64 }

// quadratures returns the nodes of width vectors, from depth steps of the Lanczos method with a basis that is kept
// orthogonal by force. The even derivatives of f are negative and the odd ones positive, so that Gauss quadrature gives
// too much and Gauss-Radau quadrature, with a node at 0, too little (Golub and Meurant, Matrices, Moments and
// Quadrature, 2010); what is returned is both, at half their weight.
func (b remainder) quadratures(z [][]float64) []node {
	small := make([]*mat.SymDense, len(z))
	bases := make([][][]float64, len(z))
	lengths := make([]float64, len(z)) // squared
	for k := range z {
		lengths[k] = floats.Dot(z[k], z[k])
		normalise(z[k])
		small[k] = mat.NewSymDense(depth, nil)
	}
	for at := range depth {
		images := b.times(z)
		inParallel(len(z), func(k int) {
			bases[k] = append(bases[k], z[k])
			small[k].SetSym(at, at, floats.Dot(z[k], images[k]))
			orthogonalise(images[k], bases[k])
			if length := normalise(images[k]); at+1 < depth {
				small[k].SetSym(at, at+1, length)
			}
		})
		z = images
	}
	var nodes []node
	for k := range z {
		nodes = append(nodes, nodesOf(small[k], lengths[k]/2)...)
		radau(small[k])
		nodes = append(nodes, nodesOf(small[k], lengths[k]/2)...)
	}
	return nodes
}

// radau changes the last diagonal element of a tridiagonal matrix so that 0 becomes an eigenvalue: to b²·d, with b the
// last element beside the diagonal and d the last of the inverse of the matrix without its last row and column. A
// matrix that ends early, in zeros, has that eigenvalue already.
func radau(tridiagonal *mat.SymDense) {
	pivot, last := tridiagonal.At(0, 0), depth-1
	for i := 1; i < last; i++ {
		if pivot < negligible {
			return
		}
		pivot = tridiagonal.At(i, i) - tridiagonal.At(i-1, i)*tridiagonal.At(i-1, i)/pivot
	}
	if pivot >= negligible {
		tridiagonal.SetSym(last, last, tridiagonal.At(last-1, last)*tridiagonal.At(last-1, last)/pivot)
	}
}

// nodesOf are the nodes that a tridiagonal matrix gives, with weights that add up to total.
func nodesOf(tridiagonal mat.Symmetric, total float64) []node {
	values, vectors := decompose(tridiagonal)
	nodes := make([]node, len(values))
	for i, v := range values {
		nodes[i] = node{v, total * vectors.At(0, i) * vectors.At(0, i)}
	}
	return nodes
}

// degree is that of the polynomials that stand for f.
const degree = 4

// polynomial is its coefficients, from the constant up.
type polynomial [degree + 1]float64

func (p polynomial) at(x float64) float64 {
	sum := 0.0
	for i := degree; i >= 0; i-- {
		sum = sum*x + p[i]
	}
	return sum
}

// trace is what is known of a matrix B: its size, its trace, zᵀBᵏz as means over random vectors z, and quadratures over
// others.
type trace struct {
	size, sum float64
	powers    [degree + 1]float64
	nodes     []node
}

// ofSurprise is the trace of f(B), given that the nodes are those of so many vectors.
func (t trace) ofSurprise(vectors float64) float64 {
	p := t.fit(degree, surprise)
	estimate := t.of(p)
	for _, n := range t.nodes {
		estimate += n.weight * (surprise(n.value) - p.at(n.value)) / vectors
	}
	return estimate
}

// of is the trace of p(B), of which what is not the nearest line is estimated.
func (t trace) of(p polynomial) float64 {
	line := t.fit(1, p.at)
	estimate := line[0]*(t.size-t.powers[0]) + line[1]*(t.sum-t.powers[1])
	for i, coefficient := range p {
		estimate += coefficient * t.powers[i]
	}
	return estimate
}

// fit returns the polynomial of at most the given degree that is nearest to f over the nodes.
func (t trace) fit(degree int, f func(float64) float64) (p polynomial) {
	scale := 0.0 // of x, so that its powers are alike in size
	for _, n := range t.nodes {
		scale = max(scale, n.value)
	}
	if scale < negligible {
		return p
	}
	moments, right := mat.NewSymDense(degree+1, nil), mat.NewVecDense(degree+1, nil)
	for _, n := range t.nodes {
		powers := mat.NewVecDense(degree+1, nil)
		for i, power := 0, 1.0; i <= degree; i, power = i+1, power*n.value/scale {
			powers.SetVec(i, power)
		}
		moments.SymRankOne(moments, n.weight, powers)
		right.AddScaledVec(right, n.weight*f(n.value), powers)
	}
	for i := range degree + 1 { // where fewer different nodes than powers leave a choice: small coefficients
		moments.SetSym(i, i, moments.At(i, i)*(1+1e-11))
	}
	var factors mat.Cholesky
	var solved mat.VecDense
	if !factors.Factorize(moments) || factors.SolveVecTo(&solved, right) != nil {
		return p // any polynomial will do: it changes the variance only
	}
	for i, power := 0, 1.0; i <= degree; i, power = i+1, power*scale {
		p[i] = solved.AtVec(i) / power
	}
	return p
}
