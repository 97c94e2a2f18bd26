package admit

import (
	"os"
	"path/filepath"
	"testing"

	"spade/sandbox"
	"spade/sandbox/sandboxtest"
)

// jail is the sandbox of all tests in this package.
var jail *sandbox.Sandbox

func TestMain(m *testing.M) { sandboxtest.Main(m, &jail) }

// judgeCandidate judges c as a run with default settings does and closes the process that is left.
func judgeCandidate(t *testing.T, c Candidate, index Index) Result {
	t.Helper()
	result, err := New(jail, Default()).Judge(t.Context(), c, index)
	if err != nil {
		t.Fatalf("judging: %v", err)
	}
	if result.Process != nil {
		t.Cleanup(func() { result.Process.Close() })
	}
	return result
}

func readFile(t testing.TB, parts ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// pool is an Index in memory.
type pool map[string]string

func (p pool) Seen(fingerprint string) (string, bool) {
	id, ok := p[fingerprint]
	return id, ok
}

func (p pool) Near(string, func(string) ([]string, error)) (string, float64, error) {
	return "", 0, nil
}
