package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestInterruptByHand: a signal ends the wait for a person's next action.
func TestInterruptByHand(t *testing.T) {
	cmd := exec.Command("spade", "play", "../../examples/rotating_maze.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	prompt := make([]byte, len("turn 1"))
	if _, err := errs.Read(prompt); err != nil || !strings.HasPrefix("turn 1", string(prompt)) {
		t.Errorf("the prompt reads %q (%v)", prompt, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitSignal {
		t.Errorf("got exit status %d", cmd.ProcessState.ExitCode())
	}
}

// TestEndlessInput: input without an end is refused, not read into memory.
func TestEndlessInput(t *testing.T) {
	for _, args := range [][]string{
		{"check", "/dev/zero"}, {"play", "../../examples/rotating_maze.py", "--actions", "/dev/zero"}, {"run", "/dev/zero"},
	} {
		out, err := exec.Command("spade", args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "larger than the limit") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
