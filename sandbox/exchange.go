package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"spade"
)

// A request is one operation on its way to a process and back.
type request struct {
	op    operation
	limit time.Duration
	// turn is sent true if the request has become the first of those that wait, and so must make the next
	// exchange; false once it has been answered.
	turn chan bool

	value any
	fault *Fault
}

// operation is [kind, instance, argument] in JSON, as the harness reads it.
type operation [3]any

func (r *request) kind() string { return r.op[0].(string) }

// phases names what was asked, by kind of operation.
var phases = map[string]string{
	"load": "load", "new": "construct", "reset": "reset", "step": "step", "solution": "solution", "close": "close",
}

// batchLimit is how many operations one exchange carries.
const batchLimit = 64

// do performs one operation. Whoever comes first makes the exchange for all who wait; those who come while it is
// under way wait for the next one. Ending ctx ends the process.
func (p *Process) do(ctx context.Context, kind string, number int, argument any, limit time.Duration) (any, *Fault, error) {
	r := &request{op: operation{kind, number, argument}, limit: limit, turn: make(chan bool, 1)}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { p.die(&Fault{Outcome: spade.SandboxError, Message: "cancelled"}) })
		defer stop()
	}
	p.mu.Lock()
	p.waiting = append(p.waiting, r)
	first := !p.busy
	p.busy = true
	p.mu.Unlock()
	if first || <-r.turn {
		p.lead()
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return r.value, r.fault, nil
}

// lead makes one exchange for all that wait and hands the lead on. The caller's own request is among them.
func (p *Process) lead() {
	p.mu.Lock()
	batch := p.waiting
	if len(batch) > batchLimit {
		batch, p.waiting = batch[:batchLimit:batchLimit], p.waiting[batchLimit:]
	} else {
		p.waiting = nil
	}
	fault := p.fault
	p.mu.Unlock()

	if fault == nil {
		fault = p.exchange(batch)
	}
	for i, r := range batch {
		if fault != nil {
			own := *fault
			own.Phase = phases[r.kind()]
			r.value, r.fault = nil, &own
		}
		if i > 0 {
			r.turn <- false
		}
	}
	p.mu.Lock()
	if len(p.waiting) > 0 {
		p.waiting[0].turn <- true
	} else {
		p.busy = false
	}
	p.mu.Unlock()
}

// exchange sends the batch and fills in the answers. It returns a fault if the process did not survive it.
func (p *Process) exchange(batch []*request) *Fault {
	if unread(p.raw) {
		return p.die(&Fault{Outcome: spade.ProtocolViolation, Message: errUnasked.Error()})
	}
	nonce := strconv.FormatUint(rand.Uint64(), 16) // nothing that is kept depends on it
	limit := time.Duration(0)
	ops := make([]operation, len(batch))
	for i, r := range batch {
		ops[i], limit = r.op, limit+r.limit
	}
	frame, err := json.Marshal(struct {
		Nonce string      `json:"nonce"`
		Ops   []operation `json:"ops"`
	}{nonce, ops})
	if err != nil {
		return p.die(&Fault{Outcome: spade.SandboxError, Message: err.Error()})
	}
	watch := p.watch(limit)
	data, err := p.roundTrip(frame, len(batch), watch)
	if err != nil {
		return p.die(p.explain(err, watch))
	}
	if err := p.accept(data, nonce, batch); err != nil {
		return p.die(&Fault{Outcome: spade.ProtocolViolation, Message: oneLine(err.Error())})
	}
	return nil
}

// watch follows the clocks of the process during one exchange.
type watch struct {
	p          *Process
	limit      time.Duration
	cpu        time.Duration
	extensions int
}

const (
	// maxExtensions bounds how often a process that waits for a processor gets more time.
	maxExtensions = 4
	// lookTime is how long a late process is looked at to tell whether it waits for a processor.
	lookTime = 100 * time.Millisecond
)

func (p *Process) watch(limit time.Duration) *watch {
	p.child.conn.SetDeadline(time.Now().Add(limit))
	return &watch{p: p, limit: limit, cpu: cpuTime(p.child.pid)}
}

// used returns the processor time spent in this exchange.
func (w *watch) used() time.Duration { return cpuTime(w.p.child.pid) - w.cpu }

// busy reports whether the process has computed for most of its time.
func (w *watch) busy() bool { return w.used() >= w.limit/2 }

// Read reads from the process. At the deadline a process that has not had much of a processor and wants one gets
// more time, so that the load of this machine does not decide about environments.
func (w *watch) Read(b []byte) (int, error) {
	conn := w.p.child.conn
	for {
		n, err := conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || w.busy() || w.extensions == maxExtensions {
			return n, err
		}
		before := w.wanted()
		conn.SetDeadline(time.Now().Add(lookTime))
		if n, again := conn.Read(b); n > 0 || !errors.Is(again, os.ErrDeadlineExceeded) {
			return n, again
		}
		if w.wanted()-before < lookTime/2 {
			return 0, err
		}
		w.extensions++
		conn.SetDeadline(time.Now().Add(w.limit))
	}
}

