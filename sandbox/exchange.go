package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"spade"
)

// batchLimit is how many operations one exchange carries, where their answers can be held.
const batchLimit = 64

// do performs operations, one after the other. Whoever comes first makes the exchange for all who wait; those who come
// while it is under way wait for the next one. Ending ctx ends the process. The faults are in the requests.
func (p *Process) do(ctx context.Context, requests ...*request) error {
	if err := ctx.Err(); err != nil || len(requests) == 0 {
		return err // of nothing, nobody would lead the exchange
	}
	p.mu.Lock()
	p.waiting = append(p.waiting, requests...)
	first := !p.busy
	p.busy = true
	p.mu.Unlock()
	for i, r := range requests {
		if i == 0 && first || p.awaitTurn(ctx, r) {
			p.lead(ctx)
		}
	}
	return ctx.Err()
}

// awaitTurn waits until r is answered or must lead, which it reports.
func (p *Process) awaitTurn(ctx context.Context, r *request) bool {
	select {
	case lead := <-r.turn:
		return lead
	case <-ctx.Done():
		p.cancel()
		return <-r.turn
	}
}

func (p *Process) cancel() { p.die(&Fault{Outcome: spade.SandboxError, Message: "cancelled"}) }

// lead makes one exchange for all that wait and hands the lead on. The caller's own request is among them.
func (p *Process) lead(ctx context.Context) {
	if len(p.batch) > 1 {
		// Those who were answered together have their next request ready soon: one frame for all of them is
		// cheaper than one for the first and one for the rest.
		runtime.Gosched()
	}
	p.sandbox.turns.take(&p.turn)
	batch, fault := p.take()
	if fault == nil {
		fault = p.exchange(ctx, batch)
	}
	for i, r := range batch {
		if fault != nil {
			own := *fault
			own.Phase = operations[r.kind].phase
			r.fault = &own
		}
		if i > 0 {
			r.turn <- false
		}
	}
	p.sandbox.turns.leave(&p.turn)
	p.mu.Lock()
	if len(p.waiting) > 0 {
		p.waiting[0].turn <- true
	} else {
		p.busy = false
	}
	p.mu.Unlock()
}

// take returns the requests that go out now, and the fault of a process that is dead. The two lists of requests take
// turns as the one that waits and the one that goes out.
func (p *Process) take() ([]*request, *Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch, rest := p.waiting, p.batch[:0]
	if most := p.sandbox.batch; len(batch) > most {
		rest = append(rest, batch[most:]...)
		batch = batch[:most]
	}
	p.batch, p.waiting = batch, rest
	return batch, p.fault
}

// exchange sends the batch and fills in the answers. It returns a fault if the process did not survive it.
func (p *Process) exchange(ctx context.Context, batch []*request) *Fault {
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, p.cancel)()
	}
	if unread(p.raw) {
		return p.die(&Fault{Outcome: spade.ProtocolViolation, Message: errUnasked.Error()})
	}
	nonce := rand.Uint64() // nothing that is kept depends on it
	limit := time.Duration(0)
	for _, r := range batch {
		limit += r.limit
	}
	p.watch.begin(p.child, limit)
	if rest := p.watch.restless(); rest > restLimit {
		return p.die(&Fault{Outcome: spade.CPULimit, CPU: rest,
			Message: fmt.Sprintf("it computed for more than %v between two requests", restLimit)})
	}
	defer p.watch.end()
	defer p.release()
	data, err := p.roundTrip(ctx, nonce, batch)
	took := p.watch.elapsed()
	for _, r := range batch {
		r.took = took / time.Duration(len(batch))
	}
	if err != nil {
		return p.die(p.explain(err, batch, took))
	}
	if err := p.accept(data, nonce, batch); err != nil {
		return p.die(&Fault{Outcome: spade.ProtocolViolation, Message: oneLine(err.Error())})
	}
	return nil
}

// appendRequest appends the frame that asks for the batch.
func appendRequest(frame []byte, nonce uint64, batch []*request) []byte {
	frame = append(frame, 0, 0, 0, 0)
	frame = append(frame, `{"nonce":"`...)
	frame = append(strconv.AppendUint(frame, nonce, 16), `","ops":[`...)
	for i, r := range batch {
		if i > 0 {
			frame = append(frame, ',')
		}
		frame = r.appendTo(frame)
	}
	frame = append(frame, ']', '}')
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-headerSize))
	return frame
}

