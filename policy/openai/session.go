package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/policy"
	"spade/reply"
)

// session is one conversation. It keeps the messages in the form in which they are sent, since it spends its life
// waiting.
type session struct {
	policy *Policy
	spec   policy.Spec
	// messages are the ones so far, as elements of a JSON list; bytes is the size of their texts.
	messages []byte
	bytes    int
	// counted is what the server's last counts come to, prompt and reply together, and covers countedBytes of the text.
	counted, countedBytes int
	// sequence are the tokens so far. silent says that no tokens are told, or no more.
	sequence []int32
	silent   bool
	full     bool
	closed   bool
	broken   error
}

// perMessage is what a message takes in tokens besides its text, at most.
const perMessage = 8

// Reply implements policy.Session. After an error the session is of no further use.
func (s *session) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	switch {
	case ctx.Err() != nil:
		return policy.Reply{}, ctx.Err()
	case s.closed:
		return policy.Reply{}, errors.New("the session is closed")
	case s.broken != nil:
		return policy.Reply{}, fmt.Errorf("an earlier reply failed: %w", s.broken)
	case s.full:
		return policy.Reply{Stop: policy.StopContext}, nil
	}
	s.add(messages)
	completion, limit, err := s.ask(ctx, s.spec.Rand.Int64N(1<<31))
	switch {
	case err != nil:
		s.broken = err
		return policy.Reply{}, err
	case completion == nil:
		s.full = true
		return policy.Reply{Stop: policy.StopContext}, nil
	}
	s.policy.counts.requests.Add(1)
	if s.shortened(completion) {
		s.full = true
		return policy.Reply{Stop: policy.StopContext}, nil
	}
	return s.reply(completion, limit), nil
}

// ask samples a completion of at most limit tokens, nil where the conversation does not fit into the context. A server
// that knows the size of its context better is asked once more, for less.
func (s *session) ask(ctx context.Context, seed int64) (c *Completion, limit int, err error) {
	p := s.policy
	for before := 0; ; before = limit {
		limit = min(s.spec.MaxTokens, s.room())
		if limit < 1 || limit == before {
			return nil, limit, nil
		}
		c, err = p.complete(ctx, &call{body: p.request(s.messages, &s.spec, limit, seed), asked: asked{maxTokens: limit}})
		fault := asFault(err)
		if err == nil || fault == nil || fault.Class != ContextLength {
			return c, limit, err
		}
		if told := int64(fault.Context); told <= 0 || told >= p.context.Load() {
			return nil, limit, nil
		}
		p.context.Store(int64(fault.Context))
	}
}

// add appends messages. Those of one speaker in a row become one, since the templates of many models want speakers to
// alternate, and system messages are told by the user, since some models have no such speaker.
func (s *session) add(messages []spade.Message) {
	var texts []string
	role := ""
	flush := func() {
		if role != "" {
			text := strings.Join(texts, "\n\n")
			s.messages = appendMessage(s.messages, role, text)
			s.bytes += len(text)
		}
		texts = nil
	}
	for _, m := range messages {
		next := "user"
		if m.Speaker == spade.Assistant {
			next = "assistant"
		}
		if next != role {
			flush()
			role = next
		}
		texts = append(texts, m.Content)
	}
	flush()
}

// room is how many tokens a reply may have.
func (s *session) room() int {
	prompt := s.counted + s.policy.ruler.count(s.bytes-s.countedBytes) + 2*perMessage
	return int(s.policy.context.Load()) - prompt
}

// shortened reports whether the server has read less than it was sent: it counts fewer tokens than the text has, or
// fewer than it counted itself before the conversation grew.
func (s *session) shortened(c *Completion) bool {
	if c.PromptTokens == 0 {
		return false
	}
	cut := s.policy.ruler.truncated(s.bytes, c.PromptTokens)
	if cut {
		s.policy.counts.truncated.Add(1)
	}
	return cut
}

// reply turns a completion into a reply and makes it part of the conversation: without its thinking, as the makers of
// thinking models ask for.
func (s *session) reply(c *Completion, limit int) policy.Reply {
	p := s.policy
	if c.PromptTokens > 0 {
		if s.counted == 0 {
			p.ruler.note(s.bytes, c.PromptTokens)
		}
		s.counted, s.countedBytes = c.PromptTokens, s.bytes
	}
	_, kept, _ := reply.Thinking(c.said())
	s.messages = appendMessage(s.messages, "assistant", kept)
	s.bytes += len(kept)

	r := policy.Reply{Text: c.Whole(), Stop: policy.StopEnd}
	s.tokens(&r, c)
	if c.Truncated {
		r.Stop = policy.StopLength
		if limit < s.spec.MaxTokens || (!s.silent && len(c.TokenIDs) < limit) {
			r.Stop = policy.StopContext
		}
	}
	return r
}

// tokens puts what was fed and sampled into r. They are told only while the prompt continues exactly what was read and
// sampled before: a server that lays out the history anew, for example without its thinking, has made another
// sequence of it.
func (s *session) tokens(r *policy.Reply, c *Completion) {
	if s.silent {
		return
	}
	known, _ := c.Trainable()
	if known && len(s.sequence) > 0 && (len(c.PromptIDs) <= len(s.sequence) || !slices.Equal(c.PromptIDs[:len(s.sequence)], s.sequence)) {
		s.policy.counts.rerendered.Add(1)
		known = false
	}
	if !known {
		s.silent, s.sequence = true, nil
		return
	}
	fed := c.PromptIDs[len(s.sequence):]
	n := len(fed) + len(c.TokenIDs)
	r.Tokens = append(append(make([]int32, 0, n), fed...), c.TokenIDs...)
	r.LogProbs = make([]float32, n)
	r.Mask = make([]bool, n)
	for i, l := range c.LogProbs {
		r.LogProbs[len(fed)+i] = min(0, float32(l))
		r.Mask[len(fed)+i] = true
	}
	s.sequence = append(append(s.sequence, fed...), c.TokenIDs...)
}

// Close implements policy.Session.
func (s *session) Close() error {
	s.closed = true
	s.messages, s.sequence = nil, nil
	return nil
}
