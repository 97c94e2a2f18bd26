package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
)

// Document is one text of the warm start.
type Document struct {
	// Tokens are at most the model's context. Weights has equal length: the weight in [0, ∞) of the loss of
	// predicting that token from those before it; 0 leaves it out. The first token is never predicted.
	Tokens  []int32
	Weights []float32
}

// PretrainOptions say how long and how the warm start trains.
type PretrainOptions struct {
	// Tokens is the number of tokens to read, in whole steps of at least BatchTokens.
	Tokens      int64
	BatchTokens int
	// LearningRate is the peak. It rises linearly over the first Warmup of the tokens and then falls along a
	// cosine to FinalShare of the peak; both are in [0, 1].
	LearningRate float64
	Warmup       float64
	FinalShare   float64
	// MaxGradNorm clips the global gradient norm; 0 leaves it alone.
	MaxGradNorm float64
	AdamW       AdamW
	// Workers is the number of goroutines, 0 stands for GOMAXPROCS. It does not change the result.
	Workers int
	// Progress, if not nil, is called after every step.
	Progress func(PretrainProgress)
}

// PretrainProgress is where the warm start stands after a step.
type PretrainProgress struct {
	Step   int
	Tokens int64
	// Loss is the weighted mean cross-entropy of the step's batch, in nats a token.
	Loss         float64
	GradNorm     float64
	LearningRate float64
}

// Pretrain trains the model with weighted cross-entropy on source(0), source(1), … until the budget of tokens
// is used up. The weights that come out depend on the model, the documents and the options only. source is
// called concurrently, ahead of need, and must return the same document for the same index.
func Pretrain(ctx context.Context, m *Model, source func(i int) Document, o PretrainOptions) error {
	if o.Tokens < 1 || o.BatchTokens < 1 || !(o.LearningRate > 0) {
		return errors.New("pretrain: the number of tokens, the batch and the learning rate must be positive")
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.AdamW == (AdamW{}) {
		o.AdamW = DefaultAdamW()
	}
	documents := &documentQueue{source: source, workers: o.Workers}
	optimizer, gradients := newOptimizer(&m.config, o.AdamW), newGradients(m, o.Workers)
	for p := (PretrainProgress{}); p.Tokens < o.Tokens; {
		batch, err := documents.batch(&m.config, o.BatchTokens)
		if err != nil {
			return fmt.Errorf("pretrain: %w", err)
		}
		if err := p.step(ctx, m, optimizer, gradients, batch, &o); err != nil {
			return fmt.Errorf("pretrain: %w", err)
		}
		if o.Progress != nil {
			o.Progress(p)
		}
	}
	return nil
}

// rate is the learning rate of the step that ends when the given share of the tokens has been read.
func (o *PretrainOptions) rate(share float64) float64 {
	if share < o.Warmup {
		return o.LearningRate * share / o.Warmup
	}
	fall := 0.0
	if o.Warmup < 1 {
		fall = (share - o.Warmup) / (1 - o.Warmup)
	}
	return o.LearningRate * (o.FinalShare + (1-o.FinalShare)*(1+math.Cos(math.Pi*fall))/2)
}

// step trains on one batch and advances p.
func (p *PretrainProgress) step(ctx context.Context, m *Model, o *optimizer, g *gradients, batch []Document, options *PretrainOptions) error {
	micro, losses := supervisedLosses(batch)
	p.Step++
	for _, d := range batch {
		p.Tokens += int64(len(d.Tokens))
	}
	p.LearningRate = options.rate(min(1, float64(p.Tokens)/float64(options.Tokens)))
	if len(micro) == 0 {
		return nil
	}
	gradient, err := g.sum(ctx, micro, func(i int) tokenLoss { return &losses[i] })
	if err != nil {
		return err
	}
	p.GradNorm, err = o.step(m, gradient, p.LearningRate, options.MaxGradNorm, options.Workers)
	p.Loss = 0
	for i := range losses {
		p.Loss += losses[i].loss
	}
	return err
}

// supervisedLosses cuts a batch into micro-batches with a loss each, with weights that add up to 1.
func supervisedLosses(batch []Document) ([]microBatch, []supervisedLoss) {
	examples := make([]example, len(batch))
	total := 0.0
	for i, d := range batch {
		examples[i].tokens = d.Tokens
		for t, w := range d.Weights {
			if t > 0 && w > 0 {
				examples[i].targets = append(examples[i].targets, t)
				total += float64(w)
			}
		}
	}
	micro := partition(examples)
	losses := make([]supervisedLoss, len(micro))
	for i := range micro {
		for _, member := range micro[i].members {
			d := &batch[member]
			for _, t := range examples[member].targets {
				losses[i].targets = append(losses[i].targets, supervisedTarget{d.Tokens[t], float64(d.Weights[t]) / total})
			}
		}
	}
	return micro, losses
}

// documentQueue hands out documents in order, made some at a time on several goroutines.
type documentQueue struct {
	source  func(i int) Document
	workers int
	next    int // index of the first document that was not made
	ready   []Document
}

// readAhead is how many documents are made at a time.
const readAhead = 256

// batch returns the next documents, of at least n tokens together.
func (q *documentQueue) batch(c *Config, n int) ([]Document, error) {
	var batch []Document
	for tokens := 0; tokens < n; {
		if len(q.ready) == 0 {
			q.ready = make([]Document, readAhead)
			parallel(q.workers, readAhead, func(_, i int) { q.ready[i] = q.source(q.next + i) })
			q.next += readAhead
		}
		d := q.ready[0]
		q.ready = q.ready[1:]
		if err := d.check(c); err != nil {
			return nil, fmt.Errorf("document %d: %w", q.next-len(q.ready)-1, err)
		}
		batch = append(batch, d)
		tokens += len(d.Tokens)
	}
	return batch, nil
}

func (d *Document) check(c *Config) error {
	if len(d.Tokens) == 0 || len(d.Tokens) > c.Context || len(d.Weights) != len(d.Tokens) {
		return fmt.Errorf("%d tokens and %d weights, want equally many, 1 to %d", len(d.Tokens), len(d.Weights), c.Context)
	}
	for i, id := range d.Tokens {
		if id < 0 || int(id) >= c.VocabSize {
			return fmt.Errorf("token %d is %d, outside the vocabulary of %d", i, id, c.VocabSize)
		}
		if w := float64(d.Weights[i]); !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weight %d is %v", i, w)
		}
	}
	return nil
}
