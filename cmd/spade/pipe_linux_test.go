package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNobodyReads: a command whose output is no longer read goes on and says its answer by its exit status.
func TestNobodyReads(t *testing.T) {
	file := t.TempDir() + "/broken.py"
	if err := os.WriteFile(file, []byte("class BrokenEnv(\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"check", file, file}, exitNo},
		{[]string{"check", "--json", file, file}, exitNo},
		{[]string{"--help"}, exitDone},
		{[]string{"run", "--help"}, exitDone},
		{[]string{"doctor"}, exitDone},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		cmd := exec.Command("spade", c.args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &stderr
		err = cmd.Run()
		writer.Close()
		status := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			status = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if status != c.want || stderr.Len() > 0 {
			t.Errorf("%q: status %d, want %d; standard error: %s", c.args, status, c.want, &stderr)
		}
	}
}

// TestNobodyReadsARun: a run whose results or progress nobody reads any more ends, like one that is interrupted, and can be
// resumed.
func TestNobodyReadsARun(t *testing.T) {
	const cycles = 60 // more than pass between a line and the end of its reader
	dir := filepath.Join(t.TempDir(), "run")
	reached := 0
	for _, c := range []struct {
		name, redirect string
		lines          int
		args           []string
	}{
		{"its results", "", 1, append(tinyRun(t, cycles, dir), "--json")},
		{"its progress", "2>&1 >/dev/null", 2, []string{"run", "--resume", "--dir", dir}},
	} {
		status := filepath.Join(t.TempDir(), "status")
		script := fmt.Sprintf(`(spade "$@" %s; echo $? >"$0") | head -n %d`, c.redirect, c.lines)
		out, err := exec.Command("sh", append([]string{"-c", script, status}, c.args...)...).Output()
		if err != nil || bytes.Count(out, []byte("\n")) != c.lines {
			t.Fatalf("%s: %v, output %q", c.name, err, out)
		}
		if got, err := os.ReadFile(status); err != nil || string(got) != fmt.Sprintln(exitUnread) {
			t.Errorf("%s: status %q, %v; want %d", c.name, got, err, exitUnread)
		}
		last := lastCycle(t, dir)
		if last <= reached || last == cycles {
			t.Errorf("%s: it went from cycle %d to %d of %d", c.name, reached, last, cycles)
		}
		reached = last
	}
}
