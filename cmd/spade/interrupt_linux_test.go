package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spade"
	"spade/store"
)

// Small configurations; most tests need nothing held out, which takes longer than their cycles.
const (
	smallConfig    = "environments: 4\nplays: 3\nhinted_plays: 2\nreplays: 1\n"
	tinyConfig     = smallConfig + "suite: none\n"
	measuredConfig = smallConfig + "held_out_seeds: 1\n"
)

// tinyRun returns the arguments of a run of some cycles under a small configuration.
func tinyRun(t *testing.T, cycles int, dir string) []string {
	t.Helper()
	return runOf(t, tinyConfig, cycles, dir)
}

// runOf returns the arguments of a run of some cycles.
func runOf(t *testing.T, text string, cycles int, dir string) []string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"run", config, "--seed", "7", "--cycles", fmt.Sprint(cycles), "--dir", dir}
}

// finish runs the program, which must succeed, and returns the last line of its standard output.
func finish(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("spade", args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("spade %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// A running program is one whose cycles can be waited for.
type running struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	out   io.Reader
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{cmd: exec.Command("spade", args...)}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.out, r.lines = out, bufio.NewScanner(out)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// await returns once some cycles are committed, or false if the program ended before.
func (r *running) await(cycles int) bool {
	for range cycles {
		if !r.lines.Scan() || strings.Contains(r.lines.Text(), `"done"`) {
			return false
		}
	}
	return true
}

// stop sends a signal and returns the exit status, -1 if the signal ended the program.
func (r *running) stop(t *testing.T, signal os.Signal) int {
	t.Helper()
	if err := r.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	io.Copy(io.Discard, r.out)
	err := r.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// TestKill kills a run ten times at moments drawn from a seed and resumes it each time: it ends like a run that
// was left alone, and no process outlives the program that was killed.
func TestKill(t *testing.T) {
	const cycles = 10
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	begun := time.Now()
	want := finish(t, append(runOf(t, measuredConfig, cycles, whole), "--json")...)
	cycle := time.Since(begun) / cycles // so that the moments fit machines of every speed
	draw := spade.Stream(1, 0, 0, "kill")
	kills := 0
	for i := range 10 {
		args := []string{"run", "--resume", "--dir", killed, "--json"}
		if _, err := os.Stat(filepath.Join(killed, "config.yaml")); err != nil { // killed before it began
			args = append(runOf(t, measuredConfig, cycles, killed), "--json")
		}
		r := start(t, args...)
		after := time.Duration(draw.Float64() * float64(cycle))
		if r.await(draw.IntN(2)) {
			time.Sleep(after)
		}
		if r.stop(t, syscall.SIGKILL) == -1 {
			kills++
		}
		if left := leftovers(); len(left) > 0 {
			t.Fatalf("kill %d left %v", i, left)
		}
	}
	if kills < 5 {
		t.Errorf("the run was over after %d kills: give it more cycles", kills)
	}
	got := finish(t, "run", "--resume", "--dir", killed, "--json")
	if want, got := strings.ReplaceAll(want, whole, ""), strings.ReplaceAll(got, killed, ""); got != want {
		t.Errorf("the result is\n%s\nwant\n%s", got, want)
	}
	if err := sameRuns(whole, killed); err != nil {
		t.Error(err)
	}
	checkEpisodes(t, killed, cycles)
}

// checkEpisodes fails if an episode of a run is missing or there twice.
func checkEpisodes(t *testing.T, dir string, cycles int) {
	t.Helper()
	run, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	stats, err := run.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if len(stats) != cycles+1 {
		t.Fatalf("%d cycles are recorded, want %d and the start", len(stats), cycles)
	}
	for _, cycle := range stats {
		episodes, err := run.Episodes(cycle.Cycle)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, e := range episodes {
			key := fmt.Sprint(e.Cycle, e.Slot, e.Arm, e.Index)
			if seen[key] || e.Cycle != cycle.Cycle {
				t.Errorf("cycle %d holds episode %s twice or wrongly", cycle.Cycle, key)
			}
			seen[key] = true
		}
		if len(episodes) != cycle.Episodes {
			t.Errorf("cycle %d holds %d episodes, its stats say %d", cycle.Cycle, len(episodes), cycle.Episodes)
		}
	}
}

// TestInterrupt presses Ctrl-C in the middle of a run: what is committed stays, the rest is dropped.
func TestInterrupt(t *testing.T) {
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "run")
	last := interrupt(t, dir, syscall.SIGINT)
	finish(t, "run", "--resume", "--dir", dir, "--cycles", fmt.Sprint(last+1))
	finish(t, tinyRun(t, last+1, whole)...)
	if err := sameRuns(whole, dir); err != nil {
		t.Error(err)
	}
}

// TestTerminate asks a run to end, as a machine that shuts down does.
func TestTerminate(t *testing.T) {
	interrupt(t, filepath.Join(t.TempDir(), "run"), syscall.SIGTERM)
}

// interrupt starts a run, sends it a signal after two cycles and returns the last cycle that is committed.
func interrupt(t *testing.T, dir string, signal os.Signal) int {
	t.Helper()
	r := start(t, append(tinyRun(t, 1000, dir), "--json")...)
	if !r.await(2) {
		t.Fatal("the run ended by itself")
	}
	if status := r.stop(t, signal); status != exitSignal {
		t.Errorf("status %d, want %d", status, exitSignal)
	}
	if left := leftovers(); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	last := lastCycle(t, dir)
	if last < 2 {
		t.Errorf("cycle %d is the last one; 2 were committed", last)
	}
	return last
}

func lastCycle(t *testing.T, dir string) int {
	t.Helper()
	run, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	last, _, _, ok, err := run.Last()
	if err != nil || !ok {
		t.Fatalf("no cycle is committed, %v", err)
	}
	return last
}

// TestLocked starts programs on a run that another process holds.
func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run, err := store.Create(dir, []byte(tinyConfig))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for _, args := range [][]string{{"run", "--resume", "--dir", dir}, tinyRun(t, 1, dir)} {
		var stderr strings.Builder
		cmd := exec.Command("spade", args...)
		cmd.Stderr = &stderr
		cmd.Run()
		if status := cmd.ProcessState.ExitCode(); status != exitUsage {
			t.Errorf("%s: status %d, want %d", args, status, exitUsage)
		}
		if want := fmt.Sprintf("the run in %s is in use by process %d", dir, os.Getpid()); !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %q does not say %q", args, stderr.String(), want)
		}
	}
	// Looking at it needs no lock.
	finish(t, "show", dir)
}

// TestDiskFull fills the disk under a run: it says what is safe, and goes on once there is room.
func TestDiskFull(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(mount, "run")
	finish(t, tinyRun(t, 1, dir)...)

	ballast := filepath.Join(mount, "ballast")
	var disk syscall.Statfs_t
	if err := syscall.Statfs(mount, &disk); err != nil {
		t.Fatal(err)
	}
	const room = 3 << 20 // less than a checkpoint with its optimiser
	if err := os.WriteFile(ballast, make([]byte, int(disk.Bavail)*int(disk.Bsize)-room), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("spade", "run", "--resume", "--dir", dir, "--cycles", "3")
	out, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != exitMachine {
		t.Errorf("status %d, want %d", status, exitMachine)
	}
	for _, want := range []string{"no space left on device", "next: free space, then spade run --resume --dir " + dir, "cycles up to 1 are safe"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if last := lastCycle(t, dir); last != 1 {
		t.Errorf("the last cycle is %d, want 1", last)
	}
	finish(t, "run", "--resume", "--dir", dir, "--cycles", "3")
	finish(t, tinyRun(t, 3, whole)...)
	if err := sameRuns(whole, dir); err != nil {
		t.Error(err)
	}
}

// TestLastLine checks the types of the last object of spade run --json.
func TestLastLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	line := finish(t, append(runOf(t, measuredConfig, 0, dir), "--json")...)
	var last struct {
		Done   bool     `json:"done"`
		Before *float64 `json:"heldout_before"`
		After  *float64 `json:"heldout_after"`
		Dir    string   `json:"dir"`
	}
	if err := json.Unmarshal([]byte(line), &last); err != nil {
		t.Fatal(err)
	}
	if !last.Done || last.Before == nil || last.After == nil || *last.Before == 0 || *last.Before != *last.After || last.Dir != dir {
		t.Errorf("%s: a run without cycles has learnt nothing", line)
	}
}
