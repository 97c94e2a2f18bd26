package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLabStopped ends a lab in the middle of its first runs, by Ctrl-C and by a kill: nothing lives on, and the same
// command goes on to the runs that a lab which was left alone has.
func TestLabStopped(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "tiny.yaml")
	if err := os.WriteFile(config, []byte(measuredConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "lab")
	args := []string{"lab", "--arms", "spade,ladder:2-6", "--seeds", "1", "--cycles", "6", "--eval-every", "6", "--parallel", "2", "--config", config, "--out", out}
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: exitSignal, syscall.SIGKILL: -1} {
		cmd := exec.Command("spade", args...)
		said, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := running{cmd: cmd, out: said}
		awaitLine(t, &r, ": cycle ")
		if got := r.stop(t, signal); got != status {
			t.Errorf("%v: status %d, want %d", signal, got, status)
		}
		if left := leftovers(); len(left) > 0 {
			t.Fatalf("%v left %v", signal, left)
		}
	}
	finish(t, args...)
	alone := filepath.Join(dir, "alone")
	for _, name := range []string{"spade-seed1", "ladder2-6-seed1"} {
		finish(t, "run", filepath.Join(out, "configs", name+".yaml"), "--dir", alone+name)
		if err := sameRuns(alone+name, filepath.Join(out, "runs", name)); err != nil {
			t.Error(err)
		}
	}
}

// awaitLine reads what a program says until a line holds text, byte by byte, so that nothing else of it is taken.
func awaitLine(t *testing.T, r *running, text string) {
	t.Helper()
	var line strings.Builder
	for one := make([]byte, 1); ; {
		if _, err := r.out.Read(one); err != nil {
			t.Fatalf("it ended before it said %q: %s", text, line.String())
		}
		line.WriteByte(one[0])
		if one[0] == '\n' {
			if strings.Contains(line.String(), text) {
				return
			}
			line.Reset()
		}
	}
}
