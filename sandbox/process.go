package sandbox

import (
	"context"
	"fmt"
	"sync"
	"syscall"

	"spade"
)

// A Process is one jailed process with one source loaded. Several instances of the source may live in it; their
// requests are served one after the other, those that wait at the same time in one exchange. It is safe for
// concurrent use.
type Process struct {
	sandbox *Sandbox
	child   *child
	raw     syscall.RawConn
	source  string
	id      sourceID

	// What the exchange under way uses: the frame that goes out, the answer, and the clocks.
	frame, buffer []byte
	watch         watch
	// held is how much is reserved for a long answer.
	held int64
	// turn is its part in the sandbox's turns.
	turn turn

	class    string
	kind     spade.Kind
	solution bool

	mu sync.Mutex
	// waiting are requests that go out with the next exchange, batch those of the last; busy says that one is
	// under way.
	waiting, batch []*request
	busy           bool
	// fault says why the process is dead; nil while it lives.
	fault   *Fault
	printed []byte
	next    int
}

// Load starts a jailed process, compiles and runs source in it and chooses its class. It waits for a free process
// if as many as the configuration allows are in use. Ending ctx ends the process under way.
func (s *Sandbox) Load(ctx context.Context, source string, options LoadOptions) (*Process, *Fault, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	id := identify(source)
	f := flavour{heavy: usesPackages.MatchString(source), alternate: options.Alternate, owner: s.suspects.owner(id)}
	s.enter(f)
	free := func() {
		s.leave(f)
		<-s.slots
	}
	verdict := s.suspects.verdict(id, "load")
	if verdict != nil {
		free()
		return nil, verdict, nil
	}
	c, err := s.acquire(ctx, f, id)
	if err != nil {
		free()
		if verdict = s.suspects.verdict(id, "load"); verdict != nil {
			err = nil
		}
		return nil, verdict, err
	}
	c.onEnd(free)
	p := &Process{sandbox: s, child: c, source: source, id: id, buffer: make([]byte, frameBuffer), turn: newTurn()}
	if p.raw, err = c.conn.SyscallConn(); err != nil {
		c.discard()
		return nil, nil, fmt.Errorf("watching a process: %w", err)
	}
	fault, err := p.load(ctx)
	if fault != nil || err != nil {
		p.Close()
		return nil, fault, err
	}
	return p, nil, nil
}

// acquire returns a fresh process of a flavour for a source. If its server died meanwhile, another one is started once.
func (s *Sandbox) acquire(ctx context.Context, f flavour, id sourceID) (*child, error) {
	var err error
	for range 2 {
		var server *server
		if server, err = s.server(ctx, f); err != nil {
			break
		}
		var c *child
		if c, err = server.acquire(ctx, id); err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, spade.Errorf(spade.BySandbox, "Run spade doctor.", "getting a jailed process: %w", err)
}

func (p *Process) load(ctx context.Context) (*Fault, error) {
	r := &request{kind: opLoad, text: p.source, limit: p.sandbox.config.Limits.Load, turn: make(chan bool, 1)}
	if err := p.do(ctx, r); r.fault != nil || err != nil {
		return r.fault, err
	}
	p.class, p.kind, p.solution = oneLine(r.answer.texts[0]), spade.Kind(r.answer.texts[1]), r.answer.flags[0]
	if p.kind != spade.Game && p.kind != spade.ToolUse {
		return p.violate("load"), nil
	}
	return nil, nil
}

// Class returns the name of the Python class that was chosen.
func (p *Process) Class() string { return p.class }

// Kind returns the form of interaction of the class.
func (p *Process) Kind() spade.Kind { return p.kind }

// HasSolution reports whether the class has a method solution.
func (p *Process) HasSolution() bool { return p.solution }

// Alive reports whether the process still answers.
func (p *Process) Alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault == nil
}

// Spent returns the share of the processor time of its life that the process has used: 0 once it has ended, and in
// gVisor, where its clock cannot be read.
func (p *Process) Spent() float64 {
	return float64(p.child.used()) / float64(p.sandbox.config.Limits.CPU)
}

// Printed returns the first 64 KiB of what the environment printed while it was loaded and used, fit for a
// terminal.
func (p *Process) Printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return printable(string(p.printed))
}

// Close ends the process and with it all its instances. It does not wait for the end.
func (p *Process) Close() error {
	p.die(&Fault{Outcome: spade.SandboxError, Message: "the process was closed"})
	return nil
}

// die kills the process; later requests get fault. It returns the fault of its first death.
func (p *Process) die(fault *Fault) *Fault {
	p.mu.Lock()
	if p.fault == nil {
		p.fault = fault
	}
	fault = p.fault
	p.mu.Unlock()
	p.child.discard()
	return fault
}

// violate kills a process that answered what no harness of ours answers.
func (p *Process) violate(phase string) *Fault {
	fault := *p.die(&Fault{Outcome: spade.ProtocolViolation, Message: "the process answered out of form"})
	fault.Phase = phase
	return &fault
}
