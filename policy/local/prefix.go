package local

import "slices"

// The episodes of one environment begin alike: with the same words, and the two arms of a seed with the same
// observation. What one conversation of a worker has computed, another that begins with the same tokens copies instead
// of computing it again; the numbers are the same, bit for bit, because they depend on the tokens before them only.

// leastShared is the number of common tokens from which copying, and waiting a step to be able to, pay.
const leastShared = 8

// mayFeed prepares s to be fed in the step under way. A conversation that begins first takes over what another has
// computed of its beginning; if one that is fed in this very step would have more of it, s waits for the next step.
func (w *worker) mayFeed(s *session) bool {
	if len(s.history) > 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wanted := s.feed[:len(s.feed)-1] // at least one token must be fed, for the logits after it
	var donor *session
	now, soon := leastShared-1, leastShared-1
	for _, other := range w.begun {
		if other.epoch != s.epoch {
			continue
		}
		n := commonPrefix(other.history, wanted)
		if done := min(n, other.computed); done > now {
			donor, now = other, done
		}
		soon = max(soon, n)
	}
	if soon > now && len(w.fed) > 0 {
		return false
	}
	w.begun = append(w.begun, s)
	if donor != nil {
		s.cache = w.policy.caches.get(len(s.feed))
		s.cache.copyFirst(&w.policy.model.config, donor.cache, now)
		s.history, s.computed, s.feed = append(s.history, s.feed[:now]...), now, s.feed[now:]
	}
	return true
}

// forget takes the session out of those that others copy from.
func (w *worker) forget(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.begun, s); i >= 0 {
		w.begun = slices.Delete(w.begun, i, i+1)
	}
}

// commonPrefix is the number of tokens in which a and b begin alike.
func commonPrefix(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
