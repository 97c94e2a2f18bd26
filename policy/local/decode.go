package local

import "spade/policy/local/kernel"

// decodeRow is one token that a conversation feeds to the model: its position is the number of tokens before
// it, all of which are in the cache or among the rows before this one.
type decodeRow struct {
	cache    *cacheBlock
	token    int32
	position int
	// emits says that the logits after this token are wanted.
	emits bool
}

// decoder runs tokens of many conversations through the model at once, keeping their keys and values. It owns
// the scratch of one goroutine. What it computes for a row depends on that row's conversation only: products
// are independent by row, and everything else is done row by row.
type decoder struct {
	model  *Model
	kernel *kernel.Scratch
	// embedT is the transpose of the embedding, shared by all decoders of a policy.
	embedT []float32

	x, h, inverse, qkv, mixed, gateUp, ff, logits []float32
	query, scores                                 []float32
}

func newDecoder(m *Model, embedT []float32) *decoder {
	return &decoder{model: m, kernel: kernel.NewScratch(), embedT: embedT}
}

// transposeEmbedding writes the transpose of the embedding into dst.
func (m *Model) transposeEmbedding(dst []float32) {
	v, d := m.config.VocabSize, m.config.HiddenSize
	for i := range v {
		for j, e := range m.weights.embed[i*d:][:d] {
			dst[j*v+i] = e
		}
	}
}

func (d *decoder) resize(rows, emitting int) {
	c := &d.model.config
	grow(&d.x, rows*c.HiddenSize)
	grow(&d.h, rows*c.HiddenSize)
	grow(&d.inverse, rows)
	grow(&d.qkv, rows*c.fusedWidth())
	grow(&d.mixed, rows*c.queryWidth())
	grow(&d.gateUp, rows*2*c.IntermediateSize)
	grow(&d.ff, rows*c.IntermediateSize)
	grow(&d.logits, emitting*c.VocabSize)
	grow(&d.query, c.group()*c.HeadDim)
}

// matmul is C[m×n] = or += A·B with contiguous operands.
func (d *decoder) matmul(out, a, b []float32, m, n, k int, acc bool) {
	d.kernel.MatMul(out, n, a, k, false, b, n, false, m, n, k, acc)
}

// step feeds rows and returns the logits after those that emit, in order; they are valid until the next call.
// It reorders and drops entries of rows.
func (d *decoder) step(rows []decodeRow) []float32 {
	c, w := &d.model.config, d.model.weights
	emitting := 0
	for _, r := range rows {
		if r.emits {
			emitting++
		}
	}
	d.resize(len(rows), emitting)
	width := c.HiddenSize
	for i, r := range rows {
		copy(d.x[i*width:][:width], w.embed[int(r.token)*width:])
	}
	for i := range w.blocks {
		b := &w.blocks[i]
		rmsNorm(d.h, d.x, b.attnNorm, d.inverse, len(rows), c.NormEpsilon)
		d.matmul(d.qkv, d.h, b.qkv, len(rows), c.fusedWidth(), width, false)
		for j := range rows {
			d.store(&rows[j], i, d.qkv[j*c.fusedWidth():][:c.fusedWidth()])
		}
		if i == c.Layers-1 {
			rows = d.keepEmitting(rows)
		}
		for j := range rows {
			d.attend(&rows[j], i, d.qkv[j*c.fusedWidth():], d.mixed[j*c.queryWidth():])
		}
		n := len(rows)
		d.matmul(d.x, d.mixed, b.out, n, width, c.queryWidth(), true)
		rmsNorm(d.h, d.x, b.mlpNorm, d.inverse, n, c.NormEpsilon)
		d.matmul(d.gateUp, d.h, b.gateUp, n, 2*c.IntermediateSize, width, false)
		swiGLU(d.kernel, d.ff, d.gateUp, n, c.IntermediateSize)
		d.matmul(d.x, d.ff, b.down, n, width, c.IntermediateSize, true)
	}
	rmsNorm(d.h, d.x, w.norm, d.inverse, emitting, c.NormEpsilon)
	d.matmul(d.logits, d.h, d.embedT, emitting, c.VocabSize, width, false)
	return d.logits[:emitting*c.VocabSize]
}

// keepEmitting moves the rows that emit to the front, with their residual stream and projections, and returns
// them: behind the last block's keys and values nothing else is needed.
func (d *decoder) keepEmitting(rows []decodeRow) []decodeRow {
	width, fused := d.model.config.HiddenSize, d.model.config.fusedWidth()
	n := 0
	for i, r := range rows {
		if !r.emits {
			continue
		}
		if n < i {
			rows[n] = r
			copy(d.x[n*width:][:width], d.x[i*width:])
			copy(d.qkv[n*fused:][:fused], d.qkv[i*fused:])
		}
		n++
	}
	return rows[:n]
}

// store puts the key and value of row r for block i into its cache.
func (d *decoder) store(r *decodeRow, i int, qkv []float32) {
	c := &d.model.config
	hd := c.HeadDim
	keys, values := r.cache.layer(c, i)
	cos, sin := d.model.rope.at(r.position)
	for kv := range c.KVHeads {
		key := qkv[c.queryWidth()+kv*hd:][:hd]
		rotateHead(key, key, d.model.weights.blocks[i].kNorm, cos, sin, c.NormEpsilon)
		for j, v := range key {
			keys[(kv*hd+j)*r.cache.capacity+r.position] = v
		}
		copy(values[(kv*r.cache.capacity+r.position)*hd:][:hd], qkv[c.queryWidth()+c.keyWidth()+kv*hd:])
	}
}

// attend writes what row r attends to in block i into out.
func (d *decoder) attend(r *decodeRow, i int, qkv, out []float32) {
	c := &d.model.config
	hd, group, seen := c.HeadDim, c.group(), r.position+1
	keys, values := r.cache.layer(c, i)
	cos, sin := d.model.rope.at(r.position)
	scale := d.model.scoreScale()
	// Whole vectors of scores are computed; those behind the row's own position are never read.
	width := (seen + 31) &^ 31
	for kv := range c.KVHeads {
		for g := range group {
			head := (kv*group + g) * hd
			rotateHead(d.query[g*hd:][:hd], qkv[head:][:hd], d.model.weights.blocks[i].qNorm, cos, sin, c.NormEpsilon)
		}
		size := hd * r.cache.capacity
		k := d.kernel
		grow(&d.scores, group*width)
		k.MatMul(d.scores, width, d.query, hd, false, keys[kv*size:], r.cache.capacity, false, group, width, hd, false)
		for g := range group {
			row := d.scores[g*width:][:seen]
			top := kernel.Max(row) * scale
			kernel.Scale(1/k.Exp(row, row, scale, top), row)
		}
		k.MatMul(out[kv*group*hd:], hd, d.scores, width, false, values[kv*size:], hd, false, group, hd, seen, false)
	}
}
