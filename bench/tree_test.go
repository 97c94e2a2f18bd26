package bench

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestTreeTime: what a child used counts once it was waited for, and so does this process.
func TestTreeTime(t *testing.T) {
	before := TreeTime(os.Getpid())
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	child := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if grown := TreeTime(os.Getpid()) - before; grown < child-30*time.Millisecond {
		t.Errorf("a child used %v, its parent's tree %v", child, grown)
	}
}
