package rollouts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"spade"
	"spade/store"
)

// place is a group of a run: the Group-th of a cycle. The first cycle is 1.
type place struct {
	Cycle int `json:"cycle"`
	Group int `json:"group"`
}

// span is N groups from a place on.
type span struct {
	From place `json:"from"`
	N    int   `json:"n"`
}

// entry is a line of the journal: a lease, or an acknowledgement where there is no span.
type entry struct {
	RolloutID int    `json:"rollout_id"`
	Span      *span  `json:"span,omitempty"`
	Next      *place `json:"next,omitempty"` // where the next lease begins
}

// journal keeps leases and acknowledgements in a file, one a line.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	leases map[int]span
	next   place
	acked  int // the largest number that was acknowledged, -1 before any
}

// openJournal reads the journal at path, which it creates, and locks it: two servers would lease the same groups.
func openJournal(path string) (*journal, error) {
	failed := func(err error) error {
		return spade.Errorf(spade.ByStore, "see that the folder can be written and no other server leases from it", "open the leases in %s: %w", filepath.Base(path), err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, failed(err)
	}
	j := &journal{file: file, leases: map[int]span{}, next: place{Cycle: 1}, acked: -1}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, failed(errors.New("another process has them open"))
	}
	if err := j.read(path); err != nil {
		file.Close()
		return nil, failed(err)
	}
	return j, nil
}

func (j *journal) read(path string) error {
	if _, err := store.RepairJSONL(path); err != nil {
		return err
	}
	lines := bufio.NewScanner(j.file)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		j.apply(e)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	_, err := j.file.Seek(0, 2)
	return err
}

func (j *journal) apply(e entry) {
	if e.Span == nil {
		j.acked = max(j.acked, e.RolloutID)
		return
	}
	j.leases[e.RolloutID], j.next = *e.Span, *e.Next
}

// write puts a line on the disk before it takes effect.
func (j *journal) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write down the lease: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write down the lease: %w", err)
	}
	j.apply(e)
	return nil
}

// What became of a request for a lease.
type state int

const (
	leased    state = iota
	waiting         // there are not enough groups yet
	exhausted       // nor will there be
)

// lease returns the span of a number, which it leases if it has none and there are n groups.
func (j *journal) lease(id, n int, source Source) (span, state, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old, ok := j.leases[id]; ok {
		return old, leased, nil
	}
	last, more, err := source.Last()
	if err != nil {
		return span{}, waiting, err
	}
	end, found := j.next, 0
	for found < n && end.Cycle <= last {
		groups, err := source.Groups(end.Cycle)
		if err != nil {
			return span{}, waiting, err
		}
		taken := min(n-found, len(groups)-end.Group)
		found += taken
		if end.Group += taken; end.Group == len(groups) {
			end = place{end.Cycle + 1, 0}
		}
	}
	if found < n {
		if more {
			return span{}, waiting, nil
		}
		return span{}, exhausted, nil
	}
	one := span{j.next, n}
	return one, leased, j.write(entry{RolloutID: id, Span: &one, Next: &end})
}

var errNotLeased = errors.New("nothing was leased under that number")

// ack notes that the trainer has saved its progress up to a number.
func (j *journal) ack(id int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, ok := j.leases[id]; !ok {
		return errNotLeased
	}
	if id <= j.acked {
		return nil
	}
	return j.write(entry{RolloutID: id})
}

func (j *journal) counts() (leases, acked int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.leases), j.acked
}

func (j *journal) close() error { return j.file.Close() }
