package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Init()
	if tier := os.Getenv(helperVariable); tier != "" {
		runHelper(tier)
	}
	for _, takeOver := range helpers {
		takeOver()
	}
	os.Exit(m.Run())
}

// helpers take the test binary over and end it if its environment asks them to.
var helpers []func()

// helperVariable makes the test binary open a sandbox of the tier that it names, say so and wait to be killed.
const helperVariable = "SPADE_TEST_HELPER"

// open returns a sandbox that is closed with the test.
func open(t testing.TB, config Config) *Sandbox {
	t.Helper()
	if config.Gvisor && testing.Short() {
		t.Skip("gVisor takes its time")
	}
	config.Notice = func(message string) { t.Logf("notice: %s", message) }
	if _, err := exec.LookPath("runsc"); config.Gvisor && err != nil {
		t.Skip("runsc, the program of gVisor, is not installed")
	}
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

func runHelper(tier string) {
	s, err := Open(context.Background(), tiers[tier])
	if err == nil {
		_, _, err = s.Load(context.Background(), trivial, LoadOptions{})
	}
	fmt.Println("open:", err)
	time.Sleep(time.Minute)
}
