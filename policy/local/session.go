package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"spade"
	"spade/policy"
)

// session is one conversation. While a reply is being sampled its fields belong to its worker.
type session struct {
	policy  *Policy
	worker  *worker
	spec    policy.Spec
	version int64 // of the weights when it was opened
	epoch   int64 // likewise
	layout  conversation
	// ends reports whether a reply is complete with the tokens sampled so far.
	ends func(sampled []int32) bool
	// broken says why the session cannot go on; full that its context is used up.
	broken error
	full   bool
	closed bool

	cache *cacheBlock
	// history has been fed to the model, of which the cache already holds the first computed tokens; feed is to be fed
	// next.
	history  []int32
	computed int
	feed     []int32

	// The reply being sampled.
	tokens   []int32
	logProbs []float32
	stop     policy.Stop
	complete bool

	cancelled atomic.Bool
	done      chan struct{} // gets one value a submission
}

// Open starts a conversation. It must end before the next call of Train: afterwards its replies fail.
func (p *Policy) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	marks, err := markupOf(spec.Role)
	if err == nil {
		err = checkSpec(&spec)
	}
	if err != nil {
		return nil, fmt.Errorf("open a conversation with the embedded model: %w", err)
	}
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	return &session{
		policy: p, worker: p.assign(), spec: spec, version: p.optimizer.steps, epoch: p.epoch,
		layout: conversation{format: p.format, role: spec.Role, markup: marks}, ends: p.format.closed,
		done: make(chan struct{}, 1),
	}, nil
}

// checkSpec reports the first thing that makes it impossible to sample as spec says, in any role.
func checkSpec(spec *policy.Spec) error {
	switch {
	case spec.Rand == nil:
		return errors.New("no random stream")
	case !(spec.Temperature > 0):
		return fmt.Errorf("temperature %v is not positive", spec.Temperature)
	case !(spec.TopP >= 0 && spec.TopP <= 1):
		return fmt.Errorf("top-p %v is outside [0, 1]", spec.TopP)
	case spec.TopK < 0:
		return fmt.Errorf("top-k %d is negative", spec.TopK)
	case spec.MaxTokens < 1:
		return fmt.Errorf("a reply of at most %d tokens", spec.MaxTokens)
	}
	return nil
}

// Reply implements policy.Session. After an error the session is of no further use.
func (s *session) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	s.policy.weightsMu.RLock()
	defer s.policy.weightsMu.RUnlock()
	if err := s.usable(ctx); err != nil {
		if s.broken == nil {
			s.broken = err // cancelled before it began or while it was sampled: the session ends either way
		}
		return policy.Reply{}, fmt.Errorf("reply of the embedded model: %w", err)
	}
	s.layout.tokens, s.layout.isReply = s.layout.tokens[:0], s.layout.isReply[:0]
	if err := s.layout.add(messages); err != nil {
		return policy.Reply{}, fmt.Errorf("lay out the conversation for the embedded model: %w", err)
	}
	s.layout.open()
	fed := s.layout.tokens
	if s.full || len(s.history)+len(s.feed)+len(fed) >= s.policy.model.config.Context {
		s.full = true
		return policy.Reply{Stop: policy.StopContext, Version: s.version}, nil
	}
	if err := s.sample(ctx, fed); err != nil {
		s.broken = err
		return policy.Reply{}, fmt.Errorf("reply of the embedded model: %w", err)
	}
	return s.reply(fed), nil
}

// usable reports why the session cannot reply.
func (s *session) usable(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.closed:
		return errors.New("the session is closed")
	case s.broken != nil:
		return fmt.Errorf("an earlier reply failed: %w", s.broken)
	case s.epoch != s.policy.epoch:
		return errors.New("the weights have changed since the session was opened")
	}
	return nil
}

// sample feeds tokens and waits for the worker to sample what follows them.
func (s *session) sample(ctx context.Context, fed []int32) error {
	s.feed = append(s.feed, fed...)
	s.tokens, s.logProbs, s.complete = nil, nil, false
	s.cancelled.Store(false) // a context may have ended just as the reply before was complete
	s.worker.submit(s)
	select {
	case <-s.done:
	case <-ctx.Done():
		s.cancelled.Store(true)
		<-s.done
	}
	if s.complete {
		return s.broken
	}
	return ctx.Err()
}

// reply assembles the policy's view of what was fed and sampled.
func (s *session) reply(fed []int32) policy.Reply {
	n := len(fed) + len(s.tokens)
	r := policy.Reply{
		Text:     s.policy.format.Text(fed[len(fed)-1:]) + s.policy.format.Text(s.tokens),
		Tokens:   append(append(make([]int32, 0, n), fed...), s.tokens...),
		LogProbs: append(make([]float32, len(fed), n), s.logProbs...),
		Mask:     make([]bool, n),
		Version:  s.version,
		Stop:     s.stop,
	}
	for i := len(fed); i < n; i++ {
		r.Mask[i] = true
	}
	return r
}

// appendRows moves up to limit tokens of the feed to rows.
func (s *session) appendRows(rows []decodeRow, limit int) []decodeRow {
	n, fed := min(limit, len(s.feed)), len(s.history)
	s.cache = s.policy.caches.ensure(s.cache, fed, fed+n)
	for i, id := range s.feed[:n] {
		rows = append(rows, decodeRow{cache: s.cache, token: id, position: fed + i, emits: i == len(s.feed)-1})
	}
	s.history = append(s.history, s.feed[:n]...)
	s.feed = s.feed[n:]
	return rows
}

// accept takes a sampled token and decides whether it completes the reply.
func (s *session) accept(id int32, logProb float32) {
	if math.IsNaN(float64(logProb)) {
		s.broken, s.complete = fmt.Errorf("the model's probabilities are not numbers: %w", policy.ErrDiverged), true
		return
	}
	s.tokens = append(s.tokens, id)
	s.logProbs = append(s.logProbs, logProb)
	s.feed = append(s.feed[:0], id)
	s.complete = true
	switch {
	case s.ends(s.tokens):
		s.stop = policy.StopEnd
	case len(s.tokens) == s.spec.MaxTokens:
		s.stop = policy.StopLength
	case len(s.history)+1 == s.policy.model.config.Context:
		s.stop = policy.StopContext
	default:
		s.complete = false
	}
}

// Close implements policy.Session.
func (s *session) Close() error {
	if !s.closed {
		s.closed = true
		s.worker.forget(s)
		s.policy.caches.put(s.cache)
		s.cache = nil
	}
	return nil
}