// wanted is the time that the process has computed or waited for a processor, in its whole life.
func (w *watch) wanted() time.Duration { return queueTime(w.p.child.pid) + cpuTime(w.p.child.pid) }

func (p *Process) roundTrip(frame []byte, operations int, w *watch) ([]byte, error) {
	out := binary.BigEndian.AppendUint32(make([]byte, 0, headerSize+len(frame)), uint32(len(frame)))
	if _, err := p.child.conn.Write(append(out, frame...)); err != nil {
		return nil, err
	}
	return readFrame(w, p.buffer, operations*p.sandbox.config.Limits.frame()+printedLimit)
}

// goneTimeout bounds the wait for the kernel's word on how a process ended.
const goneTimeout = 5 * time.Second

// explain says why an exchange failed.
func (p *Process) explain(err error, w *watch) *Fault {
	var size errFrameSize
	var spoke violation
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return p.timedOut(w)
	case errors.As(err, &size):
		return &Fault{Outcome: spade.OutputLimit, Message: err.Error()}
	case errors.As(err, &spoke):
		return &Fault{Outcome: spade.ProtocolViolation, Message: err.Error()}
	case errors.Is(err, os.ErrClosed):
		return &Fault{Outcome: spade.SandboxError, Message: "the process was closed"}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return p.gone()
	}
	return &Fault{Outcome: spade.SandboxError, Message: err.Error()}
}

// timedOut tells a process that computes from one that waits.
func (p *Process) timedOut(w *watch) *Fault {
	used := w.used()
	f := &Fault{Outcome: spade.WallTimeout, CPU: used, Message: fmt.Sprintf("no answer within %v", w.limit)}
	if w.busy() {
		f.Outcome = spade.CPULimit
		f.Message = fmt.Sprintf("no answer within %v, busy all the time", w.limit)
	}
	return f
}

// gone explains the end of the conversation from how the process ended. A process that merely closed its end is
// killed, which looks the same from here on.
func (p *Process) gone() *Fault {
	closedOnly := false
	select {
	case <-p.child.exited:
	case <-time.After(closeGrace):
		closedOnly = true
		p.child.kill()
		select {
		case <-p.child.exited:
		case <-time.After(goneTimeout):
			return &Fault{Outcome: spade.SandboxError, Message: "a killed process does not end"}
		}
	}
	e := p.child.exit
	switch {
	case e.lost:
		return &Fault{Outcome: spade.SandboxError, Message: "the fork server ended"}
	case closedOnly:
		return &Fault{Outcome: spade.EnvExit, Message: "the process closed its connection"}
	case killed(e.status) && e.cpu >= p.sandbox.config.Limits.CPU:
		return &Fault{Outcome: spade.CPULimit, CPU: e.cpu,
			Message: fmt.Sprintf("the processor time of %v is used up", p.sandbox.config.Limits.CPU)}
	case killed(e.status):
		return &Fault{Outcome: spade.MemoryLimit, Message: "the system ended the process, most likely for its memory"}
	}
	return &Fault{Outcome: spade.EnvExit, Message: describeExit(e.status)}
}

// closeGrace is how long a process that closed its connection may take to end by itself.
const closeGrace = time.Second

// accept reads the answer and hands out its results.
func (p *Process) accept(data []byte, nonce string, batch []*request) error {
	value, err := decodeStrict(data)
	if err != nil {
		return err
	}
	answer, ok := value.(map[string]any)
	if !ok || answer["nonce"] != nonce {
		return violation("an answer that was not asked for")
	}
	printed, ok := answer["printed"].(string)
	results, ok2 := answer["results"].([]any)
	if !ok || !ok2 || len(results) != len(batch) || len(answer) != 3 {
		return violation("an answer out of form")
	}
	p.keep(printed)
	for i, r := range batch {
		result, ok := results[i].(map[string]any)
		if !ok || len(result) != 1 {
			return violation("a result out of form")
		}
		if value, ok := result["ok"]; ok {
			r.value = value
			continue
		}
		if r.fault, err = readFault(result["fault"], phases[r.kind()]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Process) keep(printed string) {
	if printed == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := printedLimit - len(p.printed); len(printed) > room {
		printed = printed[:room]
	}
	p.printed = append(p.printed, printed...)
}

// readFault reads [outcome, phase, message, trace]. The phase is ours to know, except that loading begins with
// reading the syntax.
func readFault(value any, phase string) (*Fault, error) {
	fields, ok := value.([]any)
	if !ok || len(fields) != 4 {
		return nil, violation("a fault out of form")
	}
	var texts [4]string
	for i, field := range fields {
		if texts[i], ok = field.(string); !ok {
			return nil, violation("a fault out of form")
		}
	}
	outcome, known := outcomes[texts[0]]
	if !known {
		return nil, violation("a fault of unknown kind")
	}
	if phase == "load" && texts[1] == "syntax" {
		phase = "syntax"
	}
	return &Fault{Outcome: outcome, Phase: phase, Message: oneLine(texts[2]), Trace: cut(texts[3], traceLimit)}, nil
}
