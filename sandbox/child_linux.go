//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func killPidfd(pidfd int) { unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0) } // it may be gone: that is fine

func closePidfd(pidfd int) {
	if pidfd >= 0 {
		unix.Close(pidfd)
	}
}

// pidOf returns the number by which we know the process.
func pidOf(pidfd int) (int, error) {
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(info)) {
		if value, found := strings.CutPrefix(line, "Pid:"); found {
			return strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return 0, fmt.Errorf("no process behind descriptor %d", pidfd)
}

// cpuTime returns the processor time that the process has used, by its clock. The process must not be reaped.
func cpuTime(pid int) time.Duration {
	if pid == 0 {
		return 0 // gVisor keeps the process
	}
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// queueTime returns how long the process has been ready to run without getting a processor.
func queueTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat))
	if len(fields) < 2 {
		return 0
	}
	ns, _ := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(ns)
}

// runnable reports whether the process runs or waits for a processor. The time of a wait that has not ended is not yet
// in queueTime.
func runnable(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // the name of the program is in parentheses
	return bytes.HasPrefix(rest, []byte("R"))
}

// unread reports whether bytes wait to be read on the connection, without consuming them.
func unread(conn syscall.RawConn) bool {
	waiting := false
	conn.Control(func(fd uintptr) {
		var one [1]byte
		n, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		waiting = err == nil && n > 0
	})
	return waiting
}

// describeExit names how a process ended.
func describeExit(status int) string {
	ws := syscall.WaitStatus(status)
	if ws.Signaled() {
		return "the process was ended by " + unix.SignalName(ws.Signal())
	}
	return fmt.Sprintf("the process exited with status %d", ws.ExitStatus())
}

// killed reports whether a process was ended by SIGKILL or SIGXCPU, which nobody inside sends.
func killed(status int) bool {
	ws := syscall.WaitStatus(status)
	return ws.Signaled() && (ws.Signal() == unix.SIGKILL || ws.Signal() == unix.SIGXCPU)
}

// outOfTime reports whether the kernel ended a process for its processor time. Its clock for that is not the one that
// it tells us.
func outOfTime(status int) bool {
	ws := syscall.WaitStatus(status)
	return ws.Signaled() && ws.Signal() == unix.SIGXCPU
}

// ended reports whether the process has ended, even if its fork server has not told yet.
func (c *child) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pidfd < 0 {
		return c.over
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}, 0)
	return err == nil && n == 1
}

// used returns the processor time of a process that has not ended, 0 of one that has.
func (c *child) used() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return 0
	}
	return cpuTime(c.pid)
}

// awaitEnd kills a process whose fork server is gone and waits until it has ended.
func (c *child) awaitEnd() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pidfd < 0 {
		return
	}
	killPidfd(c.pidfd)
	unix.Poll([]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}}, int(goneTimeout.Milliseconds()))
}
