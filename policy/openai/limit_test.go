package openai

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLimit: the bound grows with answers, shrinks once a round, and is never exceeded.
func TestLimit(t *testing.T) {
	l := newLimiter(0)
	for range 100 {
		round, err := l.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.release(round, true, false, 0)
	}
	if int(l.limit) != firstLimit+100 {
		t.Errorf("after 100 answers the bound is %v", l.limit)
	}
	rounds := make([]int, 100)
	for i := range rounds {
		rounds[i], _ = l.acquire(t.Context())
	}
	for _, round := range rounds { // all of them overload the server, but they were sent in one round
		l.release(round, false, true, 0)
	}
	if got := int(l.limit); got != 70 {
		t.Errorf("after one round of complaints the bound is %d, want 70", got)
	}
	for range 70 {
		round, _ := l.acquire(t.Context())
		l.release(round, true, false, 0)
	}
	if l.limit < 70.9 || l.limit > 71.1 {
		t.Errorf("a round of answers later the bound is %v, want 71", l.limit)
	}
	for range 1000 {
		round, _ := l.acquire(t.Context())
		l.release(round, false, true, 0)
	}
	if l.limit != 1 || l.inFlight != 0 {
		t.Errorf("the bound falls to %v, %d under way", l.limit, l.inFlight)
	}
}

// TestLimitGivenUp: a request that was given up before it asked takes no place, whether one is free or not.
func TestLimitGivenUp(t *testing.T) {
	l := newLimiter(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := l.acquire(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("a place was given: %v", err)
		}
	}
	round, err := l.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a place was given: %v", err)
	}
	l.release(round, true, false, 0)
	if l.inFlight != 0 || len(l.waiting) != 0 {
		t.Errorf("%d under way, %d waiting", l.inFlight, len(l.waiting))
	}
}

// TestLimitHolds: a wait that the server asks for also holds back those who waited for a place already, and who gives up
// in it gives the place back.
func TestLimitHolds(t *testing.T) {
	l := newLimiter(1)
	round, err := l.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waited := make(chan error, 1)
	go func() {
		_, err := l.acquire(ctx)
		waited <- err
	}()
	for queued := false; !queued; {
		l.mu.Lock()
		queued = len(l.waiting) == 1
		l.mu.Unlock()
		runtime.Gosched()
	}
	l.release(round, false, true, time.Hour)
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("it was sent within the hour: %v", err)
	}
	if l.inFlight != 0 || len(l.waiting) != 0 {
		t.Errorf("%d under way, %d waiting", l.inFlight, len(l.waiting))
	}
}

// TestLimitTogether: many at once never exceed a fixed bound, those that give up waiting take no place with them, and
// all others get through.
func TestLimitTogether(t *testing.T) {
	l := newLimiter(7)
	var now, through atomic.Int64
	var group sync.WaitGroup
	for i := range 500 {
		group.Go(func() {
			ctx := t.Context()
			if i%5 == 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithCancel(ctx)
				go cancel()
			}
			round, err := l.acquire(ctx)
			if err != nil {
				return
			}
			if n := now.Add(1); n > 7 {
				t.Errorf("%d at once", n)
			}
			through.Add(1)
			now.Add(-1)
			l.release(round, i%2 == 0, false, 0)
		})
	}
	group.Wait()
	if l.inFlight != 0 || len(l.waiting) != 0 || through.Load() < 400 {
		t.Errorf("%d under way, %d waiting, %d got through", l.inFlight, len(l.waiting), through.Load())
	}
}
