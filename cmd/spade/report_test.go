package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"spade"
)

// TestReportInterrupted: what fails because of an interrupt gives no advice of its own.
func TestReportInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{spade.Errorf(spade.ByMachine, "install Python", "looking for Python: %w", context.Canceled), "spade: interrupted\n"},
		{spade.Errorf(spade.ByUser, "Go on.", "run: %w", errors.Join(errInterrupted, context.Canceled)), "spade: interrupted\nnext: go on\n"},
	} {
		var stderr strings.Builder
		if status := report(&stderr, ctx, c.err); status != exitSignal || stderr.String() != c.want {
			t.Errorf("status %d, %q, want %q", status, stderr.String(), c.want)
		}
	}
}
