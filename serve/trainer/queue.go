package trainer

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
)

// waitingRequests bounds what may wait for a request with a smaller seq_id that has not arrived.
const waitingRequests = 1024

// queue puts the requests to one model in the order of their numbers, 1, 2, 3, …, and works on one at a time. Its
// goroutine lives only while there is work.
type queue struct {
	// work runs one request.
	work func(request)
	// begin and end bracket the life of the queue's goroutine. begin reports false if no work is to start any more.
	begin func() bool
	end   func()

	mu      sync.Mutex
	next    int64 // number of the request that comes next
	waiting map[int64]request
	seen    map[int64]entry
	oldest  int64 // smallest number in seen
	running bool
}

// entry is a request that was taken in. Its future goes by its id, so that results are dropped when futures says so.
type entry struct {
	digest [sha256.Size]byte
	future string
}

// request is one request to a model.
type request struct {
	future *future
	run    func() result
}

func newQueue(work func(request), begin func() bool, end func()) *queue {
	return &queue{work: work, begin: begin, end: end, next: 1, oldest: 1, waiting: map[int64]request{}, seen: map[int64]entry{}}
}

// errReused says that a number came twice with different requests.
type errReused struct{ seq int64 }

func (e errReused) Error() string {
	return fmt.Sprintf("seq_id %d was used before, for another request", e.seq)
}

// add takes in the request number seq and returns the id of its future: for an equal request that was taken in before
// under that number the same one, even where its result was dropped, since no request takes effect twice. body is what
// makes requests equal. open is called for a new one.
func (q *queue) add(seq int64, kind string, body []byte, open func() *future, run func() result) (id string, err error) {
	digest := sha256.Sum256(bytes.Join([][]byte{[]byte(kind), body}, []byte{0}))
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, ok := q.seen[seq]; ok {
		if old.digest != digest {
			return "", errReused{seq}
		}
		return old.future, nil
	}
	if seq < q.next {
		return "", fmt.Errorf("seq_id %d is not expected any more: the next one is %d", seq, q.next)
	}
	if seq > q.next && len(q.waiting) >= waitingRequests {
		return "", fmt.Errorf("%d requests wait for seq_id %d already", len(q.waiting), q.next)
	}
	one := open()
	q.seen[seq] = entry{digest, one.id}
	q.waiting[seq] = request{one, run}
	if _, ready := q.waiting[q.next]; ready && !q.running && q.begin() {
		q.running = true
		go q.run()
	}
	return one.id, nil
}

// run works on what is next until that is missing.
func (q *queue) run() {
	defer q.end()
	for {
		q.mu.Lock()
		r, ok := q.waiting[q.next]
		if !ok {
			q.running = false
			q.mu.Unlock()
			return
		}
		delete(q.waiting, q.next)
		q.next++
		for q.next-q.oldest > keptResults { // older results are gone too
			delete(q.seen, q.oldest)
			q.oldest++
		}
		q.mu.Unlock()
		q.work(r)
	}
}
