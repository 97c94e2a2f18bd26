package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// pollEvery is how often the stream looks for new cycles, and aliveEvery how often it says that it is there.
const (
	pollEvery  = 500 * time.Millisecond
	aliveEvery = 15 * time.Second
)

// phases is what the loop in this process is doing, nil where it runs elsewhere.
type phases struct {
	mu  sync.Mutex
	now *Phase
}

func (p *phases) set(now Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = &now
}

func (p *phases) get() *Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return nil
	}
	copied := *p.now
	return &copied
}

// stateEvent is what the stream says whenever it changes.
type stateEvent struct {
	Committed int    `json:"committed"`
	Writing   bool   `json:"writing"`
	Phase     *Phase `json:"phase"`
}

// events streams the state of a run as server-sent events: one at once, and one whenever a cycle is committed, a process
// begins or ends to write, or the loop goes on to something else.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	v, err := s.served(r.PathValue("run"))
	if err != nil {
		fail(w, err)
		return
	}
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var sent string
	said := time.Now()
	for {
		text, err := s.state(v)
		if err != nil {
			return // the browser comes back and is told why
		}
		switch {
		case text != sent:
			fmt.Fprintf(w, "event: state\ndata: %s\n\n", text)
			sent, said = text, time.Now()
		case time.Since(said) > aliveEvery:
			fmt.Fprint(w, ": alive\n\n")
			said = time.Now()
		}
		if stream.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Server) state(v *served) (string, error) {
	last, err := v.run.Last()
	if err != nil {
		return "", err
	}
	e := stateEvent{Committed: last, Writing: v.run.Writing()}
	if v.name == s.options.Runs[0].Name {
		e.Phase = s.phase.get()
	}
	data, err := json.Marshal(e)
	return string(data), err
}
