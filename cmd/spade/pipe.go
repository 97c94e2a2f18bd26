package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// unread is an output that may lose its reader, as in "spade check *.py | head -1". What nobody reads is
// dropped; the command goes on, since its exit status still answers.
type unread struct {
	io.Writer
	lost atomic.Bool
}

func (u *unread) Write(p []byte) (int, error) {
	n, err := u.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		u.lost.Store(true)
		return len(p), nil
	}
	return n, err
}

// errUnread ends a run, whose answer is what it writes, once nobody reads that any more.
var errUnread = errors.New("nobody reads the output any more")

// endIfUnread ends a run whose standard output or error, each an *unread, has lost its reader.
func endIfUnread(end context.CancelCauseFunc, outputs ...io.Writer) {
	for _, output := range outputs {
		if u, ok := output.(*unread); ok && u.lost.Load() {
			end(errUnread)
		}
	}
}

// keepWriting makes a write to a pipe without a reader an error, on which Go programs otherwise end by signal where it
// is the standard output or error. The signal is taken rather than ignored, because children would inherit that.
func keepWriting() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
