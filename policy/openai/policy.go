package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"spade/policy"
)

// Policy samples from one model of one server. It is safe for concurrent use.
type Policy struct {
	base  string
	model string
	key   string
	// http is used without a client around it: a key must not follow a redirect to another host, there are no cookies,
	// and copying headers for both would cost a waiting conversation memory.
	http *http.Transport
	// question is what every request for a completion begins as, head what its body begins with.
	question *http.Request
	head     []byte
	info     policy.Info
	// context is what a conversation may hold in tokens; a complaint of the server's corrects it.
	context atomic.Int64
	fields  fields
	timing  timing
	limit   *limiter
	ruler   *ruler
	// failed counts the requests that were given up since one was answered.
	failed atomic.Int64
	counts counts
}

type counts struct {
	requests, retries, failures, rerendered, truncated atomic.Int64
}

var _ policy.Sampler = (*Policy)(nil)

// Counts are what a policy went through since it was connected.
type Counts struct {
	// Requests were answered; Retries were sent again; Failures were given up.
	Requests int64 `json:"requests"`
	Retries  int64 `json:"retries"`
	Failures int64 `json:"failures"`
	// Rerendered conversations lost their tokens because the server laid out their history anew; Truncated prompts were
	// shortened by the server without a word.
	Rerendered int64 `json:"rerendered"`
	Truncated  int64 `json:"truncated"`
}

// Counts returns what happened so far.
func (p *Policy) Counts() Counts {
	c := &p.counts
	return Counts{c.requests.Load(), c.retries.Load(), c.failures.Load(), c.rerendered.Load(), c.truncated.Load()}
}

// Info implements policy.Sampler.
func (p *Policy) Info() policy.Info {
	info := p.info
	info.Context = int(p.context.Load())
	return info
}

// CountTokens implements policy.Sampler. It is an estimate from what the server counted so far.
func (p *Policy) CountTokens(text string) int { return p.ruler.count(len(text)) }

// Open implements policy.Sampler.
func (p *Policy) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	switch {
	case spec.Rand == nil:
		err = errors.New("no random stream")
	case !(spec.Temperature > 0):
		err = fmt.Errorf("temperature %v is not positive", spec.Temperature)
	case !(spec.TopP >= 0 && spec.TopP <= 1):
		err = fmt.Errorf("top-p %v is outside [0, 1]", spec.TopP)
	case spec.TopK < 0:
		err = fmt.Errorf("top-k %d is negative", spec.TopK)
	case spec.MaxTokens < 1:
		err = fmt.Errorf("a reply of at most %d tokens", spec.MaxTokens)
	}
	if err != nil {
		return nil, fmt.Errorf("open a conversation with %s: %w", p.info.Name, err)
	}
	return &session{policy: p, spec: spec, silent: p.info.TextOnly}, nil
}

func (p *Policy) authorize(r *http.Request) {
	if p.key != "" {
		r.Header.Set("Authorization", "Bearer "+p.key)
	}
}

// scrub removes the key from a text of the server's: some repeat it.
func (p *Policy) scrub(text string) string {
	if p.key == "" {
		return text
	}
	return strings.ReplaceAll(text, p.key, "(key)")
}
