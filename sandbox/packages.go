package sandbox

import (
	"context"
	"fmt"
	"regexp"
)

// usesPackages matches sources that may need the packages.
var usesPackages = regexp.MustCompile(`\b(numpy|np|sympy|mpmath|networkx|math_verify)\b`)

// A preparation is one download of the packages, for all who wait for it.
type preparation struct {
	// done is closed when folder is set.
	done   chan struct{}
	folder string
	// stop ends it, which happens when nobody waits any more; the sandbox's mu guards waiting.
	stop    context.CancelFunc
	waiting int
}

// awaitPackages returns the folder of the packages, "" if they cannot be had. Whoever comes while they are being
// downloaded waits for the same download. What failed is tried again for the next who asks, as networks come back.
func (s *Sandbox) awaitPackages(ctx context.Context) (string, error) {
	p, err := s.joinPreparation()
	if err != nil {
		return "", err
	}
	defer s.leavePreparation(p)
	select {
	case <-p.done:
		return p.folder, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *Sandbox) joinPreparation() (*preparation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.preparing == nil {
		ctx, stop := context.WithCancel(s.life)
		p := &preparation{done: make(chan struct{}), stop: stop}
		s.closing.Go(func() {
			if ctx.Err() == nil { // nobody may wait any more
				p.folder = s.packages(ctx)
			}
			close(p.done)
		})
		s.preparing = p
	}
	s.preparing.waiting++
	return s.preparing, nil
}

func (s *Sandbox) leavePreparation(p *preparation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		p.stop()
		s.preparing = nil
	}
}

// preparePackages downloads the packages if they are not in the cache. A failure costs the packages only.
func (s *Sandbox) preparePackages(ctx context.Context) string {
	folder, err := s.interpreter.Packages(ctx, s.config.Progress)
	if err != nil && ctx.Err() == nil {
		s.noticeLack(fmt.Sprintf("Environments cannot import everything that they may: %v", err))
	}
	return folder
}

// noticeLack tells why packages are missing, unless that was told last.
func (s *Sandbox) noticeLack(message string) {
	s.mu.Lock()
	told := s.lack == message
	s.lack = message
	s.mu.Unlock()
	if !told {
		s.config.Notice(message)
	}
}
