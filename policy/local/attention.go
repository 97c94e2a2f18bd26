package local

import (
	"math"

	"spade/policy/local/kernel"
)

// queryRows is how many queries of one head attend at a time; scores then exist for queryRows × keys pairs.
const queryRows = 64

// attention is causal attention over the packed sequences of a micro-batch, computed for blocks of queries of
// one head. The backward pass computes the scores again instead of keeping them.
type attention struct {
	scores, dscores []float32
}

// span is one block of queries of one head and the keys it sees.
type span struct {
	query, queries int // first row and number of queries
	key, keys      int // first row of the sequence, and number of keys
	head, kv       int // query head and its key head
}

// each calls f for every span, in order.
func (c *Config) each(b *packed, f func(s span)) {
	for i := range len(b.starts) - 1 {
		start, end := b.starts[i], b.starts[i+1]
		for head := range c.Heads {
			for q := start; q < end; q += queryRows {
				n := min(queryRows, end-q)
				f(span{query: q, queries: n, key: start, keys: q + n - start, head: head, kv: head / c.group()})
			}
		}
	}
}

// forward fills a.mixed with the values that every query attends to, and a.lse with the logarithm of the sum
// of the exponentials of its scores.
func (t *attention) forward(m *Model, k *kernel.Scratch, b *packed, a *activations) {
	c := &m.config
	hd, q, width := c.HeadDim, c.queryWidth(), c.queryWidth()+c.keyWidth()
	fused, scale := c.fusedWidth(), m.scoreScale()
	c.each(b, func(s span) {
		grow(&t.scores, s.queries*s.keys)
		queries := a.rotated[s.query*width+s.head*hd:]
		keys := a.rotated[s.key*width+q+s.kv*hd:]
		values := a.qkv[s.key*fused+q+c.keyWidth()+s.kv*hd:]
		out := a.mixed[s.query*q+s.head*hd:]
		k.MatMul(t.scores, s.keys, queries, width, false, keys, width, true, s.queries, s.keys, hd, false)
		for i := range s.queries {
			row := t.scores[i*s.keys:][:s.keys]
			seen := s.query - s.key + i + 1
			top := kernel.Max(row[:seen]) * scale
			sum := k.Exp(row[:seen], row[:seen], scale, top)
			clear(row[seen:])
			a.lse[(s.query+i)*c.Heads+s.head] = top + float32(math.Log(float64(sum)))
			kernel.Scale(1/sum, row[:seen])
		}
		k.MatMul(out, q, t.scores, s.keys, false, values, fused, false, s.queries, hd, s.keys, false)
	})
}

// backward computes, from the gradient p.dout of a.mixed, the gradient p.drotated of the rotated queries and
// keys and the value columns of p.dqkv. With probabilities P, scores S and values V: dP = dO·Vᵀ and
// dS = P·(dP - rowsum(O·dO)).
func (t *attention) backward(p *pass, b *packed, a *activations) {
	m, k := p.model, p.kernel
	c := &m.config
	n, hd, q, kw := len(b.tokens), c.HeadDim, c.queryWidth(), c.keyWidth()
	width, fused, scale := q+kw, c.fusedWidth(), m.scoreScale()
	for i := range n {
		clear(p.drotated[i*width+q:][:kw])
		clear(p.dqkv[i*fused+q+kw:][:kw])
	}
	c.each(b, func(s span) {
		grow(&t.scores, s.queries*s.keys)
		grow(&t.dscores, s.queries*s.keys)
		queries, keys := s.query*width+s.head*hd, s.key*width+q+s.kv*hd
		values := s.key*fused + q + kw + s.kv*hd
		dout := p.dout[s.query*q+s.head*hd:]
		k.MatMul(t.scores, s.keys, a.rotated[queries:], width, false, a.rotated[keys:], width, true, s.queries, s.keys, hd, false)
		k.MatMul(t.dscores, s.keys, dout, q, false, a.qkv[values:], fused, true, s.queries, s.keys, hd, false)
		for i := range s.queries {
			at := (s.query+i)*q + s.head*hd
			pull := kernel.Dot(a.mixed[at:][:hd], p.dout[at:][:hd])
			row, drow := t.scores[i*s.keys:][:s.keys], t.dscores[i*s.keys:][:s.keys]
			seen := s.query - s.key + i + 1
			k.Exp(row[:seen], row[:seen], scale, a.lse[(s.query+i)*c.Heads+s.head])
			clear(row[seen:])
			clear(drow[seen:])
			kernel.SoftmaxBackward(drow[:seen], row[:seen], pull, scale)
		}
		k.MatMul(p.dqkv[values:], fused, t.scores, s.keys, true, dout, q, false, s.keys, hd, s.queries, true)
		k.MatMul(p.drotated[keys:], width, t.dscores, s.keys, true, a.rotated[queries:], width, false, s.keys, hd, s.queries, true)
		k.MatMul(p.drotated[queries:], width, t.dscores, s.keys, false, a.rotated[keys:], width, false, s.queries, hd, s.keys, false)
	})
}
