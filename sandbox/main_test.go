package sandbox

import (
	"context"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(m.Run())
}

// open returns a sandbox that is closed with the test.
func open(t testing.TB, config Config) *Sandbox {
	t.Helper()
	config.Notice = func(message string) { t.Logf("notice: %s", message) }
	s, err := Open(context.Background(), config)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

const trivial = `
class TrivialEnv:
    def reset(self, seed=None):
        self.t = 0
        return f"seed {seed}", {}
    def step(self, action):
        self.t += 1
        return f"{action} {self.t}", 0.5, self.t >= 1000000, False, {"t": self.t}
    def solution(self):
        return "x"
`

func load(t testing.TB, s *Sandbox, source string) *Process {
	t.Helper()
	p, fault, err := s.Load(context.Background(), source, LoadOptions{})
	if err != nil || fault != nil {
		t.Fatalf("Load: %v, %v", fault, err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func instance(t testing.TB, p *Process) *Instance {
	t.Helper()
	i, fault, err := p.New(context.Background(), 0)
	if err != nil || fault != nil {
		t.Fatalf("New: %v, %v", fault, err)
	}
	return i
}
