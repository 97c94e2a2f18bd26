package local

import (
	"context"
	"errors"
	"fmt"
	"math"

	"spade/policy"
	"spade/policy/local/kernel"
)

// Datum is one sequence of tokens for Accumulate: Targets[i] is what should follow Inputs[:i+1].
type Datum struct {
	Inputs, Targets []int32
}

// Slope is the derivative of a loss in the log-probability of target i of datum d, where that is logProb. It is called
// from several goroutines, once for every target.
type Slope func(d, i int, logProb float64) float64

// Accumulate adds the gradient of a loss to what the next Step takes, and returns the log-probability of every target.
// Without a slope it only does the latter. If it fails, nothing was added.
func (p *Policy) Accumulate(ctx context.Context, data []Datum, slope Slope) ([][]float32, error) {
	scores, err := p.accumulate(ctx, data, slope)
	if err != nil {
		return nil, fmt.Errorf("accumulate gradients of the embedded model: %w", err)
	}
	return scores, nil
}

// Step takes one step of AdamW with the given constants along the accumulated gradient, of which nothing is left, and
// returns the gradient's norm, before it is clipped to maxNorm where that is positive. Without any, the gradient is 0.
func (p *Policy) Step(ctx context.Context, constants AdamW, rate, maxNorm float64) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		return 0, fmt.Errorf("step of the embedded model: learning rate %v", rate)
	}
	p.weightsMu.Lock()
	defer p.weightsMu.Unlock()
	if p.pending == nil {
		p.pending = newWeights(&p.model.config, make([]float32, p.model.config.parameters()))
	}
	g := p.pending
	p.pending = nil
	p.optimizer.constants = constants
	size, err := p.optimizer.step(p.model, g, rate, maxNorm, len(p.workers))
	if err != nil {
		return 0, fmt.Errorf("step of the embedded model: %w", err)
	}
	p.weightsChanged()
	return size, nil
}

// Forget drops the optimiser's state and what was accumulated: training starts afresh, at version 0.
func (p *Policy) Forget() {
	p.weightsMu.Lock()
	defer p.weightsMu.Unlock()
	p.optimizer, p.pending = newOptimizer(&p.model.config, p.optimizer.constants), nil
}

// Snapshot returns a policy of its own with a copy of the current weights, the same reference, and a fresh optimiser at
// the same version.
func (p *Policy) Snapshot() (*Policy, error) {
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	m, err := emptyModel(p.model.config)
	if err != nil {
		return nil, err
	}
	copy(m.weights.flat, p.model.weights.flat)
	s, err := New(m, p.format.tokenizer, Options{Name: p.name, Workers: len(p.workers), AdamW: p.optimizer.constants})
	if err != nil {
		return nil, err
	}
	s.optimizer.steps, s.reference.model = p.optimizer.steps, p.reference.model // never written to
	return s, nil
}

// Complete samples what follows a prompt of tokens, without laying anything out. Of spec the role is not looked at. The
// completion is over with the first token after which ends holds, nil standing for the tokens that close a reply of
// either role; this last token is part of it. A prompt that fills the context gives an empty completion.
func (p *Policy) Complete(ctx context.Context, prompt []int32, spec policy.Spec, ends func(sampled []int32) bool) (policy.Reply, error) {
	if ends == nil {
		ends = p.format.closed
	}
	err := checkSpec(&spec)
	if err == nil && len(prompt) == 0 {
		err = errors.New("an empty prompt: nothing predicts the first token")
	}
	if err == nil {
		err = p.checkTokens(prompt)
	}
	if err != nil {
		return policy.Reply{}, fmt.Errorf("complete tokens with the embedded model: %w", err)
	}
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	s := &session{
		policy: p, worker: p.assign(), spec: spec, version: p.optimizer.steps, epoch: p.epoch, ends: ends,
		done: make(chan struct{}, 1),
	}
	defer s.Close()
	if len(prompt) >= p.model.config.Context {
		return policy.Reply{Stop: policy.StopContext, Version: s.version}, nil
	}
	if err := s.sample(ctx, prompt); err != nil {
		return policy.Reply{}, fmt.Errorf("complete tokens with the embedded model: %w", err)
	}
	r := s.reply(prompt)
	r.Text = p.format.Text(s.tokens)
	return r, nil
}

