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

// session is one conversation. It stays with the weights with which it was opened.
type session struct {
	policy  *Policy
	sampler *sampler
	spec    policy.Spec
	layout  Conversation
	ends    []int32
	tokens  []int32 // all that was fed and sampled
	full    bool
	closed  bool
	broken  error
}

// Open starts a conversation.
func (p *Policy) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if spec.Rand == nil || !(spec.Temperature > 0) || spec.MaxTokens < 1 {
		return nil, fmt.Errorf("open a conversation over tinker: a stream, a temperature above 0 and at least one token are needed, not %+v", spec)
	}
	layout, err := p.options.Layout.Begin(spec.Role)
	if err != nil {
		return nil, fmt.Errorf("open a conversation over tinker: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return &session{policy: p, sampler: p.sampler, spec: spec, layout: layout, ends: layout.Ends()}, nil
}

// Reply implements policy.Session. After an error the session is of no further use.
func (s *session) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	r, err := s.reply(ctx, messages)
	if err != nil {
		s.broken = err
		return policy.Reply{}, fmt.Errorf("reply over tinker: %w", err)
	}
	return r, nil
}

func (s *session) reply(ctx context.Context, messages []spade.Message) (policy.Reply, error) {
	switch {
	case ctx.Err() != nil:
		return policy.Reply{}, ctx.Err()
	case s.closed:
		return policy.Reply{}, errors.New("the session is closed")
	case s.broken != nil:
		return policy.Reply{}, fmt.Errorf("an earlier reply failed: %w", s.broken)
	}
	fed, err := s.layout.Feed(messages)
	if err != nil {
		return policy.Reply{}, fmt.Errorf("lay out the conversation: %w", err)
	}
	room := s.policy.info.Context - len(s.tokens) - len(fed)
	if s.full || room < 1 {
		s.full = true
		return policy.Reply{Stop: policy.StopContext, Version: s.sampler.version}, nil
	}
	s.tokens = append(s.tokens, fed...)
	sampled, err := s.sample(ctx, min(room, s.spec.MaxTokens))
	if err != nil {
		return policy.Reply{}, err
	}
	s.tokens = append(s.tokens, sampled.Tokens...)
	r := policy.Reply{
		Text:     s.layout.Read(sampled.Tokens),
		Tokens:   append(append([]int32{}, fed...), sampled.Tokens...),
		LogProbs: append(make([]float32, len(fed)), sampled.LogProbs...),
		Mask:     make([]bool, len(fed)+len(sampled.Tokens)),
		Version:  s.sampler.version,
		Stop:     policy.StopEnd,
	}
	for i := len(fed); i < len(r.Mask); i++ {
		r.Mask[i] = true
	}
	if sampled.Length {
		r.Stop = policy.StopLength
		if room < s.spec.MaxTokens {
			r.Stop = policy.StopContext
		}
	}
	return r, nil
}

// maxLost is how often sampling is asked for anew that the server has forgotten.
const maxLost = 3

// sample asks for one sequence of at most n tokens after those of the session.
func (s *session) sample(ctx context.Context, n int) (*wire.Sampled, error) {
	p := s.policy
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	seed := s.spec.Rand.Uint64() >> 33 // 31 bits: no server takes less
	topK, topP := s.spec.TopK, s.spec.TopP
	if topK == 0 {
		topK = -1
	}
	if topP == 0 {
		topP = 1
	}
	ask := wire.SampleRequest{SessionID: s.sampler.id, NumSamples: 1, Prompt: wire.TextInput(s.tokens), Type: "sample",
		Params: wire.SamplingParams{MaxTokens: &n, Seed: &seed, Stop: &wire.Stop{Tokens: s.ends}, Temperature: &s.spec.Temperature, TopK: &topK, TopP: &topP}}
	for lost := 0; ; lost++ {
		seq := s.sampler.next()
		ask.Seq = &seq
		one, err := p.client.submit(ctx, "asample", ask)
		if err != nil {
			return nil, err
		}
		contentType, answer, err := p.client.await(ctx, one, "Sample")
		if errors.Is(err, errLost) && lost < maxLost {
			continue // sampling is asked for anew; the seed gives the same sequence
		}
		if err != nil {
			return nil, err
		}
		sampled, err := readSample(contentType, answer, n)
		if err != nil {
			return nil, err
		}
		return sampled, checkTokens(sampled.Tokens, p.options.Layout.Size())
	}
}

// readSample reads the one sequence of a result and holds it against what was asked for.
func readSample(contentType string, answer []byte, n int) (*wire.Sampled, error) {
	decode := wire.DecodeSamplesJSON
	if strings.Contains(contentType, binaryType) {
		decode = wire.DecodeSamples
	}
	samples, err := decode(answer)
	if err != nil {
		return nil, broken(fmt.Errorf("asample: %w", err))
	}
	if len(samples.Sequences) != 1 {
		return nil, broken(fmt.Errorf("asample: %d sequences for the one that was asked for", len(samples.Sequences)))
	}
	q := &samples.Sequences[0]
	if len(q.LogProbs) != len(q.Tokens) || len(q.Tokens) == 0 || len(q.Tokens) > n {
		return nil, broken(fmt.Errorf("asample: %d tokens with %d log-probabilities, where at most %d were asked for", len(q.Tokens), len(q.LogProbs), n))
	}
	for i, l := range q.LogProbs {
		if math.IsNaN(float64(l)) || math.IsInf(float64(l), 0) {
			return nil, broken(fmt.Errorf("asample: log-probability %d is %v", i, l))
		}
		q.LogProbs[i] = min(l, 0) // rounding may leave it a little above
	}
	return q, nil
}

// checkTokens refuses tokens that the tokenizer has not, of which there are size: those of another model, or the padding
// behind the vocabulary of this one. There is no text for them.
func checkTokens(sampled []int32, size int) error {
	for _, id := range sampled {
		if id < 0 || int(id) >= size {
			return spade.Errorf(spade.ByPolicy, "see that the tokenizer is this model's: tokenizer=FILE names the tokenizer.json beside its weights",
				"tinker: the server sampled the token %d, and the tokenizer has %d", id, size)
		}
	}
	return nil
}

// Close implements policy.Session.
func (s *session) Close() error {
	s.closed = true
	return nil
}
