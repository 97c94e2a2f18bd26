package sandbox

import (
	"errors"
	"os"
	"time"
)

// A watch reads from and writes to a process and follows its clocks during one exchange.
type watch struct {
	child      *child
	limit      time.Duration
	began      time.Time
	deadline   time.Time
	cpu        time.Duration
	extensions int
	// armed is when the connection wakes us. It is often before the deadline, because setting it again is dearer
	// than being woken too early once in a while. queued is how long the process had waited for a processor when it
	// was set, which was before this exchange began or then.
	armed  time.Time
	queued time.Duration
	// rested is the processor time that the process had used when its last answer was there, 0 before the first.
	rested time.Duration
}

const (
	// maxExtensions bounds how often a process that waits for a processor gets more time.
	maxExtensions = 4
	// lookTime is how long a late process is looked at to tell whether it waits for a processor.
	lookTime = 100 * time.Millisecond
	// restLimit is how long a process may compute after its answer and before the next request.
	restLimit = 500 * time.Millisecond
)

func (w *watch) begin(child *child, limit time.Duration) {
	now := time.Now()
	w.child, w.limit, w.began, w.deadline, w.extensions = child, limit, now, now.Add(limit), 0
	if w.armed.Before(now) || w.armed.After(w.deadline) {
		w.arm(w.deadline)
		w.queued = queueTime(child.pid)
	}
	w.cpu = cpuTime(child.pid)
}

// end notes that the exchange is over.
func (w *watch) end() { w.rested = cpuTime(w.child.pid) }

// restless returns how long the process has computed between its last answer and the present request.
func (w *watch) restless() time.Duration {
	if w.rested == 0 {
		return 0
	}
	return w.cpu - w.rested
}

// elapsed returns how long the exchange has taken, without the time that the process was given for a busy machine.
func (w *watch) elapsed() time.Duration { return min(time.Since(w.began), w.limit) }

// postpone leaves time out that we have kept the process waiting.
func (w *watch) postpone(d time.Duration) {
	w.began, w.deadline = w.began.Add(d), w.deadline.Add(d)
}

func (w *watch) arm(at time.Time) {
	w.armed = at
	w.child.conn.SetDeadline(at)
}

// early reports whether err is the connection waking us before the deadline, and has it wake us then.
func (w *watch) early(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(w.deadline) {
		return false
	}
	w.arm(w.deadline)
	return true
}

// used returns the processor time spent in this exchange.
func (w *watch) used() time.Duration { return cpuTime(w.child.pid) - w.cpu }

// busy reports whether the process has computed for most of its time.
func (w *watch) busy() bool { return w.used() >= w.limit/2 }

// starved reports whether the process may have missed its deadline for want of a processor.
func (w *watch) starved() bool {
	return runnable(w.child.pid) || w.used()+queueTime(w.child.pid)-w.queued >= w.limit/2
}

// wanted is the time that the process has computed or waited for a processor, in its whole life.
func (w *watch) wanted() time.Duration { return queueTime(w.child.pid) + cpuTime(w.child.pid) }

func (w *watch) Write(b []byte) (int, error) {
	done := 0
	for {
		n, err := w.child.conn.Write(b[done:])
		if done += n; !w.early(err) {
			return done, err
		}
	}
}

// Read reads from the process. At the deadline a process that has not had much of a processor and wants one gets
// more time, so that the load of this machine does not decide about environments.
func (w *watch) Read(b []byte) (int, error) {
	for {
		n, err := w.child.conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if w.early(err) {
			continue
		}
		if w.busy() || !w.starved() || w.extensions == maxExtensions {
			return 0, err
		}
		before := w.wanted()
		w.arm(time.Now().Add(lookTime))
		if n, again := w.child.conn.Read(b); n > 0 || !errors.Is(again, os.ErrDeadlineExceeded) {
			return n, again
		}
		if w.wanted()-before < lookTime/2 && !runnable(w.child.pid) {
			return 0, err
		}
		w.extensions++
		w.deadline = time.Now().Add(w.limit)
		w.arm(w.deadline)
	}
}
