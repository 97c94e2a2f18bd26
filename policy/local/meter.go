package local

import (
	"sync"
	"time"
)

// meter measures for how long at least one goroutine was doing model work.
type meter struct {
	mu     sync.Mutex
	active int
	since  time.Time
	total  time.Duration
}

func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active == 0 {
		m.since = time.Now()
	}
	m.active++
}

func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active--
	if m.active == 0 {
		m.total += time.Since(m.since)
	}
}

func (m *meter) busy() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active > 0 {
		return m.total + time.Since(m.since)
	}
	return m.total
}
