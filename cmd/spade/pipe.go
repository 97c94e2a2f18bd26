package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// unread is a standard output that may lose its reader, as in "spade check *.py | head -1". What nobody reads is
// dropped; the command goes on, since its exit status still answers.
type unread struct{ io.Writer }

func (u unread) Write(p []byte) (int, error) {
	n, err := u.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return len(p), nil
	}
	return n, err
}

// keepWriting makes a write to a pipe without a reader an error, on which Go programs otherwise end by signal where it
// is the standard output or error. The signal is taken rather than ignored, because children would inherit that.
func keepWriting() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