func (p *Process) roundTrip(ctx context.Context, nonce uint64, batch []*request) ([]byte, error) {
	p.frame = appendRequest(p.frame[:0], nonce, batch)
	_, err := p.watch.Write(p.frame)
	if cap(p.frame) > frameBuffer { // a whole source went out, which happens once
		p.frame = nil
	}
	if err != nil {
		return nil, err
	}
	limit := p.sandbox.config.Limits.frame(len(batch))
	return readFrame(&p.watch, p.buffer, limit, func(size int) error { return p.reserve(ctx, size) })
}

// reserve waits until an answer of the size can be held. That others send long ones is not the process's fault, so
// that its deadline moves on meanwhile.
func (p *Process) reserve(ctx context.Context, size int) error {
	began := time.Now()
	held := int64(heldFactor * size)
	if err := p.sandbox.held.Acquire(ctx, held); err != nil {
		return err
	}
	p.held = held
	p.watch.postpone(time.Since(began))
	return nil
}

// release gives back what reserve has taken for the answer, which has been read.
func (p *Process) release() {
	if p.held > 0 {
		p.sandbox.held.Release(p.held)
		p.held = 0
	}
}

// goneTimeout bounds the wait for the kernel's word on how a process ended.
const goneTimeout = 5 * time.Second

// explain says why the exchange of batch failed, which took so long. Its messages are stored, so that they name limits and
// never what was measured.
func (p *Process) explain(err error, batch []*request, took time.Duration) *Fault {
	var size errFrameSize
	var spoke violation
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return p.timedOut(batch)
	case errors.As(err, &size):
		return &Fault{Outcome: spade.OutputLimit, Message: err.Error()}
	case errors.As(err, &spoke):
		return &Fault{Outcome: spade.ProtocolViolation, Message: err.Error()}
	case errors.Is(err, os.ErrClosed):
		return &Fault{Outcome: spade.SandboxError, Message: "the process was closed"}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return p.gone(took)
	}
	return &Fault{Outcome: spade.SandboxError, Message: err.Error()}
}

// timedOut tells a process that computes from one that waits.
func (p *Process) timedOut(batch []*request) *Fault {
	limit := p.watch.limit.Round(time.Millisecond) // the shares of a batch may lack some nanoseconds of it
	f := &Fault{Outcome: spade.WallTimeout, CPU: p.watch.used(), Message: fmt.Sprintf("no answer within %v", limit)}
	if p.watch.busy() {
		f.Outcome = spade.CPULimit
		f.Message += ", busy all the time"
	}
	if slices.ContainsFunc(batch, func(r *request) bool { return r.last }) {
		f.Message = p.sandbox.config.Limits.episodeOver()
	}
	return f
}

// gone explains the end of the conversation from how the process ended. A process that merely closed its end is
// killed, which looks the same from here on. took is how long its last exchange was under way.
func (p *Process) gone(took time.Duration) *Fault {
	closedOnly := false
	select {
	case <-p.child.exited:
	case <-time.After(closeGrace):
		if closedOnly = !p.child.ended(); closedOnly {
			p.child.kill()
		}
		select {
		case <-p.child.exited:
		case <-time.After(goneTimeout):
			return &Fault{Outcome: spade.SandboxError, Message: "a killed process does not end"}
		}
	}
	e, cpu := p.child.exit, p.sandbox.config.Limits.CPU
	switch {
	case e.lost:
		if verdict := p.sandbox.suspects.verdict(p.id, ""); verdict != nil {
			return verdict
		}
		return &Fault{Outcome: spade.SandboxError, Message: "the fork server ended"}
	case closedOnly:
		return &Fault{Outcome: spade.EnvExit, Message: "the process closed its connection"}
	case outOfTime(e.status), killed(e.status) && e.cpu >= cpu:
		return &Fault{Outcome: spade.CPULimit, CPU: e.cpu, WornOut: took < cpu/2,
			Message: fmt.Sprintf("the processor time of %v is used up", cpu)}
	case killed(e.status):
		return &Fault{Outcome: spade.MemoryLimit, Message: "the system ended the process, most likely for its memory"}
	}
	return &Fault{Outcome: spade.EnvExit, Message: describeExit(e.status)}
}

// closeGrace is how long a process that closed its connection may take to end by itself.
const closeGrace = time.Second
