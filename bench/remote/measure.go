package remote

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"spade/bench"
)

// measurement is one run of a Bench.
type measurement struct {
	bench  *Bench
	loop   *loop
	server *server
	python *pattern

	// jails are the processes of the sandbox.
	jails        []int
	ours, theirs []spent
	profile      bytes.Buffer
	// heap is what a waiting episode holds in heap and stacks, resident by what the process has grown for it, both in
	// bytes.
	heap, resident float64
}

// pairs measures both sides alternately, and leaves all episodes waiting for their answers.
func (m *measurement) pairs(ctx context.Context) error {
	// Every request that is answered opens the bound on requests by one; episodes of all ages are there after one
	// length of an episode.
	m.bench.Progress("letting the episodes come to different turns")
	if err := m.loop.reach(ctx, int64(m.bench.Episodes*(maxTurns+1))); err != nil {
		return err
	}
	if err := m.hold(ctx); err != nil {
		return err
	}
	for _, pid := range bench.Children(os.Getpid()) {
		if pid != m.server.pid() && pid != m.python.pid() {
			m.jails = append(append(m.jails, pid), bench.Children(pid)...)
		}
	}
	if err := pprof.StartCPUProfile(&m.profile); err != nil {
		return fmt.Errorf("profile the loop: %w", err)
	}
	defer pprof.StopCPUProfile()
	for n := range m.bench.Pairs {
		m.bench.Progress(fmt.Sprintf("pair %d of %d", n+1, m.bench.Pairs))
		sides := []func(context.Context) error{m.measureLoop, m.measurePython}
		for i := range sides {
			if err := sides[(i+n)%2](ctx); err != nil { // who is first changes
				return err
			}
		}
	}
	return nil
}

func (m *measurement) measureLoop(ctx context.Context) error {
	m.server.release()
	if err := m.loop.during(ctx, m.bench.Settle); err != nil {
		return err
	}
	from := m.now()
	if err := m.loop.during(ctx, m.bench.Span); err != nil {
		return err
	}
	m.ours = append(m.ours, m.now().minus(from))
	return m.hold(ctx)
}

func (m *measurement) measurePython(context.Context) error {
	s, err := m.python.measure(m.bench.Settle, m.bench.Span)
	m.theirs = append(m.theirs, s)
	return err
}

// hold has the server keep its answers back and waits until every episode waits for one.
func (m *measurement) hold(ctx context.Context) error {
	m.server.hold()
	for before := int64(-1); before != m.loop.turns(); {
		before = m.loop.turns()
		if err := m.loop.during(ctx, 2*m.bench.Delay); err != nil {
			return err
		}
	}
	return nil
}

// spent is what passed in a time, or had passed at a moment: turns, and seconds of processor time.
type spent struct {
	turns, seconds float64
	// own, server, jails and python are what this process, the server, the processes of the sandbox and Python used; idle
	// is what nobody used of machine, which is all there is.
	own, server, jails, python, idle, machine float64
}

func (s spent) rate() float64 { return s.turns / s.seconds }

func (s spent) plus(t spent) spent {
	return spent{s.turns + t.turns, s.seconds + t.seconds, s.own + t.own, s.server + t.server, s.jails + t.jails,
		s.python + t.python, s.idle + t.idle, s.machine + t.machine}
}

func (s spent) minus(t spent) spent {
	return spent{s.turns - t.turns, s.seconds - t.seconds, s.own - t.own, s.server - t.server, s.jails - t.jails,
		s.python - t.python, s.idle - t.idle, s.machine - t.machine}
}

var started = time.Now()

func (m *measurement) now() spent {
	s := spent{turns: float64(m.loop.turns()), seconds: time.Since(started).Seconds(),
		own: bench.ProcessorTime(os.Getpid()).Seconds(), server: bench.ProcessorTime(m.server.pid()).Seconds()}
	for _, pid := range m.jails {
		s.jails += bench.ProcessorTime(pid).Seconds()
	}
	s.idle, s.machine = machine()
	return s
}

// machine returns what all processors have idled and what they could have worked, in seconds.
func machine() (idle, all float64) {
	const tick = 100 // user programs see so many a second
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	for i, field := range strings.Fields(line)[1:] {
		n, _ := strconv.ParseFloat(field, 64)
		if i < 8 { // what guests use is counted in user time already
			all += n / tick
		}
		if i == 3 || i == 4 {
			idle += n / tick
		}
	}
	return idle, all
}

// memory is in bytes: heap and stacks in use, and what the process has in memory.
type memory struct{ heap, resident int64 }

// inUse returns what is in use after a collection.
func inUse() memory {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	m := memory{heap: int64(s.HeapInuse + s.StackInuse)}
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			m.resident = pages * int64(os.Getpagesize())
		}
	}
	return m
}
