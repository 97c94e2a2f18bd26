package trainer

import (
	"context"
	"fmt"
	"sync"
)

// Results that are kept for clients that ask again. The oldest are dropped first.
const (
	keptResults = 4096
	keptBytes   = 256 << 20
)

// result is what became of a request: a failure, a small value to send as JSON, or a binary message. A message is kept in
// that one form; decode makes the value of it for clients that read JSON.
type result struct {
	failure *failure
	value   any
	binary  []byte
	decode  func(binary []byte) (any, error)
}

// inBinary is the result that a message in binary form holds, which read reads back.
func inBinary[T interface{ JSON() any }](binary []byte, read func([]byte) (T, error)) result {
	return result{binary: binary, decode: func(b []byte) (any, error) {
		message, err := read(b)
		if err != nil {
			return nil, err
		}
		return message.JSON(), nil
	}}
}

// json is the value of a result that is no failure.
func (r *result) json() (any, error) {
	if r.decode != nil {
		return r.decode(r.binary)
	}
	return r.value, nil
}

// failure is work that failed, and whose fault it is.
type failure struct {
	err    error
	byUser bool
}

// size is about what a result takes in memory, in bytes. Values are a few short names and numbers; the text of a failure may
// repeat what the client sent.
func (r *result) size() int {
	size := 256 + len(r.binary)
	if r.failure != nil {
		size += len(r.failure.err.Error())
	}
	return size
}

// future is a result that is there or will be.
type future struct {
	id   string
	done chan struct{}
	// result is set before done is closed.
	result result
}

// futures are all futures of a server. The zero value is not valid.
type futures struct {
	mu    sync.Mutex
	next  int64
	byID  map[string]*future
	order []*future // those that are done, oldest first
	bytes int
}

func newFutures() *futures { return &futures{byID: map[string]*future{}} }

// open returns a new future.
func (f *futures) open() *future {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	one := &future{id: fmt.Sprintf("request-%d", f.next), done: make(chan struct{})}
	f.byID[one.id] = one
	return one
}

// resolve gives a future its result, and drops the oldest results where there are too many.
func (f *futures) resolve(one *future, r result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.result = r
	close(one.done)
	f.order = append(f.order, one)
	f.bytes += r.size()
	for len(f.order) > keptResults || (f.bytes > keptBytes && len(f.order) > 1) {
		f.bytes -= f.order[0].result.size()
		delete(f.byID, f.order[0].id)
		f.order[0] = nil
		f.order = f.order[1:]
	}
}

func (f *futures) get(id string) *future {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byID[id]
}

// wait reports whether the future has a result, which it waits for until ctx ends.
func (one *future) wait(ctx context.Context) bool {
	select {
	case <-one.done:
		return true
	case <-ctx.Done():
		return false
	}
}
