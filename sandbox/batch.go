package sandbox

import (
	"context"
	"time"
)

// A Batch is a list of operations for one process, which go to it in as few exchanges as can be. They are performed in
// their order, and do what single calls do. Only their time differs: each exchange as a whole has that of one step, so
// that a batch is for environments that have shown themselves quick. A batch of one operation has the time of a call.
//
// After a fault, or a step that ended the episode, an instance's further steps and solutions are left out up to its next
// reset. So episodes whose actions are known can be asked for as a whole.
//
// If the process is ended, all that has not been answered has that fault: which operation it was cannot be told.
type Batch struct {
	process  *Process
	requests []*request
	settles  []func()
}

// A Reply is what came of one operation, once its batch is done.
type Reply[T any] struct {
	Value T
	Fault *Fault
	// LeftOut says that the operation was not performed.
	LeftOut bool
}

// Batch returns an empty list of operations.
func (p *Process) Batch() *Batch { return &Batch{process: p} }

// Len is the number of operations so far.
func (b *Batch) Len() int { return len(b.requests) }

// New constructs the class, as [Process.New] does. Where that fails, each operation on the instance has the fault.
func (b *Batch) New(maxTurns int) *Instance {
	i := b.process.instance()
	r := b.add(i, opNew, "", int64(maxTurns), i.limits().Load)
	b.settles = append(b.settles, func() { i.broken = i.made(r) })
	return i
}

// Reset starts an episode with the seed.
func (b *Batch) Reset(i *Instance, seed int64) *Reply[Observation] {
	reply := &Reply[Observation]{}
	r := b.add(i, opReset, "", seed, i.limits().Reset)
	b.settles = append(b.settles, func() {
		i.spent = 0
		if reply.Fault = i.failure(r); reply.Fault == nil {
			reply.Value, reply.Fault = i.observation(&r.answer)
		}
	})
	return reply
}

// Solution asks the class for its solution in the state that the instance is in by then.
func (b *Batch) Solution(i *Instance) *Reply[Solution] {
	return addTimed(b, i, opSolution, "", i.solution)
}

// Step passes an action to the environment as it is.
func (b *Batch) Step(i *Instance, action string) *Reply[Step] {
	return addTimed(b, i, opStep, action, i.step)
}

// Close forgets the instance.
func (b *Batch) Close(i *Instance) {
	if i.closed {
		return
	}
	i.closed = true
	b.add(i, opClose, "", 0, i.limits().Step)
}

// addTimed adds an operation that counts as time of the episode; read makes its value of the answer.
func addTimed[T any](b *Batch, i *Instance, k kind, text string, read func(*answer) (T, *Fault)) *Reply[T] {
	reply := &Reply[T]{}
	if reply.Fault = i.overdue(k); reply.Fault != nil {
		return reply
	}
	r := b.add(i, k, text, 0, i.limits().Step)
	b.settles = append(b.settles, func() {
		i.spent += r.took
		reply.Fault, reply.LeftOut = i.failure(r), r.leftOut
		if reply.Fault == nil && !r.leftOut {
			reply.Value, reply.Fault = read(&r.answer)
		}
	})
	return reply
}

func (b *Batch) add(i *Instance, k kind, text string, value int64, limit time.Duration) *request {
	r := &request{kind: k, number: i.number, text: text, value: value, limit: limit, turn: make(chan bool, 1)}
	b.requests = append(b.requests, r)
	return r
}

// Do performs the operations, of which there is at least one. It is called once. Ending ctx ends the process.
func (b *Batch) Do(ctx context.Context) error {
	var over ended
	for rest := b.requests; len(rest) > 0; {
		next := rest[:min(len(rest), b.process.sandbox.batch)]
		rest = rest[len(next):]
		frame := make([]*request, 0, len(next))
		for _, r := range next {
			if r.kind == opReset {
				delete(over, r.number) // what follows a reset in the frame is for the harness to leave out
			}
			if r.leftOut = over.leavesOut(r); !r.leftOut {
				frame = append(frame, r)
			}
		}
		if len(b.requests) > 1 {
			for _, r := range frame {
				r.limit = b.process.sandbox.config.Limits.Step / time.Duration(len(frame))
			}
		}
		if err := b.process.do(ctx, frame...); err != nil {
			return err
		}
		for _, r := range frame {
			over.note(r)
		}
	}
	for _, settle := range b.settles {
		settle()
	}
	return nil
}

// ended holds the numbers of instances whose further steps and solutions are left out.
type ended map[int]bool

func (e ended) leavesOut(r *request) bool {
	return e[r.number] && (r.kind == opStep || r.kind == opSolution)
}

// note takes account of what came of r.
func (e *ended) note(r *request) {
	switch {
	case r.leftOut:
	case r.fault != nil, r.kind == opStep && (r.answer.flags[0] || r.answer.flags[1]):
		if *e == nil {
			*e = ended{}
		}
		(*e)[r.number] = true
	case r.kind == opReset:
		delete(*e, r.number)
	}
}
