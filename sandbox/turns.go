package sandbox

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// Turns decides which processes work. With many processes that are all ready, letting each do one step in turn would
// have every step start with cold caches and page tables. So only as many exchanges as there are processors are under
// way at a time, and a process whose next request is there as soon as it has answered goes on before the others, up
// to a number of times. An exchange that takes long gives its place to the next and goes on beside it, so that an
// environment that hangs keeps nobody waiting.
type turns struct {
	mu      sync.Mutex
	free    int
	queue   []*turn
	running []*turn
	// granted counts how often the queue has moved, ticks how often tick has looked at what is running.
	granted, ticks int
	ticking        bool
}

// turn is the part of a process in it.
type turn struct {
	ready chan struct{}
	// streak counts its exchanges since it came out of the queue.
	streak int
	// granted is what the queue's counter was when its last exchange ended.
	granted int
	// started is the tick in which its exchange began; late says that its place was given away.
	started int
	late    bool
}

const (
	// streakLimit is how many exchanges a process may make while others wait.
	streakLimit = 64
	// tickLength is how often exchanges are looked at while others wait; one that sees two ticks is late.
	tickLength = 5 * time.Millisecond
)

func newTurns(places int) *turns { return &turns{free: places} }

func newTurn() turn { return turn{ready: make(chan struct{}, 1), granted: -1} }

// take waits until n may make an exchange.
func (t *turns) take(n *turn) {
	t.mu.Lock()
	warm := n.granted == t.granted && n.streak < streakLimit
	if t.free > 0 && (len(t.queue) == 0 || warm) {
		t.start(n)
		t.mu.Unlock()
		return
	}
	n.streak = 0
	t.queue = append(t.queue, n)
	t.grant()
	if !t.ticking && len(t.queue) > 0 {
		t.ticking = true
		time.AfterFunc(tickLength, t.tick)
	}
	t.mu.Unlock()
	<-n.ready
}

func (t *turns) start(n *turn) {
	t.free--
	n.streak++
	n.started, n.late = t.ticks, false
	t.running = append(t.running, n)
}

// grant lets those in front of the queue start, as many as there are places.
func (t *turns) grant() {
	for t.free > 0 && len(t.queue) > 0 {
		n := t.queue[0]
		t.queue = slices.Delete(t.queue, 0, 1)
		t.granted++
		t.start(n)
		n.ready <- struct{}{}
	}
}

// leave says that the exchange of n has ended.
func (t *turns) leave(n *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.running, n)
	t.running = slices.Delete(t.running, at, at+1)
	if !n.late {
		t.free++
	}
	n.granted = t.granted
	if len(t.queue) > 0 {
		go t.pass()
	}
}

// pass moves the queue after those who were just answered had the chance to come back.
func (t *turns) pass() {
	runtime.Gosched()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grant()
}

// tick gives the places of late exchanges away.
func (t *turns) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ticks++
	for _, n := range t.running {
		if !n.late && t.ticks-n.started >= 2 {
			n.late = true
			t.free++
		}
	}
	t.grant()
	if t.ticking = len(t.queue) > 0; t.ticking {
		time.AfterFunc(tickLength, t.tick)
	}
}
