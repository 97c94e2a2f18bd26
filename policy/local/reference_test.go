package local

import "math"

// reference computes the logits of one sequence in float64, one formula after the other, with no shared code
// but the weights' layout: what the fast passes are checked against.
func reference(c *Config, w *weights64, tokens []int32) [][]float64 {
	x := make([][]float64, len(tokens))
	for t, id := range tokens {
		x[t] = append([]float64(nil), w.embed[int(id)*c.HiddenSize:][:c.HiddenSize]...)
	}
	for i := range w.blocks {
		b := &w.blocks[i]
		n := len(tokens)
		q, k, v := make([][]float64, n), make([][]float64, n), make([][]float64, n)
		for t := range x {
			fused := times(normed(x[t], b.attnNorm, c.NormEpsilon), b.qkv)
			q[t] = fused[:c.queryWidth()]
			k[t] = fused[c.queryWidth():][:c.keyWidth()]
			v[t] = fused[c.queryWidth()+c.keyWidth():]
			turn(c, q[t], b.qNorm, t)
			turn(c, k[t], b.kNorm, t)
		}
		for t := range x {
			mixed := make([]float64, c.queryWidth())
			for h := range c.Heads {
				kv := h / (c.Heads / c.KVHeads) * c.HeadDim
				at := h * c.HeadDim
				scores := make([]float64, t+1)
				total := 0.0
				for s := range scores {
					for j := range c.HeadDim {
						scores[s] += q[t][at+j] * k[s][kv+j]
					}
					scores[s] = math.Exp(scores[s] / math.Sqrt(float64(c.HeadDim)))
					total += scores[s]
				}
				for s := range scores {
					for j := range c.HeadDim {
						mixed[at+j] += scores[s] / total * v[s][kv+j]
					}
				}
			}
			plus(x[t], times(mixed, b.out))
			gateUp := times(normed(x[t], b.mlpNorm, c.NormEpsilon), b.gateUp)
			ff := make([]float64, c.IntermediateSize)
			for j := range ff {
				ff[j] = gateUp[j] / (1 + math.Exp(-gateUp[j])) * gateUp[c.IntermediateSize+j]
			}
			plus(x[t], times(ff, b.down))
		}
	}
	logits := make([][]float64, len(tokens))
	for t := range x {
		h := normed(x[t], w.norm, c.NormEpsilon)
		logits[t] = make([]float64, c.VocabSize)
		for v := range logits[t] {
			for j, e := range w.embed[v*c.HiddenSize:][:c.HiddenSize] {
				logits[t][v] += h[j] * e
			}
		}
	}
	return logits
}

// weights64 mirrors weights in float64.
type weights64 struct {
	embed, norm []float64
	blocks      []block64
}

type block64 struct {
	qkv, out, gateUp, down          []float64
	attnNorm, mlpNorm, qNorm, kNorm []float64
}

// newWeights64 lays views over flat in the order of newWeights.
func newWeights64(c *Config, flat []float64) *weights64 {
	take := func(n int) []float64 {
		head := flat[:n]
		flat = flat[n:]
		return head
	}
	w := &weights64{embed: take(c.VocabSize * c.HiddenSize), blocks: make([]block64, c.Layers)}
	for i := range w.blocks {
		b := &w.blocks[i]
		b.qkv, b.out = take(c.HiddenSize*c.fusedWidth()), take(c.queryWidth()*c.HiddenSize)
		b.gateUp, b.down = take(c.HiddenSize*2*c.IntermediateSize), take(c.IntermediateSize*c.HiddenSize)
	}
	w.norm = take(c.HiddenSize)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.attnNorm, b.mlpNorm = take(c.HiddenSize), take(c.HiddenSize)
		b.qNorm, b.kNorm = take(c.HeadDim), take(c.HeadDim)
	}
	return w
}

func normed(x, w []float64, epsilon float64) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v * v / float64(len(x))
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / math.Sqrt(mean+epsilon) * w[i]
	}
	return y
}

// times multiplies the row x by the matrix w, which has one row a component of x.
func times(x, w []float64) []float64 {
	n := len(w) / len(x)
	y := make([]float64, n)
	for i, v := range x {
		for j := range y {
			y[j] += v * w[i*n+j]
		}
	}
	return y
}

func plus(x, y []float64) {
	for i, v := range y {
		x[i] += v
	}
}

// turn normalises and rotates every head of x at the given position.
func turn(c *Config, x, w []float64, position int) {
	half := c.HeadDim / 2
	for at := 0; at < len(x); at += c.HeadDim {
		head := normed(x[at:at+c.HeadDim], w, c.NormEpsilon)
		for i := range half {
			angle := float64(position) / math.Pow(c.RopeTheta, float64(2*i)/float64(c.HeadDim))
			sin, cos := math.Sincos(angle)
			x[at+i] = head[i]*cos - head[i+half]*sin
			x[at+i+half] = head[i+half]*cos + head[i]*sin
		}
	}
}

// logSoftmax64 returns ln softmax of z.
func logSoftmax64(z []float64) []float64 {
	top, sum := z[0], 0.0
	for _, v := range z {
		top = max(top, v)
	}
	for _, v := range z {
		sum += math.Exp(v - top)
	}
	out := make([]float64, len(z))
	for i, v := range z {
		out[i] = v - top - math.Log(sum)
	}
	return out
}
