package tinker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"spade"
	"spade/policy"
	"spade/policy/tinker/wire"
)

// The size of one forward_backward request: as the official client's.
const (
	maxChunkData  = 1024
	maxChunkBytes = 5_000_000
	bytesPerToken = 4 + 8 + 4 + 4 + 4 // of a datum: input, target, log-probability, advantage, weight
)

// The constants of the optimiser: those of the embedded model's.
const (
	beta1   = 0.9
	beta2   = 0.95
	epsilon = 1e-8
)

// Train implements policy.Trainer. The server's loss sums over tokens, so a token's advantage on the server is
// Weight·Advantage; tokens outside the mask have none. No server knows an entropy bonus. Its gradient, -E[ln p·∇ln p], is
// estimated from the sampled tokens: each adds Entropy·(h - ln q) to its advantage, where q is its probability when it was
// sampled and h the mean of ln q over the batch's tokens, which changes no expectation and much of the noise.
//
// The numbers returned are loss (the sum that was minimised), kl (old minus new log-probability, a mean over tokens, as
// the next ones), clip_fraction, entropy (minus the new log-probability of sampled tokens, an estimate), tokens, and
// grad_norm where the server says it.
func (p *Policy) Train(ctx context.Context, batch policy.Batch) (map[string]float64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	numbers, err := p.train(ctx, &batch)
	if err != nil {
		return nil, fmt.Errorf("train over tinker: %w", err)
	}
	return numbers, nil
}

func (p *Policy) train(ctx context.Context, batch *policy.Batch) (map[string]float64, error) {
	if p.broken != nil {
		return nil, spade.Errorf(spade.ByPolicy, "go on from the last checkpoint with spade run --resume --dir D",
			"an earlier step was left half done: %w", p.broken)
	}
	examples, err := data(batch)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return (&tally{}).numbers(), nil
	}
	loss, err := p.loss(batch)
	if err != nil {
		return nil, err
	}
	// From here on a failure leaves gradients on the server that belong to no step.
	p.broken = errors.New("the server was not reached to the end")
	sums, err := p.forwardBackward(ctx, examples, loss)
	if err == nil {
		err = p.step(ctx, batch, sums)
	}
	if err != nil {
		p.broken = err
		return nil, err
	}
	p.broken = nil
	return sums.numbers(), nil
}

// lossOf is the loss's name with its configuration and its meaning.
type lossOf struct {
	name    string
	config  map[string]float64
	meaning *wire.Loss
}

// loss is the server's loss for the batch: the one that was chosen, or, where the batch truncates ratios, the protocol's
// name for that.
func (p *Policy) loss(batch *policy.Batch) (*lossOf, error) {
	l := &lossOf{name: p.options.Loss}
	switch {
	case batch.Loss.Truncation > 0:
		l.name, l.config = "cispo", map[string]float64{"clip_low_threshold": 0, "clip_high_threshold": batch.Loss.Truncation}
	case l.name == lossPPO:
		l.config = map[string]float64{"clip_low_threshold": 1 - batch.Loss.ClipLow, "clip_high_threshold": 1 + batch.Loss.ClipHigh}
	}
	var err error
	l.meaning, err = wire.NewLoss(l.name, l.config)
	return l, err
}

// data makes the batch's sequences into examples. Those without a masked token are left out.
func data(batch *policy.Batch) ([]wire.Example, error) {
	baseline := meanLogProb(batch)
	var examples []wire.Example
	for i := range batch.Sequences {
		s := &batch.Sequences[i]
		if len(s.LogProbs) != len(s.Tokens) || len(s.Mask) != len(s.Tokens) {
			return nil, fmt.Errorf("sequence %d has %d tokens, %d log-probabilities and a mask of %d", i, len(s.Tokens), len(s.LogProbs), len(s.Mask))
		}
		if s.KL != 0 {
			return nil, spade.Errorf(spade.ByUser, "set learn.agent_kl and learn.designer_kl to 0, or train the embedded model", "the Tinker protocol knows no distance to a reference")
		}
		if len(s.Mask) > 0 && s.Mask[0] {
			return nil, fmt.Errorf("sequence %d begins with a sampled token: nothing predicts it", i)
		}
		end := len(s.Mask) // behind the last token to train on
		for end > 0 && !s.Mask[end-1] {
			end--
		}
		if end == 0 {
			continue
		}
		e := wire.Example{Tokens: s.Tokens[:end-1], Targets: s.Tokens[1:end], LogProbs: s.LogProbs[1:end], Advantages: make([]float32, end-1), Weights: make([]float32, end-1)}
		for t := 1; t < end; t++ {
			if s.Mask[t] {
				e.Advantages[t-1] = float32(s.Weight*s.Advantage + s.Entropy*(baseline-float64(s.LogProbs[t])))
				e.Weights[t-1] = 1
			}
		}
		examples = append(examples, e)
	}
	return examples, nil
}

