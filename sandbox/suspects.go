package sandbox

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"spade"
)

// A jail that ends takes all its processes along, and nobody can see which of them ended it. Every source that was
// in it becomes a suspect: from then on its processes are in a jail of their own. A suspect whose own jail ends too has
// done it, which is a verdict. One whose processes end while its jail lives is acquitted and returns to the others.

// A sourceID names a source; the zero value names none.
type sourceID [sha256.Size]byte

func identify(source string) sourceID { return sha256.Sum256([]byte(source)) }

// suspects are the sources that were in a jail when it ended.
type suspects struct {
	mu sync.Mutex
	// convicted holds false for a suspect, true for one whose own jail has ended.
	convicted map[sourceID]bool
}

// jailEnded notes which sources were in a jail that ended, and whose it was alone, if it was anybody's.
func (s *suspects) jailEnded(inside []sourceID, owner sourceID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.convicted == nil {
		s.convicted = map[sourceID]bool{}
	}
	for _, id := range inside {
		s.convicted[id] = s.convicted[id] || id == owner
	}
}

// owner returns id if its processes must be alone in their jail, none if they need not.
func (s *suspects) owner(id sourceID) sourceID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, suspected := s.convicted[id]; suspected {
		return id
	}
	return sourceID{}
}

// acquit lets the processes of a suspect return to the others.
func (s *suspects) acquit(id sourceID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.convicted[id] {
		delete(s.convicted, id)
	}
}

// verdict returns the fault of a source that ended a jail in which nothing else was, nil for any other.
func (s *suspects) verdict(id sourceID, phase string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.convicted[id] {
		return nil
	}
	return &Fault{Outcome: spade.EnvExit, Phase: phase,
		Message: "its jail ended twice, the second time with nothing else in it"}
}

// enter counts one more process, or one that is wanted, in the jail of a flavour.
func (s *Sandbox) enter(f flavour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slot(f).users++
}

// leave counts one less, and closes the jail of a suspect that nobody is in any more.
func (s *Sandbox) leave(f flavour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := s.slot(f)
	slot.users--
	if slot.users > 0 || f.owner == (sourceID{}) || s.closed {
		return
	}
	delete(s.servers, f)
	s.closing.Go(func() { s.closeOwn(slot, f.owner) })
}

// closeOwn closes the jail of a suspect. A jail that still makes processes has survived it.
func (s *Sandbox) closeOwn(slot *serverSlot, owner sourceID) {
	slot.lock(context.Background())
	defer slot.unlock()
	if slot.server == nil {
		return
	}
	if slot.server.works() {
		s.suspects.acquit(owner)
	}
	slot.server.close()
}

// jailEnded hears that a jail has ended by itself, and who was in it.
func (s *Sandbox) jailEnded(inside []sourceID, owner sourceID, why error) {
	s.suspects.jailEnded(inside, owner)
	if len(inside) > 0 {
		s.config.Notice(fmt.Sprintf("A jail ended with %d environments in it, whose episodes are played again: %v", len(inside), why))
	}
}
