package local

import "sync"

// stepRows bounds the rows of one decoding step, and with it the latency of a step and the decoder's memory.
const stepRows = 512

// worker decodes the replies of the sessions that are pinned to it, all one step at a time. Sessions join and
// leave between steps. Its goroutine lives only while a reply is being sampled.
type worker struct {
	policy *Policy
	draw   drawer

	mu      sync.Mutex
	waiting []*session // submitted and not yet taken up
	running bool
	begun   []*session // have a cache, in the order in which they got it

	// Of the goroutine:
	decoder *decoder
	active  []*session
	fed     []*session // in the step under way
	rows    []decodeRow
}

// submit has the session's reply sampled; the session is told on its done channel.
func (w *worker) submit(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, s)
	if !w.running {
		w.running = true
		go w.run()
	}
}

// run decodes until no session is left.
func (w *worker) run() {
	for w.take() {
		w.policy.meter.begin()
		w.step()
		w.policy.meter.end()
	}
}

// take moves the waiting sessions to the active ones. It reports false, and that the goroutine ends, if there
// are none at all.
func (w *worker) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = append(w.active, w.waiting...)
	clear(w.waiting)
	w.waiting = w.waiting[:0]
	w.running = len(w.active) > 0
	return w.running
}

// step feeds what the active sessions have to feed, up to stepRows rows, samples a token for each whose feed
// is used up, and lets those go whose reply is complete.
func (w *worker) step() {
	w.release()
	w.rows, w.fed = w.rows[:0], w.fed[:0]
	for _, s := range w.active {
		if len(w.rows) == stepRows {
			break
		}
		if w.mayFeed(s) {
			w.rows = s.appendRows(w.rows, stepRows-len(w.rows))
			w.fed = append(w.fed, s)
		}
	}
	if len(w.fed) == 0 {
		return
	}
	logits, vocab := w.decoder.step(w.rows), w.policy.model.config.VocabSize
	for _, s := range w.fed {
		s.computed = len(s.history)
		if len(s.feed) == 0 {
			s.accept(w.draw.draw(w.decoder.kernel, logits[:vocab], &s.spec))
			logits = logits[vocab:]
			w.policy.sampled.Add(1)
		}
	}
	w.release()
}

// release hands back the sessions whose reply is complete or no longer wanted.
func (w *worker) release() {
	kept := w.active[:0]
	for _, s := range w.active {
		if s.complete || s.cancelled.Load() {
			s.done <- struct{}{}
		} else {
			kept = append(kept, s)
		}
	}
	clear(w.active[len(kept):])
	w.active = kept
}
