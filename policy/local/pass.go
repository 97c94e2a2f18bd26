package local

import (
	"spade/policy/local/kernel"
)

// packed is a micro-batch: sequences of different lengths one after the other, without padding.
type packed struct {
	// tokens are the inputs of all sequences; sequence i is tokens[starts[i]:starts[i+1]].
	tokens []int32
	starts []int
	// rows are the indices into tokens, ascending, whose next token is trained on.
	rows []int
}

// tokenLoss is the loss on the predicted tokens of one micro-batch. Gradient adds the loss of predicting
// after rows[i] to its own statistics and replaces the logits by the loss's gradient with respect to them.
type tokenLoss interface {
	gradient(k *kernel.Scratch, i int, logits []float32)
}

// logitRows is how many rows of logits exist at a time.
const logitRows = 64

// pass computes losses and gradients, one micro-batch at a time. It owns the activations of one goroutine;
// they grow to the largest micro-batch met.
type pass struct {
	model  *Model
	kernel *kernel.Scratch
	attn   attention

	blocks []activations
	// last holds the residual stream after the last block, of the rows that predict, and final its norm.
	last, final, finalInverse []float32
	logits                    []float32

	// Gradients: of the residual stream, of whatever a block computes from it, and scratch.
	dx, dh, dqkv, drotated, dout, dff, dgather []float32
	sigmoids                                   []float32
}

// activations are what the backward pass of one block needs. Rows of the first group are all tokens of the
// micro-batch. The second group, behind attention, has all tokens too, except in the last block, where it has
// only the rows that predict.
type activations struct {
	x, h, qkv, rotated, mixed []float32
	inverse, headInverse, lse []float32

	mixedOut, x2, h2, gateUp, ff []float32
	inverse2                     []float32
}

func newPass(m *Model) *pass {
	return &pass{model: m, kernel: kernel.NewScratch(), blocks: make([]activations, m.config.Layers)}
}

// grow makes sure that s has n elements; what it held is lost if it had fewer.
func grow(s *[]float32, n int) {
	if cap(*s) < n {
		*s = make([]float32, n)
	}
	*s = (*s)[:n]
}

// resize fits all buffers to a micro-batch of n tokens of which r predict.
func (p *pass) resize(n, r int) {
	c := &p.model.config
	for i := range p.blocks {
		a := &p.blocks[i]
		grow(&a.x, n*c.HiddenSize)
		grow(&a.h, n*c.HiddenSize)
		grow(&a.qkv, n*c.fusedWidth())
		grow(&a.rotated, n*(c.queryWidth()+c.keyWidth()))
		grow(&a.mixed, n*c.queryWidth())
		grow(&a.inverse, n)
		grow(&a.headInverse, n*(c.Heads+c.KVHeads))
		grow(&a.lse, n*c.Heads)
		rows := p.rowsBehind(i, n, r)
		grow(&a.x2, rows*c.HiddenSize)
		grow(&a.h2, rows*c.HiddenSize)
		grow(&a.gateUp, rows*2*c.IntermediateSize)
		grow(&a.ff, rows*c.IntermediateSize)
		grow(&a.inverse2, rows)
	}
	grow(&p.blocks[c.Layers-1].mixedOut, r*c.queryWidth())
	grow(&p.last, r*c.HiddenSize)
	grow(&p.final, r*c.HiddenSize)
	grow(&p.finalInverse, r)
	grow(&p.logits, min(r, logitRows)*c.VocabSize)
	grow(&p.dx, n*c.HiddenSize)
	grow(&p.dh, n*c.HiddenSize)
	grow(&p.dqkv, n*c.fusedWidth())
	grow(&p.drotated, n*(c.queryWidth()+c.keyWidth()))
	grow(&p.dout, n*c.queryWidth())
	grow(&p.dff, n*c.IntermediateSize)
	grow(&p.dgather, r*max(c.HiddenSize, c.queryWidth()))
	grow(&p.sigmoids, c.IntermediateSize)
}

// rowsBehind is the number of rows behind the attention of block i.
func (p *pass) rowsBehind(i, n, r int) int {
	if i == p.model.config.Layers-1 {
		return r
	}
	return n
}

// matmul is a row-major product with contiguous operands: C[m×n] = or += op(A)·op(B).
func (p *pass) matmul(c, a []float32, transA bool, b []float32, transB bool, m, n, k int, acc bool) {
	lda, ldb := k, n
	if transA {
		lda = m
	}
	if transB {
		ldb = k
	}
	p.kernel.MatMul(c, n, a, lda, transA, b, ldb, transB, m, n, k, acc)
}

