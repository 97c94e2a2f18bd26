package local

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"spade"
	"spade/policy"
	"spade/policy/token"
)

// Options are how a Policy runs, not what it computes: replies and training steps are the same for all Workers.
type Options struct {
	// Name identifies the policy in a run's record; "" stands for "local".
	Name string
	// Workers is the number of goroutines that sample, and that train; 0 stands for GOMAXPROCS.
	Workers int
	// AdamW are the constants of the optimiser; the zero value stands for DefaultAdamW.
	AdamW AdamW
}

// Policy samples and trains a model. It is safe for concurrent use: a training step waits for the replies that
// are being sampled, and replies asked for during the step wait for its end.
type Policy struct {
	name    string
	model   *Model
	format  *Format
	workers []*worker
	caches  *cachePool
	// embedT is the transposed embedding that decoders read.
	embedT []float32
	// opened counts the conversations, to spread them over the workers.
	opened atomic.Uint64

	meter   meter
	sampled atomic.Int64

	// weightsMu is held for reading while replies are sampled, and for writing while weights change.
	weightsMu sync.RWMutex
	optimizer *optimizer
	gradients *gradients
	reference *frozen
	pending   *weights // what Accumulate left for Step, nil where that is nothing
	epoch     int64    // how often the weights changed, by training or restoring
}

var _ policy.Trainer = (*Policy)(nil)

// New returns a policy that samples and trains the model, which belongs to it from then on. The tokenizer must
// have all SpecialTokens and exactly the model's vocabulary.
func New(m *Model, t *token.Tokenizer, o Options) (*Policy, error) {
	format, err := NewFormat(t)
	if err != nil {
		return nil, fmt.Errorf("embedded model: %w", err)
	}
	if t.Size() != m.config.VocabSize {
		return nil, fmt.Errorf("embedded model: the tokenizer has %d tokens and the model %d", t.Size(), m.config.VocabSize)
	}
	if o.Name == "" {
		o.Name = "local"
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.AdamW == (AdamW{}) {
		o.AdamW = DefaultAdamW()
	}
	p := &Policy{
		name: o.Name, model: m, format: format, caches: newCachePool(&m.config),
		embedT:    make([]float32, len(m.weights.embed)),
		optimizer: newOptimizer(&m.config, o.AdamW),
		gradients: newGradients(m, o.Workers),
		reference: newFrozen(m, o.Workers),
	}
	m.transposeEmbedding(p.embedT)
	for range o.Workers {
		p.workers = append(p.workers, &worker{policy: p, decoder: newDecoder(m, p.embedT)})
	}
	return p, nil
}

// weightsChanged brings what is derived from the weights up to date. The caller holds weightsMu.
func (p *Policy) weightsChanged() {
	p.epoch++
	p.model.transposeEmbedding(p.embedT)
}

// assign returns the worker of the next conversation.
func (p *Policy) assign() *worker {
	return p.workers[(p.opened.Add(1)-1)%uint64(len(p.workers))]
}

// Info implements policy.Sampler.
func (p *Policy) Info() policy.Info {
	return policy.Info{Name: p.name, Context: p.model.config.Context}
}

// CountTokens implements policy.Sampler.
func (p *Policy) CountTokens(text string) int { return p.format.countTokens(text) }

// Format returns how the policy lays out conversations.
func (p *Policy) Format() *Format { return p.format }

// Version implements policy.Trainer.
func (p *Policy) Version() int64 {
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	return p.optimizer.steps
}

// Busy returns for how long, since the policy was made, at least one goroutine was sampling or training. It is
// a measurement and differs between equal runs.
func (p *Policy) Busy() time.Duration { return p.meter.busy() }

// SampledTokens returns how many tokens were sampled since the policy was made.
func (p *Policy) SampledTokens() int64 { return p.sampled.Load() }

// Train implements policy.Trainer. LogProbs must be those of the model's own distribution, that is, sampled at
// temperature 1 with the whole vocabulary; the loss is that of policyLoss summed over the batch's masked
// tokens. A batch without masked tokens is no step. Sessions opened before a step cannot reply after it. The
// numbers returned are loss (the sum that was minimised), grad_norm (before clipping), clip_fraction (the
// share of tokens whose gradient was clipped away), tokens (trained on), and the means over them of entropy
// and of kl, old minus new log-probability.
func (p *Policy) Train(ctx context.Context, batch policy.Batch) (map[string]float64, error) {
	if err := p.check(&batch); err != nil {
		return nil, fmt.Errorf("train the embedded model: %w", err)
	}
	p.weightsMu.Lock()
	defer p.weightsMu.Unlock()
	p.meter.begin()
	defer p.meter.end()

	examples, targets := trainedOn(&batch)
	p.reference.score(examples, targets)
	micro, losses := policyLosses(batch.Loss, examples, targets)
	if len(micro) == 0 {
		return policyNumbers(policyStats{}, 0), nil
	}
	g, err := p.gradients.sum(ctx, micro, func(i int) tokenLoss { return &losses[i] })
	if err != nil {
		return nil, fmt.Errorf("train the embedded model: %w", err)
	}
	norm, err := p.optimizer.step(p.model, g, batch.LearningRate, batch.MaxGradNorm, len(p.workers))
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "lower the learning rate and restore the last checkpoint",
			"train the embedded model: %w", err)
	}
	p.weightsChanged()
	var stats policyStats
	for i := range losses {
		stats.add(losses[i].stats)
	}
	return policyNumbers(stats, norm), nil
}

