package sandbox

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A child is one jailed process as we see it from outside.
type child struct {
	id int64
	// source is the one that it was given to, none while it waits for one.
	source sourceID
	conn   *os.File
	pid    int
	// pidfd names the process even after its number is used again. mu guards it; it is -1 once reaped.
	mu    sync.Mutex
	pidfd int
	// stop ends a process that has no number and no descriptor here, because gVisor keeps it; nil otherwise.
	stop func()
	// over is set once the process has ended; mu guards it.
	over bool
	// exited is closed after exit has been set.
	exited chan struct{}
	exit   exit
	// release is called once, after the process has ended.
	release func()
	// meter is told the processor time of the process when it has ended; nil if nobody counts it.
	meter atomic.Pointer[atomic.Int64]
}

// exit is how a process ended, as the kernel told it.
type exit struct {
	// lost says that its fork server died, so that nothing is known.
	lost   bool
	status int
	cpu    time.Duration
}

// end records how the process ended. Only its fork server calls it, once.
func (c *child) end(e exit) {
	c.mu.Lock()
	c.exit = e
	closePidfd(c.pidfd)
	c.pidfd, c.over = -1, true
	release := c.release
	c.mu.Unlock()
	if meter := c.meter.Load(); meter != nil {
		meter.Add(int64(e.cpu))
	}
	if release != nil {
		release()
	}
	close(c.exited)
}

// onEnd has release called when the process ends, or now if it has ended.
func (c *child) onEnd(release func()) {
	c.mu.Lock()
	gone := c.over
	c.release = release
	c.mu.Unlock()
	if gone {
		release()
	}
}

// kill ends the process. It does not wait.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.over:
	case c.stop != nil:
		c.stop()
	case c.pidfd >= 0:
		killPidfd(c.pidfd)
	}
}

// discard ends the process and forgets it.
func (c *child) discard() {
	c.kill()
	c.conn.Close()
}
