package local

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"spade"
	"spade/policy"
)

// TestCommonBeginningsAreComputedOnce: conversations that begin alike compute their beginning once, whether they
// begin together or later, and sample what they would have sampled alone.
func TestCommonBeginningsAreComputedOnce(t *testing.T) {
	const common = "the crane lifts the pump and the oven and the drill and the crane"
	tails := []string{"", " 1", " 2", " 3 radar", " add", " hoist no"}
	reply := func(p *Policy, i int) (policy.Session, policy.Reply) {
		spec := agentSpec(12)
		spec.Rand = spade.Stream(7, 0, i, "test")
		s := mustOpen(t, p, spec)
		r, err := s.Reply(context.Background(), spade.Message{Speaker: spade.User, Content: common + tails[i]})
		if err != nil {
			t.Error(err)
		}
		return s, r
	}
	alone := make([]policy.Reply, len(tails))
	for i := range tails {
		var s policy.Session
		s, alone[i] = reply(testPolicy(t, 1), i)
		s.Close()
	}

	p := testPolicy(t, 1)
	together := make([]policy.Reply, len(tails))
	sessions := make([]policy.Session, len(tails))
	var group sync.WaitGroup
	for i := range tails[:4] {
		group.Go(func() { sessions[i], together[i] = reply(p, i) })
	}
	group.Wait()
	for i := 4; i < len(tails); i++ {
		sessions[i], together[i] = reply(p, i)
	}
	if !reflect.DeepEqual(alone, together) {
		t.Error("replies depend on what was copied")
	}
	if n := len(p.workers[0].begun); n != len(tails) {
		t.Errorf("%d conversations to copy from, want %d", n, len(tails))
	}
	for _, s := range sessions {
		s.Close()
	}
	if n := len(p.workers[0].begun); n != 0 {
		t.Errorf("%d closed conversations are copied from", n)
	}
}

// TestMayFeed: who copies, who waits and who computes.
func TestMayFeed(t *testing.T) {
	p := testPolicy(t, 1)
	w := p.workers[0]
	begin := func(tokens ...int32) *session {
		return &session{policy: p, worker: w, feed: tokens, epoch: p.epoch}
	}
	feed := func(s *session) {
		w.rows = s.appendRows(w.rows, stepRows)
		w.fed = append(w.fed, s)
	}
	endStep := func() {
		w.decoder.step(w.rows)
		for _, s := range w.fed {
			s.computed = len(s.history)
		}
		w.rows, w.fed = w.rows[:0], w.fed[:0]
	}
	first, twin := begin(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), begin(1, 2, 3, 4, 5, 6, 7, 8, 9, 11)
	stranger, stale := begin(1, 2, 3, 4, 5, 6, 7, 9, 9, 9), begin(1, 2, 3, 4, 5, 6, 7, 8, 9, 12)
	stale.epoch++
	if !w.mayFeed(first) {
		t.Error("the first of its kind waits")
	}
	feed(first)
	if w.mayFeed(twin) {
		t.Error("one that begins like another of this step does not wait")
	}
	if !w.mayFeed(stranger) {
		t.Error("one with too little in common waits")
	}
	feed(stranger)
	endStep()
	if !w.mayFeed(twin) || len(twin.history) != 9 || !reflect.DeepEqual(twin.feed, []int32{11}) {
		t.Errorf("the twin has copied %d tokens and feeds %v", len(twin.history), twin.feed)
	}
	if !w.mayFeed(stale) || len(stale.history) != 0 {
		t.Errorf("%d tokens of other weights were copied", len(stale.history))
	}
}
