package openai

import (
	"context"
	"sync"
	"time"
)

// limiter bounds how many requests are under way, and finds the bound itself: it grows with every answer until the
// server complains, then shrinks by a share and grows slowly (additive increase, multiplicative decrease). A wait that
// the server asks for holds back all requests.
type limiter struct {
	mu       sync.Mutex
	limit    float64
	most     float64
	inFlight int
	waiting  []chan struct{} // in the order in which they came
	// careful is set by the first complaint: from then on the bound grows by one a round, not with every answer.
	careful bool
	// round counts the decreases; requests sent before the last one say nothing new.
	round  int
	resume time.Time
}

const (
	firstLimit = 16
	mostAtOnce = 4096
	// shrink is what the bound is multiplied with at a complaint.
	shrink = 0.7
)

func newLimiter(slots int) *limiter {
	if slots > 0 {
		return &limiter{limit: float64(slots), most: float64(slots)}
	}
	return &limiter{limit: firstLimit, most: mostAtOnce}
}

// acquire waits for a place, and until the server wants requests again. It returns the round in which the request is
// sent.
func (l *limiter) acquire(ctx context.Context) (round int, err error) {
	if err := l.enter(ctx); err != nil {
		return 0, err
	}
	for {
		l.mu.Lock()
		round, wait := l.round, time.Until(l.resume)
		l.mu.Unlock()
		if wait <= 0 {
			return round, nil
		}
		if err := sleep(ctx, wait); err != nil {
			l.leave()
			return 0, err
		}
	}
}

// enter waits for a place.
func (l *limiter) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil { // whoever gives up takes no place
		return err
	}
	l.mu.Lock()
	if l.inFlight < int(l.limit) {
		l.inFlight++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.abandon(turn)
		return ctx.Err()
	}
}

// leave gives a place back whose request was not sent.
func (l *limiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.hand()
}

// abandon leaves the queue, or gives the place back that was just handed over.
func (l *limiter) abandon(turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiting {
		if w == turn {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return
		}
	}
	l.inFlight--
	l.hand()
}

// release gives a place back. complaint says that the server had too much to do; hold is how long it asks everybody to
// wait, 0 for not at all.
func (l *limiter) release(round int, answered, complaint bool, hold time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	if until := time.Now().Add(hold); hold > 0 && until.After(l.resume) {
		l.resume = until
	}
	switch {
	case complaint && round == l.round:
		l.round++
		l.careful = true
		l.limit = max(1, min(l.limit, float64(l.inFlight+1))*shrink)
	case answered && l.careful:
		l.limit = min(l.most, l.limit+1/l.limit)
	case answered:
		l.limit = min(l.most, l.limit+1)
	}
	l.hand()
}

// hand gives free places to those who wait.
func (l *limiter) hand() {
	for len(l.waiting) > 0 && l.inFlight < int(l.limit) {
		close(l.waiting[0])
		l.waiting[0] = nil
		l.waiting = l.waiting[1:]
		l.inFlight++
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