// check reports the first thing that makes the batch impossible to train on.
func (p *Policy) check(b *policy.Batch) error {
	c := &p.model.config
	switch {
	case !(b.LearningRate >= 0):
		return fmt.Errorf("learning rate %v", b.LearningRate)
	case !(b.Loss.ClipLow > 0 && b.Loss.ClipHigh > 0):
		return fmt.Errorf("clip range [-%v, +%v] is not positive", b.Loss.ClipLow, b.Loss.ClipHigh)
	case !(b.Loss.Truncation >= 0):
		return fmt.Errorf("truncation %v of the ratios", b.Loss.Truncation)
	}
	for i := range b.Sequences {
		s := &b.Sequences[i]
		switch {
		case len(s.LogProbs) != len(s.Tokens) || len(s.Mask) != len(s.Tokens):
			return fmt.Errorf("sequence %d has %d tokens, %d log-probabilities and a mask of %d",
				i, len(s.Tokens), len(s.LogProbs), len(s.Mask))
		case len(s.Tokens) > c.Context:
			return fmt.Errorf("sequence %d has %d tokens, the context holds %d", i, len(s.Tokens), c.Context)
		case len(s.Mask) > 0 && s.Mask[0]:
			return fmt.Errorf("sequence %d begins with a sampled token: nothing predicts it", i)
		}
		for _, id := range s.Tokens {
			if id < 0 || int(id) >= c.VocabSize {
				return fmt.Errorf("sequence %d has token %d, the vocabulary %d", i, id, c.VocabSize)
			}
		}
	}
	return nil
}

// trainedOn returns an example for each sequence of a batch, with its targets.
func trainedOn(b *policy.Batch) ([]example, [][]policyTarget) {
	examples, targets := make([]example, len(b.Sequences)), make([][]policyTarget, len(b.Sequences))
	for i := range b.Sequences {
		s := &b.Sequences[i]
		examples[i].tokens = s.Tokens
		for t, trained := range s.Mask {
			if trained {
				examples[i].targets = append(examples[i].targets, t)
				targets[i] = append(targets[i], policyTarget{token: s.Tokens[t], old: float64(s.LogProbs[t]),
					advantage: s.Advantage, weight: s.Weight, entropy: s.Entropy, kl: s.KL})
			}
		}
	}
	return examples, targets
}

// policyLosses cuts examples into micro-batches with a loss each.
func policyLosses(l policy.Loss, examples []example, targets [][]policyTarget) ([]microBatch, []policyLoss) {
	micro := partition(examples)
	losses := make([]policyLoss, len(micro))
	for i := range micro {
		losses[i].Loss = l
		for _, member := range micro[i].members {
			losses[i].targets = append(losses[i].targets, targets[member]...)
		}
	}
	return micro, losses
}

func policyNumbers(s policyStats, norm float64) map[string]float64 {
	n := float64(max(s.tokens, 1))
	return map[string]float64{
		"loss":          s.loss,
		"grad_norm":     norm,
		"entropy":       s.entropy / n,
		"kl":            s.kl / n,
		"clip_fraction": float64(s.clipped) / n,
		"tokens":        float64(s.tokens),
	}
}
