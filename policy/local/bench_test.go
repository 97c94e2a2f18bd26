package local

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"spade"
	"spade/policy"
)

// shippedVocab is about the size of the shipped vocabulary.
const shippedVocab = 1500

func shippedModel(b *testing.B) *Model {
	b.Helper()
	m, err := NewModel(DefaultConfig(shippedVocab), spade.Stream(1, 0, 0, "bench"))
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// processorTime is the time that this process has computed so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// report gives tokens a second, of the wall and of processor time since used: the latter is the fairer one on
// a machine that others use too.
func report(b *testing.B, tokens int, used time.Duration) {
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tok/s")
	b.ReportMetric(float64(tokens)/(processorTime(b)-used).Seconds(), "tok/cpu-s")
}

// BenchmarkTrain trains on sequences of 60 to 100 tokens, of which a share is sampled, on one core. tok/s counts
// all tokens of the sequences.
func BenchmarkTrain(b *testing.B) {
	for _, every := range []int{1, 3} {
		b.Run(fmt.Sprintf("one_in_%d_sampled", every), func(b *testing.B) {
			m := shippedModel(b)
			r := spade.Stream(2, 0, 0, "bench")
			var batch policy.Batch
			batch.Loss = policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}
			tokens := 0
			for range 128 {
				s := policy.Sequence{Advantage: r.NormFloat64(), Weight: 1e-4}
				for t := range 60 + r.IntN(41) {
					s.Tokens = append(s.Tokens, int32(r.IntN(shippedVocab)))
					s.LogProbs = append(s.LogProbs, float32(-math.Log(shippedVocab)))
					s.Mask = append(s.Mask, t%every == 0 && t > 0)
				}
				tokens += len(s.Tokens)
				batch.Sequences = append(batch.Sequences, s)
			}
			g, o := newGradients(m, 1), newOptimizer(&m.config, DefaultAdamW())
			used := processorTime(b)
			for b.Loop() {
				examples, targets := trainedOn(&batch)
				micro, losses := policyLosses(batch.Loss, examples, targets)
				sum, err := g.sum(context.Background(), micro, func(i int) tokenLoss { return &losses[i] })
				if err != nil {
					b.Fatal(err)
				}
				if _, err := o.step(m, sum, 1e-4, 1, 1); err != nil {
					b.Fatal(err)
				}
			}
			report(b, tokens*b.N, used)
		})
	}
}

// BenchmarkSample decodes conversations of 100 tokens on one core: after a prompt of 20 they are sampled token
// by token.
func BenchmarkSample(b *testing.B) {
	for _, n := range []int{1, 2, 4, 16, 32, 64, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := shippedModel(b)
			embedT := make([]float32, len(m.weights.embed))
			m.transposeEmbedding(embedT)
			d, pool := newDecoder(m, embedT), newCachePool(&m.config)
			var draw drawer
			spec := policy.Spec{Rand: spade.Stream(3, 0, 0, "bench"), Temperature: 1}
			caches, rows := make([]*cacheBlock, n), []decodeRow(nil)
			for i := range caches {
				caches[i] = pool.get(128)
			}
			const prompt, length = 20, 100
			used := processorTime(b)
			for b.Loop() {
				next := make([]int32, n)
				for t := prompt - 1; t < length; t++ {
					rows = rows[:0]
					for i, c := range caches {
						if t == prompt-1 {
							for p := range prompt - 1 {
								rows = append(rows, decodeRow{cache: c, token: int32(p), position: p})
							}
						}
						rows = append(rows, decodeRow{cache: c, token: next[i], position: t, emits: true})
					}
					logits := d.step(rows)
					for i := range next {
						next[i], _ = draw.draw(d.kernel, logits[i*shippedVocab:][:shippedVocab], &spec)
					}
				}
			}
			report(b, n*(length-prompt+1)*b.N, used)
		})
	}
}
