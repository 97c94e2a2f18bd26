package sandbox

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestPackagesAreWaitedFor: who waits for the packages waits no longer than he wants to, nothing is downloaded for nobody,
// and what failed is tried again.
func TestPackagesAreWaitedFor(t *testing.T) {
	s := open(t, Config{})
	begun, stopped := make(chan bool, 3), make(chan bool, 3)
	var quick atomic.Bool
	var asked atomic.Int32
	s.packages = func(ctx context.Context) string {
		if quick.Load() {
			if ctx.Err() == nil { // else it is left over from before
				asked.Add(1)
			}
			return ""
		}
		begun <- true
		<-ctx.Done()
		stopped <- true
		return ""
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for _, options := range []LoadOptions{{}, {}, {Alternate: true}} {
		go func() {
			_, _, err := s.Load(ctx, "# numpy\n"+trivial, options)
			ended <- err
		}()
	}
	<-begun
	cancel()
	for range 3 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	<-stopped
	quick.Store(true)
	for _, options := range []LoadOptions{{}, {}, {Alternate: true}} {
		if _, fault, err := s.Load(t.Context(), "# numpy\n"+trivial, options); fault != nil || err != nil {
			t.Error(fault, err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times for two servers", n)
	}
}

// TestCloseEndsPreparation: closing the sandbox ends the download that somebody waits for.
func TestCloseEndsPreparation(t *testing.T) {
	s := open(t, Config{})
	begun := make(chan bool, 1)
	s.packages = func(ctx context.Context) string {
		begun <- true
		<-ctx.Done()
		return ""
	}
	ended := make(chan error)
	go func() {
		_, _, err := s.Load(t.Context(), "# numpy\n"+trivial, LoadOptions{})
		ended <- err
	}()
	<-begun
	s.Close()
	if err := <-ended; !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}
