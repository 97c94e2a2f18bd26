package local

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/policy"
	"spade/policy/local"
)

const (
	// A batch of training is batchSequences sequences that predict sequenceTokens tokens each.
	batchSequences = 16
	sequenceTokens = 256
	// replyTokens is how many tokens are sampled of every sequence.
	replyTokens = 256
	// rate is so small that the weights, and with them the work, stay what they are.
	rate = 1e-9
)

// newBatch returns a batch of random tokens that are all trained on.
func newBatch(vocab int) policy.Batch {
	r := spade.Stream(1, 0, 0, "bench local batch")
	b := policy.Batch{Loss: policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}, LearningRate: rate, MaxGradNorm: 1}
	for range batchSequences {
		s := policy.Sequence{Advantage: r.NormFloat64(), Weight: 1.0 / (batchSequences * sequenceTokens)}
		for t := range sequenceTokens + 1 {
			s.Tokens = append(s.Tokens, int32(r.IntN(vocab)))
			s.LogProbs = append(s.LogProbs, float32(-math.Log(float64(vocab))))
			s.Mask = append(s.Mask, t > 0)
		}
		b.Sequences = append(b.Sequences, s)
	}
	return b
}

// train takes steps on the batch and returns the last loss.
func train(ctx context.Context, p *local.Policy, b policy.Batch, steps int) (float64, error) {
	loss := 0.0
	for range steps {
		numbers, err := p.Train(ctx, b)
		if err != nil {
			return 0, err
		}
		loss = numbers["loss"]
	}
	return loss, nil
}

// sample keeps that many conversations going at once until each has replyTokens sampled tokens. A reply that ends
// early is followed by another in the same conversation.
func sample(ctx context.Context, p *local.Policy, sequences int) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range sequences {
		group.Go(func() error { return converse(ctx, p, i) })
	}
	return group.Wait()
}

func converse(ctx context.Context, p *local.Policy, slot int) error {
	s, err := p.Open(ctx, policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, slot, "bench local sample"),
		Temperature: 1, MaxTokens: replyTokens})
	if err != nil {
		return err
	}
	defer s.Close()
	for sampled := 0; sampled < replyTokens; {
		reply, err := s.Reply(ctx, spade.Message{Speaker: spade.User, Content: "go"})
		if err != nil {
			return err
		}
		if reply.Stop == policy.StopContext {
			return fmt.Errorf("the context ended after %d of %d tokens", sampled, replyTokens)
		}
		for _, own := range reply.Mask {
			if own {
				sampled++
			}
		}
	}
	return nil
}

// operations is the number of floating-point operations that one trained token needs: twice the weights that it
// passes, and the scores and mixtures of the tokens before it, forward once and backward twice that.
func operations(c local.Config) float64 {
	hidden, heads := float64(c.HiddenSize), float64(c.Heads*c.HeadDim)
	fused := heads + 2*float64(c.KVHeads*c.HeadDim)
	layer := hidden*fused + heads*hidden + 3*hidden*float64(c.IntermediateSize)
	attention := 2 * heads * sequenceTokens / 2
	return 3 * 2 * (float64(c.Layers)*(layer+attention) + hidden*float64(c.VocabSize))
}
