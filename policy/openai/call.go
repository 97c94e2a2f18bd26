package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"spade"
	"spade/policy"
)

// maxBody bounds the body of an answer, in bytes.
const maxBody = 64 << 20

// timing says how patient a policy is.
type timing struct {
	// attempts is how often a request is sent at most.
	attempts int
	// first is the wait before the second attempt; it doubles up to longest.
	first, longest time.Duration
	// base and perToken make the deadline of an attempt; idle bounds the time between two parts of a stream.
	base, perToken, idle time.Duration
}

func patience() timing {
	return timing{attempts: 8, first: 500 * time.Millisecond, longest: 30 * time.Second,
		base: 5 * time.Minute, perToken: 200 * time.Millisecond, idle: 3 * time.Minute}
}

// call is one request: what is sent, and how the answer is read.
type call struct {
	body  []byte // not changed any more: it may be read even after an answer has come
	asked asked
}

// complete sends a request until it is answered, given up or cancelled. The error is a *policy.Failure where only this
// reply failed, and the context's own error where that ended.
func (p *Policy) complete(ctx context.Context, c *call) (*Completion, error) {
	var fault *Fault
	for attempt := range p.timing.attempts {
		if attempt > 0 {
			if err := sleep(ctx, p.wait(attempt, fault)); err != nil {
				return nil, err
			}
			p.counts.retries.Add(1)
		}
		var completion *Completion
		var err error
		if completion, fault, err = p.attempt(ctx, c); err != nil {
			return nil, err
		}
		if fault == nil {
			p.failed.Store(0)
			return completion, nil
		}
		if !fault.Retry || fault.Delay > ceiling {
			break
		}
	}
	return nil, p.giveUp(fault)
}

// wait is the time before an attempt: what the server asked for, or a doubling time of which up to half is chance, so
// that requests that failed together do not come back together.
func (p *Policy) wait(attempt int, fault *Fault) time.Duration {
	if fault.Delay >= 0 {
		return fault.Delay
	}
	d := min(p.timing.first<<(attempt-1), p.timing.longest)
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}

// attempt sends a request once.
func (p *Policy) attempt(ctx context.Context, c *call) (*Completion, *Fault, error) {
	round, err := p.limit.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	completion, fault := p.exchange(ctx, c)
	if ctx.Err() != nil { // whatever went wrong, nobody waits for it any more
		p.limit.release(round, false, false, 0)
		return nil, nil, ctx.Err()
	}
	complaint, hold := false, time.Duration(0)
	if fault != nil {
		fault.Message = p.scrub(fault.Message)
		switch fault.Class {
		case RateLimited, Overloaded, Timeout, Connection:
			complaint = true
			hold = min(fault.Delay, ceiling)
		}
	}
	p.limit.release(round, fault == nil, complaint, hold)
	return completion, fault, nil
}

// exchange is one HTTP request with its deadline.
func (p *Policy) exchange(ctx context.Context, c *call) (*Completion, *Fault) {
	ctx, cancel := context.WithTimeout(ctx, p.timing.base+time.Duration(c.asked.maxTokens)*p.timing.perToken)
	defer cancel()
	request := p.question.WithContext(ctx)
	request.ContentLength = int64(len(c.body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
	request.Body, _ = request.GetBody()
	response, err := p.http.RoundTrip(request)
	if err != nil {
		return nil, transportFault(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		fault := faultOfResponse(response.StatusCode, body)
		fault.Delay = retryDelay(response.Header, time.Now())
		return nil, fault
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		watched := newIdleReader(response.Body, p.timing.idle, cancel)
		defer watched.timer.Stop()
		completion, fault := readStream(io.LimitReader(watched, maxBody), c.asked)
		if fault != nil && ctx.Err() != nil {
			fault.Class, fault.Message = Timeout, "the stream stopped before the reply was complete"
		}
		return completion, fault
	}
	return readWhole(response.Body, c.asked)
}

// bodies are buffers for answers, whose size nobody knows before.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBody is the size in bytes up to which a buffer is kept for the next answer.
const keptBody = 64 << 10

// readWhole reads an answer that is no stream.
func readWhole(r io.Reader, asked asked) (*Completion, *Fault) {
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= keptBody {
			body.Reset()
			bodies.Put(body)
		}
	}()
	if _, err := body.ReadFrom(io.LimitReader(r, maxBody)); err != nil {
		return nil, transportFault(err)
	}
	return readBody(body.Bytes(), asked)
}

// transportFault classifies an error of the connection.
func transportFault(err error) *Fault {
	var netError net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netError) && netError.Timeout() {
		return broken(Timeout, "no answer before the deadline")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return broken(Cut, "the answer broke off")
	}
	return broken(Connection, oneLine(err.Error()))
}

// idleReader cancels a stream whose next part does not come in time.
type idleReader struct {
	from  io.Reader
	timer *time.Timer
	limit time.Duration
}

func newIdleReader(from io.Reader, limit time.Duration, cancel context.CancelFunc) *idleReader {
	return &idleReader{from: from, limit: limit, timer: time.AfterFunc(limit, cancel)}
}

func (r *idleReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.timer.Reset(r.limit)
	return n, err
}

// hopeless is the number of requests in a row that are given up before the server is taken for lost.
const hopeless = 24

// giveUp turns the last fault of a request into an error.
func (p *Policy) giveUp(f *Fault) error {
	p.counts.failures.Add(1)
	err := fmt.Errorf("%s: %w", p.Info().Name, f)
	switch f.Class {
	case Denied:
		return spade.Errorf(spade.ByPolicy, "put the key into the environment variable "+KeyVariables(p.base)[0], "%w", err)
	case Quota:
		return spade.Errorf(spade.ByPolicy, "add credit to the account, then go on with spade run --resume", "%w", err)
	case NotFound:
		return spade.Errorf(spade.ByPolicy, "check the address and the model's name: curl "+p.base+"/models", "%w", err)
	}
	if p.failed.Add(1) >= hopeless {
		return spade.Errorf(spade.ByPolicy, "see what is wrong with the server, then go on with spade run --resume",
			"the last %d requests were all given up, the last one with: %w", hopeless, err)
	}
	return &policy.Failure{Class: string(f.Class), Err: err}
}
