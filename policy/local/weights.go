package local

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// weights are views into one flat vector: of parameters, of gradients or of optimiser moments. All matrices
// come first, then all norms. Matrices are row major with one row an input component (x·W), except the
// embedding, which has one row a token. Queries, keys and values are one matrix, and so are gate and up.
type weights struct {
	flat   []float32
	embed  []float32 // [vocab][hidden]
	norm   []float32 // [hidden]
	blocks []block
}

// block holds the weights of one transformer block.
type block struct {
	qkv    []float32 // [hidden][queries | keys | values]
	out    []float32 // [queries][hidden]
	gateUp []float32 // [hidden][gate | up]
	down   []float32 // [intermediate][hidden]

	attnNorm []float32 // [hidden]
	mlpNorm  []float32 // [hidden]
	qNorm    []float32 // [head dim]
	kNorm    []float32 // [head dim]
}

// newWeights returns views into flat, which holds Config.parameters numbers.
func newWeights(c *Config, flat []float32) *weights {
	w := &weights{flat: flat, blocks: make([]block, c.Layers)}
	take := func(n int) []float32 {
		head := flat[:n:n]
		flat = flat[n:]
		return head
	}
	w.embed = take(c.VocabSize * c.HiddenSize)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.qkv = take(c.HiddenSize * c.fusedWidth())
		b.out = take(c.queryWidth() * c.HiddenSize)
		b.gateUp = take(c.HiddenSize * 2 * c.IntermediateSize)
		b.down = take(c.IntermediateSize * c.HiddenSize)
	}
	w.norm = take(c.HiddenSize)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.attnNorm = take(c.HiddenSize)
		b.mlpNorm = take(c.HiddenSize)
		b.qNorm = take(c.HeadDim)
		b.kNorm = take(c.HeadDim)
	}
	return w
}

// initialDeviation is the standard deviation of fresh matrices.
const initialDeviation = 0.02

// init draws fresh weights: normal matrices, those that write into the residual stream scaled down by the
// square root of twice the number of blocks, and norms of one.
func (w *weights) init(c *Config, r *rand.Rand) {
	normal := func(dst []float32, deviation float64) {
		for i := range dst {
			dst[i] = float32(r.NormFloat64() * deviation)
		}
	}
	residual := initialDeviation / math.Sqrt(float64(2*c.Layers))
	normal(w.embed, initialDeviation)
	for i := range w.blocks {
		b := &w.blocks[i]
		normal(b.qkv, initialDeviation)
		normal(b.out, residual)
		normal(b.gateUp, initialDeviation)
		normal(b.down, residual)
	}
	norms := w.flat[c.matrixParameters():]
	for i := range norms {
		norms[i] = 1
	}
}

// tensor is one weight in the form in which checkpoints hold it: named and shaped as in Hugging Face's
// Qwen3ForCausalLM, matrices with one row an output component.
type tensor struct {
	name string
	// rows and columns are the shape; columns is 0 for a vector of rows components.
	rows, columns int
	// data holds component (row, column) at row*rowStride + column*columnStride.
	data                    []float32
	rowStride, columnStride int
}

func vector(name string, data []float32) tensor {
	return tensor{name: name, rows: len(data), data: data, rowStride: 1}
}

// columnsOf is the tensor of columns [first, first+rows) of a matrix that is stored with one row an input.
func columnsOf(name string, data []float32, width, first, rows int) tensor {
	return tensor{name: name, rows: rows, columns: len(data) / width, data: data[first:], rowStride: 1, columnStride: width}
}

// tensors lists every weight, in the order of Hugging Face's names.
func (w *weights) tensors(c *Config) []tensor {
	list := []tensor{{name: "model.embed_tokens.weight", rows: c.VocabSize, columns: c.HiddenSize,
		data: w.embed, rowStride: c.HiddenSize, columnStride: 1}}
	fused, q, k, ff := c.fusedWidth(), c.queryWidth(), c.keyWidth(), c.IntermediateSize
	for i := range w.blocks {
		b := &w.blocks[i]
		name := func(part string) string { return fmt.Sprintf("model.layers.%d.%s.weight", i, part) }
		list = append(list,
			vector(name("input_layernorm"), b.attnNorm),
			columnsOf(name("mlp.down_proj"), b.down, c.HiddenSize, 0, c.HiddenSize),
			columnsOf(name("mlp.gate_proj"), b.gateUp, 2*ff, 0, ff),
			columnsOf(name("mlp.up_proj"), b.gateUp, 2*ff, ff, ff),
			vector(name("post_attention_layernorm"), b.mlpNorm),
			vector(name("self_attn.k_norm"), b.kNorm),
			columnsOf(name("self_attn.k_proj"), b.qkv, fused, q, k),
			columnsOf(name("self_attn.o_proj"), b.out, c.HiddenSize, 0, c.HiddenSize),
			vector(name("self_attn.q_norm"), b.qNorm),
			columnsOf(name("self_attn.q_proj"), b.qkv, fused, 0, q),
			columnsOf(name("self_attn.v_proj"), b.qkv, fused, q+k, k),
		)
	}
	return append(list, vector("model.norm.weight", w.norm))
}

// values returns a copy of the tensor's components, row by row.
func (t *tensor) values() []float32 {
	out := make([]float32, 0, t.rows*max(t.columns, 1))
	for r := range t.rows {
		for c := range max(t.columns, 1) {
			out = append(out, t.data[r*t.rowStride+c*t.columnStride])
		}
	}
	return out
}

// set overwrites the tensor's components with values, row by row.
func (t *tensor) set(values []float32) {
	for i, v := range values {
		r, c := i/max(t.columns, 1), i%max(t.columns, 1)
		t.data[r*t.rowStride+c*t.columnStride] = v
	}
}
