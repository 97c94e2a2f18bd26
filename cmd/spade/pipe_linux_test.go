package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
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
