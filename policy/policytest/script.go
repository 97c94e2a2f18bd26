package policytest

import (
	"context"
	"errors"

	"spade"
	"spade/policy"
)

// ScriptContext is the number of tokens that a conversation with a scripted sampler may hold.
const ScriptContext = 1 << 16

// NewScript returns a sampler that answers whatever answer returns. The function gets the session's Spec and
// the whole conversation so far, earlier replies included as messages of the speaker Assistant. It is called
// once a reply, from the goroutine that asks for it, so that a script that keeps state must guard it.
//
// Every byte is one token and every sampled token has log-probability -1. A script samples no randomness of
// its own; the function may draw from Spec.Rand. Replies longer than MaxTokens are cut off with
// policy.StopLength, conversations longer than ScriptContext with policy.StopContext. The version is always 0.
func NewScript(answer func(spec policy.Spec, messages []spade.Message) string) policy.Sampler {
	return &script{answer: answer}
}

type script struct {
	answer func(spec policy.Spec, messages []spade.Message) string
}

func (s *script) Info() policy.Info {
	return policy.Info{Name: "script", Context: ScriptContext}
}

func (s *script) CountTokens(text string) int { return len(text) }

func (s *script) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &scriptSession{script: s, spec: spec}, nil
}

type scriptSession struct {
	script   *script
	spec     policy.Spec
	messages []spade.Message
	tokens   int
	closed   bool
}

var errClosed = errors.New("the session is closed")

func (s *scriptSession) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	if err := ctx.Err(); err != nil {
		return policy.Reply{}, err
	}
	if s.closed {
		return policy.Reply{}, errClosed
	}
	reply := policy.Reply{Stop: policy.StopEnd}
	s.messages = append(s.messages, messages...)
	for _, m := range messages {
		appendBytes(&reply, m.Content, false)
	}
	s.tokens += len(reply.Tokens)
	if s.tokens > ScriptContext {
		return policy.Reply{Stop: policy.StopContext}, nil
	}
	text := s.script.answer(s.spec, append([]spade.Message(nil), s.messages...))
	if limit := s.spec.MaxTokens; limit > 0 && len(text) > limit {
		text, reply.Stop = text[:limit], policy.StopLength
	}
	if room := ScriptContext - s.tokens; len(text) > room {
		text, reply.Stop = text[:room], policy.StopContext
	}
	s.tokens += len(text)
	s.messages = append(s.messages, spade.Message{Speaker: spade.Assistant, Content: text})
	reply.Text = text
	appendBytes(&reply, text, true)
	return reply, nil
}

func (s *scriptSession) Close() error {
	s.closed = true
	return nil
}

// appendBytes appends text to the reply's tokens, one a byte.
func appendBytes(r *policy.Reply, text string, sampled bool) {
	logProb := float32(0)
	if sampled {
		logProb = -1
	}
	for _, b := range []byte(text) {
		r.Tokens = append(r.Tokens, int32(b))
		r.LogProbs = append(r.LogProbs, logProb)
		r.Mask = append(r.Mask, sampled)
	}
}