// meanLogProb is the mean log-probability of the batch's sampled tokens.
func meanLogProb(batch *policy.Batch) float64 {
	sum, n := 0.0, 0
	for i := range batch.Sequences {
		s := &batch.Sequences[i]
		for t, trained := range s.Mask {
			if trained && t < len(s.LogProbs) {
				sum += float64(s.LogProbs[t])
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}

// tally are sums over the trained tokens of a step.
type tally struct {
	loss, kl, entropy, gradNorm float64
	clipped, tokens             int
	hasNorm                     bool
}

func (t *tally) numbers() map[string]float64 {
	n := float64(max(t.tokens, 1))
	m := map[string]float64{"loss": t.loss, "kl": t.kl / n, "entropy": t.entropy / n,
		"clip_fraction": float64(t.clipped) / n, "tokens": float64(t.tokens)}
	if t.hasNorm || t.tokens == 0 {
		m["grad_norm"] = t.gradNorm
	}
	return m
}

// add counts what the server says of an example. Weights mark the tokens that are trained on.
func (t *tally) add(e *wire.Example, loss *wire.Loss, logProbs []float32) error {
	if len(logProbs) != len(e.Targets) {
		return fmt.Errorf("%d log-probabilities for %d tokens", len(logProbs), len(e.Targets))
	}
	for i, l := range logProbs {
		if e.Weights[i] == 0 {
			continue
		}
		if math.IsNaN(float64(l)) {
			return errors.New("a log-probability that is no number")
		}
		value, _ := loss.At(e, i, float64(l))
		t.loss += value
		t.kl += float64(e.LogProbs[i] - l)
		t.entropy -= float64(l)
		t.tokens++
		if loss.Bounds(e, i, float64(l)) {
			t.clipped++
		}
	}
	return nil
}

// forwardBackward accumulates the gradient of all examples on the server.
func (p *Policy) forwardBackward(ctx context.Context, examples []wire.Example, loss *lossOf) (*tally, error) {
	sums := &tally{}
	sent := p.scaled(examples)
	for first := 0; first < len(sent); {
		n := chunk(sent[first:])
		request := wire.Training{ModelID: p.model, Seq: p.number(), Loss: loss.name, Config: loss.config, Data: sent[first : first+n]}
		body, err := request.Encode()
		if err != nil {
			return nil, err
		}
		var one wire.Future
		if err := p.client.json(ctx, call{method: "POST", path: "forward_backward", body: body, contentType: binaryType}, &one); err != nil {
			return nil, err
		}
		contentType, answer, err := p.client.await(ctx, one, "ForwardBackward")
		if err != nil {
			return nil, err
		}
		trained, err := readTrained(contentType, answer, n)
		if err != nil {
			return nil, err
		}
		for i, logProbs := range trained.LogProbs {
			if err := sums.add(&examples[first+i], loss.meaning, logProbs); err != nil {
				return nil, broken(fmt.Errorf("forward_backward: example %d: %w", first+i, err))
			}
		}
		first += n
	}
	return sums, nil
}

// scaled returns the examples as the server must get them for its loss to be the sum. SkyRL's divides the loss of an
// example by the sum of its weights and the whole by the number of examples; multiplying the advantages by both makes it
// the sum again, so that the learning rate means the same everywhere. Elsewhere weights belong to cross_entropy alone.
func (p *Policy) scaled(examples []wire.Example) []wire.Example {
	sent := make([]wire.Example, len(examples))
	for i, e := range examples {
		if p.skyrl {
			trained := float32(0)
			for _, w := range e.Weights {
				trained += w
			}
			advantages := make([]float32, len(e.Advantages))
			for t, a := range e.Advantages {
				advantages[t] = a * trained * float32(len(examples))
			}
			e.Advantages = advantages
		} else {
			e.Weights = nil
		}
		sent[i] = e
	}
	return sent
}

// chunk is the number of examples that go into one request.
func chunk(examples []wire.Example) int {
	size := 0
	for i, e := range examples {
		size += len(e.Tokens) * bytesPerToken
		if i > 0 && (size > maxChunkBytes || i == maxChunkData) {
			return i
		}
	}
	return len(examples)
}

func readTrained(contentType string, answer []byte, n int) (*wire.Trained, error) {
	decode := wire.DecodeTrainedJSON
	if strings.Contains(contentType, binaryType) {
		decode = wire.DecodeTrained
	}
	trained, err := decode(answer)
	if err == nil && len(trained.LogProbs) != n {
		err = fmt.Errorf("%d outputs for %d examples", len(trained.LogProbs), n)
	}
	if err != nil {
		return nil, broken(fmt.Errorf("forward_backward: %w", err))
	}
	return trained, nil
}

// step takes the optimiser's step and renews the sampler.
func (p *Policy) step(ctx context.Context, batch *policy.Batch, sums *tally) error {
	var stepped wire.Stepped
	err := p.client.work(ctx, "optim_step", "OptimStep", wire.OptimStep{ModelID: p.model, Seq: p.number(), Type: "optim_step",
		Adam: wire.AdamParams{LearningRate: batch.LearningRate, Beta1: beta1, Beta2: beta2, Eps: epsilon, GradClipNorm: batch.MaxGradNorm}}, &stepped)
	if err != nil {
		return err
	}
	for name, value := range stepped.Metrics {
		if _, last, _ := cutLast(name, "/"); last == "grad_norm" {
			sums.gradNorm, sums.hasNorm = value, true
		}
	}
	p.version++
	return p.renew(ctx)
}

// cutLast cuts s at the last separator; without one, all of s is after it.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return "", s, false
}