// run adds the gradient of the loss on b to g.
func (p *pass) run(b *packed, loss tokenLoss, g *weights) {
	if len(b.rows) == 0 {
		return
	}
	p.resize(len(b.tokens), len(b.rows))
	p.forward(b)
	p.predict(b, loss, g)
	p.backward(b, g)
}

// forward computes the activations of all blocks, and last.
func (p *pass) forward(b *packed) {
	m, n := p.model, len(b.tokens)
	c, w := &m.config, m.weights
	d, ff := c.HiddenSize, c.IntermediateSize
	for i, id := range b.tokens {
		copy(p.blocks[0].x[i*d:][:d], w.embed[int(id)*d:])
	}
	for i := range p.blocks {
		a, bw := &p.blocks[i], &w.blocks[i]
		rmsNorm(a.h, a.x, bw.attnNorm, a.inverse, n, c.NormEpsilon)
		p.matmul(a.qkv, a.h, false, bw.qkv, false, n, c.fusedWidth(), d, false)
		p.rotate(b, a, bw)
		p.attn.forward(m, p.kernel, b, a)

		rows, mixed := n, a.mixed
		next := p.last
		if i < c.Layers-1 {
			next = p.blocks[i+1].x
			copy(a.x2, a.x)
		} else {
			rows, mixed = len(b.rows), a.mixedOut
			gather(a.x2, a.x, b.rows, d)
			gather(mixed, a.mixed, b.rows, c.queryWidth())
		}
		p.matmul(a.x2, mixed, false, bw.out, false, rows, d, c.queryWidth(), true)
		rmsNorm(a.h2, a.x2, bw.mlpNorm, a.inverse2, rows, c.NormEpsilon)
		p.matmul(a.gateUp, a.h2, false, bw.gateUp, false, rows, 2*ff, d, false)
		swiGLU(p.kernel, a.ff, a.gateUp, rows, ff)
		copy(next, a.x2)
		p.matmul(next, a.ff, false, bw.down, false, rows, d, ff, true)
	}
}

// rotate fills a.rotated with the normalised and rotated queries and keys of a.qkv.
func (p *pass) rotate(b *packed, a *activations, w *block) {
	m := p.model
	c := &m.config
	heads, width := c.Heads+c.KVHeads, c.queryWidth()+c.keyWidth()
	for s := range len(b.starts) - 1 {
		for t := b.starts[s]; t < b.starts[s+1]; t++ {
			cos, sin := m.rope.at(t - b.starts[s])
			raw, rotated := a.qkv[t*c.fusedWidth():][:width], a.rotated[t*width:][:width]
			inverse := a.headInverse[t*heads:][:heads]
			for h := range heads {
				norm := w.qNorm
				if h >= c.Heads {
					norm = w.kNorm
				}
				x := raw[h*c.HeadDim:][:c.HeadDim]
				inverse[h] = rotateHead(rotated[h*c.HeadDim:][:c.HeadDim], x, norm, cos, sin, c.NormEpsilon)
			}
		}
	}
}

// rotateBackward fills the query and key columns of p.dqkv from p.drotated.
func (p *pass) rotateBackward(b *packed, a *activations, w, g *block) {
	m := p.model
	c := &m.config
	heads, width := c.Heads+c.KVHeads, c.queryWidth()+c.keyWidth()
	for s := range len(b.starts) - 1 {
		for t := b.starts[s]; t < b.starts[s+1]; t++ {
			cos, sin := m.rope.at(t - b.starts[s])
			raw, dy := a.qkv[t*c.fusedWidth():][:width], p.drotated[t*width:][:width]
			dx, inverse := p.dqkv[t*c.fusedWidth():][:width], a.headInverse[t*heads:][:heads]
			for h := range heads {
				norm, dnorm := w.qNorm, g.qNorm
				if h >= c.Heads {
					norm, dnorm = w.kNorm, g.kNorm
				}
				at := h * c.HeadDim
				end := at + c.HeadDim
				rotateHeadBackward(dx[at:end], dy[at:end], raw[at:end], norm, dnorm, cos, sin, inverse[h])
			}
		}
	}
}

