package sandbox

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"spade"
)

// A Program is one source that is played many times: it makes instances and the processes that they need. It is
// safe for concurrent use.
type Program struct {
	sandbox *Sandbox
	source  string
	packed  bool
	// whole is the program that this one plays alone for, nil if it is one of its own; its processes count there.
	whole *Program
	// ended is the processor time of its processes that have ended, in nanoseconds.
	ended atomic.Int64

	mu     sync.Mutex
	closed bool
	shared *Process
	made   map[*Process]bool
}

// Program returns a program of source. If packed, its instances share one process; a process that died is replaced
// for later instances. If not, every instance has a process of its own.
func (s *Sandbox) Program(source string, packed bool) *Program {
	return &Program{sandbox: s, source: source, packed: packed, made: map[*Process]bool{}}
}

// Alone returns a program of the same source whose instances have a process of their own each. What its processes use
// counts against the processor time of p, as those of one environment.
func (p *Program) Alone() *Program {
	alone := p.sandbox.Program(p.source, false)
	alone.whole = p
	return alone
}

// Adopt takes over a process that has the same source loaded: the first instance will use it.
func (p *Program) Adopt(process *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.shared != nil {
		process.Close()
		return
	}
	p.shared = process
	p.keep(process)
}

// Instance constructs the class once more; see [Process.New] for maxTurns.
func (p *Program) Instance(ctx context.Context, maxTurns int) (*Instance, *Fault, error) {
	process, fault, err := p.process(ctx)
	if fault != nil || err != nil {
		return nil, fault, err
	}
	instance, fault, err := process.New(ctx, maxTurns)
	if p.packed {
		return instance, fault, err
	}
	if fault != nil || err != nil {
		p.drop(process)
		return nil, fault, err
	}
	instance.program = p
	return instance, nil, nil
}

// process returns the process for the next instance.
func (p *Program) process(ctx context.Context) (*Process, *Fault, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errClosed
	}
	if used, limit := p.used(), p.sandbox.config.Limits.Environment; used >= limit {
		return nil, &Fault{Outcome: spade.CPULimit, Phase: "construct", CPU: used,
			Message: fmt.Sprintf("the processor time of %v for all processes of an environment is used up", limit)}, nil
	}
	if p.shared != nil && p.shared.Alive() {
		process := p.shared
		if !p.packed {
			p.shared = nil // adopted, and for one instance only
		}
		return process, nil, nil
	}
	if p.packed {
		process, fault, err := p.sandbox.Load(ctx, p.source, LoadOptions{})
		if process != nil {
			p.shared = process
			clear(p.made)
			p.keep(process)
		}
		return process, fault, err
	}
	p.mu.Unlock()
	process, fault, err := p.sandbox.Load(ctx, p.source, LoadOptions{})
	p.mu.Lock()
	if process == nil {
		return nil, fault, err
	}
	if p.closed {
		process.Close()
		return nil, nil, errClosed
	}
	p.keep(process)
	return process, nil, nil
}

// keep notes a process of the program.
func (p *Program) keep(process *Process) {
	p.made[process] = true
	if p.whole != nil {
		process.child.meter.Store(&p.whole.ended)
		return
	}
	process.child.meter.Store(&p.ended)
}

// used returns the processor time of all its processes, and of those that it plays alone for. That of one that runs in
// gVisor is known when it has ended.
func (p *Program) used() time.Duration {
	total := time.Duration(p.ended.Load())
	if p.whole != nil {
		p.whole.mu.Lock()
		total += p.whole.used()
		p.whole.mu.Unlock()
	}
	for process := range p.made {
		total += process.child.used()
	}
	return total
}

// drop ends a process that no instance needs any more.
func (p *Program) drop(process *Process) {
	p.mu.Lock()
	delete(p.made, process)
	p.mu.Unlock()
	process.Close()
}

// Close ends every process of the program.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for process := range p.made {
		process.Close()
	}
	p.made = nil
	return nil
}

// Packed reports whether the program's instances share one process, so that one of them may be hurt by another.
func (p *Program) Packed() bool { return p.packed }
