package sandbox

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestTurnsInDepth: a process that comes back at once goes on before those that wait, until its streak is over.
func TestTurnsInDepth(t *testing.T) {
	turns, a, b := newTurns(1), newTurn(), newTurn()
	turns.ticking = true // which it is not: nobody becomes late here
	turns.take(&a)
	turns.leave(&a)
	turns.queue = append(turns.queue, &b)
	turns.take(&a) // would block if b went first
	a.streak = streakLimit
	turns.leave(&a)
	done := make(chan bool)
	go func() {
		turns.take(&a)
		close(done)
	}()
	<-b.ready
	select {
	case <-done:
		t.Error("two have a turn at the same time")
	default:
	}
	turns.leave(&b)
	<-done
	turns.leave(&a)
	if turns.free != 1 || len(turns.running) != 0 {
		t.Errorf("%d places are free, %d run", turns.free, len(turns.running))
	}
}

// TestTurnsLate: an exchange that takes long keeps nobody waiting.
func TestTurnsLate(t *testing.T) {
	turns, slow, quick := newTurns(1), newTurn(), newTurn()
	turns.take(&slow)
	turns.take(&quick) // the clock gives it the place of slow
	turns.leave(&quick)
	turns.leave(&slow)
	if turns.free != 1 || len(turns.running) != 0 {
		t.Errorf("%d places are free, %d run", turns.free, len(turns.running))
	}
}

// TestTurnsAll: with many at the same time, everybody gets all their turns and no place is lost.
func TestTurnsAll(t *testing.T) {
	turns := newTurns(2)
	var all sync.WaitGroup
	var taken atomic.Int64
	for range 50 {
		all.Go(func() {
			n := newTurn()
			for range 300 {
				turns.take(&n)
				taken.Add(1)
				turns.leave(&n)
			}
		})
	}
	all.Wait()
	turns.mu.Lock()
	defer turns.mu.Unlock()
	if taken.Load() != 50*300 || turns.free != 2 || len(turns.queue)+len(turns.running) != 0 {
		t.Errorf("%d turns; %d places are free, %d wait, %d run", taken.Load(), turns.free, len(turns.queue), len(turns.running))
	}
}