// score computes the logits after every row that predicts, and no gradient. What see is given is valid until it returns.
func (p *pass) score(b *packed, see func(k *kernel.Scratch, row int, logits []float32)) {
	c, w, total := &p.model.config, p.model.weights, len(b.rows)
	p.resize(len(b.tokens), total)
	p.forward(b)
	rmsNorm(p.final, p.last, w.norm, p.finalInverse, total, c.NormEpsilon)
	for first := 0; first < total; first += logitRows {
		rows := min(logitRows, total-first)
		p.matmul(p.logits, p.final[first*c.HiddenSize:], false, w.embed, true, rows, c.VocabSize, c.HiddenSize, false)
		for i := range rows {
			see(p.kernel, first+i, p.logits[i*c.VocabSize:][:c.VocabSize])
		}
	}
}

// predict runs the final norm, the vocabulary projection and the loss, some rows at a time, and leaves the
// gradient of last in p.dx.
func (p *pass) predict(b *packed, loss tokenLoss, g *weights) {
	c, w := &p.model.config, p.model.weights
	d, v, total := c.HiddenSize, c.VocabSize, len(b.rows)
	rmsNorm(p.final, p.last, w.norm, p.finalInverse, total, c.NormEpsilon)
	for first := 0; first < total; first += logitRows {
		rows := min(logitRows, total-first)
		h, dh := p.final[first*d:], p.dh[first*d:]
		p.matmul(p.logits, h, false, w.embed, true, rows, v, d, false)
		for i := range rows {
			loss.gradient(p.kernel, first+i, p.logits[i*v:][:v])
		}
		p.matmul(g.embed, p.logits, true, h, false, v, d, rows, true)
		p.matmul(dh, p.logits, false, w.embed, false, rows, d, v, false)
	}
	clear(p.dx[:total*d])
	rmsNormBackward(p.dx, p.dh, p.last, w.norm, g.norm, p.finalInverse, total)
}

// backward adds the gradients of all blocks and of the input embedding to g, given that of last in p.dx. It
// overwrites the activations.
func (p *pass) backward(b *packed, g *weights) {
	m, n := p.model, len(b.tokens)
	c, w := &m.config, m.weights
	d, ff, q := c.HiddenSize, c.IntermediateSize, c.queryWidth()
	for i := c.Layers - 1; i >= 0; i-- {
		a, bw, bg := &p.blocks[i], &w.blocks[i], &g.blocks[i]
		rows, mixed := n, a.mixed
		if i == c.Layers-1 {
			rows, mixed = len(b.rows), a.mixedOut
		}
		p.matmul(bg.down, a.ff, true, p.dx, false, ff, d, rows, true)
		p.matmul(p.dff, p.dx, false, bw.down, true, rows, ff, d, false)
		swiGLUBackward(p.kernel, a.gateUp, p.dff, p.sigmoids, rows, ff)
		p.matmul(bg.gateUp, a.h2, true, a.gateUp, false, d, 2*ff, rows, true)
		p.matmul(p.dh, a.gateUp, false, bw.gateUp, true, rows, d, 2*ff, false)
		rmsNormBackward(p.dx, p.dh, a.x2, bw.mlpNorm, bg.mlpNorm, a.inverse2, rows)

		p.matmul(bg.out, mixed, true, p.dx, false, q, d, rows, true)
		if i < c.Layers-1 {
			p.matmul(p.dout, p.dx, false, bw.out, true, rows, q, d, false)
		} else {
			p.matmul(p.dgather, p.dx, false, bw.out, true, rows, q, d, false)
			scatter(p.dout, p.dgather, b.rows, n, q)
			copy(p.dgather, p.dx[:rows*d])
			scatter(p.dx, p.dgather, b.rows, n, d)
		}
		p.attn.backward(p, b, a)
		p.rotateBackward(b, a, bw, bg)
		p.matmul(bg.qkv, a.h, true, p.dqkv, false, d, c.fusedWidth(), n, true)
		p.matmul(p.dh, p.dqkv, false, bw.qkv, true, n, d, c.fusedWidth(), false)
		rmsNormBackward(p.dx, p.dh, a.x, bw.attnNorm, bg.attnNorm, a.inverse, n)
	}
	for i, id := range b.tokens {
		kernel.Axpy(1, p.dx[i*d:][:d], g.embed[int(id)*d:][:d])
	}
}

// gather copies the given rows of src, each width wide, to the front of dst.
func gather(dst, src []float32, rows []int, width int) {
	for i, r := range rows {
		copy(dst[i*width:][:width], src[r*width:])
	}
}

// scatter sets the n rows of dst to zero and then row rows[i] to row i of src.
func scatter(dst, src []float32, rows []int, n, width int) {
	clear(dst[:n*width])
	for i, r := range rows {
		copy(dst[r*width:][:width], src[i*width:])
	}
}
