package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spade"
)

// childVariable makes the test binary commit cycles into the folder that it names, in place of running tests.
const childVariable = "SPADE_STORE_TEST_COMMIT_INTO"

// childCycles is how many cycles the child commits, with the record of the start.
const childCycles = 41

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := commitInto(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// commitInto takes the run in dir up where it is, or starts it, and commits what is missing of childCycles.
// It writes a line before each commit.
func commitInto(dir string, progress *os.File) error {
	r, err := Resume(dir)
	if err != nil {
		r, err = Create(dir, config)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	next, _, _, ok, err := r.Last()
	if err != nil {
		return err
	}
	if ok {
		next++
	}
	for n := next; n < childCycles; n++ {
		fmt.Fprintln(progress, n)
		if err := r.Commit(context.Background(), sampleCycle(n, 6, 4, 12), saveNumber(n)); err != nil {
			return err
		}
	}
	return r.Finish(context.Background(), []byte("{}"))
}

// TestKill kills a process ten times while it commits, at moments drawn from a seed, and compares what the
// resumed run leaves with a run that was never killed.
func TestKill(t *testing.T) {
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	if output, err := child(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	draw := spade.Stream(1, 0, 0, "kill")
	for kill := range 10 {
		killChild(t, killed, 1+draw.IntN(4), time.Duration(draw.IntN(12_000))*time.Microsecond)
		if kill == 0 {
			continue // the run may have been killed before it was created
		}
		checkResumed(t, killed, whole)
	}
	if output, err := child(killed).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	sameContents(t, killed, whole)
	checkResumed(t, killed, whole)
}

func child(dir string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+dir)
	return c
}

// killChild starts a child and kills it some time after it began its commit number commits, counted from 1.
func killChild(t *testing.T, dir string, commits int, after time.Duration) {
	t.Helper()
	c := child(dir)
	var errors strings.Builder
	c.Stderr = &errors
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for range commits {
		if !lines.Scan() {
			break
		}
	}
	time.Sleep(after)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil && errors.Len() > 0 {
		t.Fatalf("the child failed by itself: %s", errors.String())
	}
}

// checkResumed resumes a run and fails unless every cycle of it is there whole and nothing else is.
func checkResumed(t *testing.T, dir, whole string) {
	t.Helper()
	r := resume(t, dir)
	defer r.Close()
	last, _, checkpoint, ok, err := r.Last()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("killed with cycles up to %d committed: %v", last, ok)
	got, want := contents(t, dir), contents(t, whole)
	known := map[string]bool{eventsName: true, scalarsName: true, configName: true}
	for n := 0; ok && n <= last; n++ {
		c, err := r.Cycle(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Environments {
			known[environmentsDir+"/"+environmentName(e.ID)] = true
		}
		known[episodesDir+"/"+episodesName(n)] = true
	}
	for name, data := range got {
		switch {
		case strings.HasPrefix(name, checkpointsDir):
			if n, _ := cycleOf(strings.Split(name, "/")[1]); n > last || n < last-1 {
				t.Errorf("%s was left", name)
			}
		case !known[name]:
			t.Errorf("%s was left", name)
		case name == scalarsName:
			if !strings.HasPrefix(want[name], data) || ok != (data != "") {
				t.Errorf("%s does not agree with cycles up to %d", name, last)
			}
		case name == eventsName:
			if !strings.HasPrefix(want[name], data) || strings.Count(data, `"event":"cycle"`) != cyclesIn(last, ok) {
				t.Errorf("%s does not agree with cycles up to %d", name, last)
			}
		case data != want[name]:
			t.Errorf("%s differs", name)
		}
	}
	if last > 0 && got[filepath.ToSlash(checkpoint[len(dir)+1:])+"/weights"] != fmt.Sprintf("weights %d", last) {
		t.Errorf("the newest checkpoint is not that of cycle %d", last)
	}
}

func cyclesIn(last int, ok bool) int {
	if !ok {
		return 0
	}
	return last + 1
}