func (p *Policy) checkTokens(tokens []int32) error {
	for _, id := range tokens {
		if id < 0 || int(id) >= p.model.config.VocabSize {
			return fmt.Errorf("token %d is outside the vocabulary of %d", id, p.model.config.VocabSize)
		}
	}
	return nil
}

func (p *Policy) checkDatum(d *Datum) error {
	if len(d.Inputs) != len(d.Targets) {
		return fmt.Errorf("%d inputs and %d targets", len(d.Inputs), len(d.Targets))
	}
	if len(d.Inputs) > p.model.config.Context {
		return fmt.Errorf("%d inputs, the context holds %d", len(d.Inputs), p.model.config.Context)
	}
	return errors.Join(p.checkTokens(d.Inputs), p.checkTokens(d.Targets))
}

// Check reports the first thing that makes it impossible to train on data, or to score it.
func (p *Policy) Check(data []Datum) error {
	for i := range data {
		if err := p.checkDatum(&data[i]); err != nil {
			return fmt.Errorf("datum %d: %w", i, err)
		}
	}
	return nil
}

// accumulate scores data and, with a slope, adds the gradient to what is pending.
func (p *Policy) accumulate(ctx context.Context, data []Datum, slope Slope) ([][]float32, error) {
	scores := make([][]float32, len(data))
	examples := make([]example, len(data))
	if err := p.Check(data); err != nil {
		return nil, err
	}
	for i := range data {
		scores[i] = make([]float32, len(data[i].Targets))
		examples[i].tokens = data[i].Inputs
		for t := range data[i].Targets {
			examples[i].targets = append(examples[i].targets, t+1)
		}
	}
	micro := partition(examples)
	losses := make([]scoredLoss, len(micro))
	for i := range micro {
		losses[i].slope = slope
		for _, d := range micro[i].members {
			for t, token := range data[d].Targets {
				losses[i].targets = append(losses[i].targets, scoredTarget{d, t, token, &scores[d][t]})
			}
		}
	}
	p.weightsMu.Lock()
	defer p.weightsMu.Unlock()
	p.meter.begin()
	defer p.meter.end()
	if slope == nil {
		return scores, p.gradients.score(ctx, micro, func(i int) tokenLoss { return &losses[i] })
	}
	if len(micro) == 0 {
		return scores, nil
	}
	g, err := p.gradients.sum(ctx, micro, func(i int) tokenLoss { return &losses[i] })
	if err != nil {
		return nil, err
	}
	if p.pending == nil {
		p.pending = newWeights(&p.model.config, make([]float32, len(g.flat)))
	}
	kernel.Axpy(1, g.flat, p.pending.flat)
	return scores, nil
}

// scoredTarget is target position of datum; its log-probability goes to score.
type scoredTarget struct {
	datum, position int
	token           int32
	score           *float32
}

// scoredLoss is any loss that is a function of the targets' log-probabilities.
type scoredLoss struct {
	slope   Slope
	targets []scoredTarget
	scratch []float32
}

func (l *scoredLoss) gradient(k *kernel.Scratch, i int, logits []float32) {
	t := &l.targets[i]
	grow(&l.scratch, len(logits))
	s := newLogSoftmax(k, logits, l.scratch)
	logProb := float64(logits[t.token]) - s.logSum
	*t.score = float32(logProb)
	if l.slope == nil {
		return
	}
	slope := float32(l.slope(t.datum, t.position, logProb))
	factor := -slope / s.sum
	for j, p := range s.probabilities {
		logits[j] = p * factor
	}
	logits[t.token] += slope
}
