package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/selfplay"
	"spade/store"
)

// TestProgressOf: a run is over once its last cycle is committed and it is summed up, and not when it was made longer and
// stopped before it committed another one.
func TestProgressOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cfg := selfplay.Default()
	cfg.Cycles = 1
	progress := func() (done, begun bool) {
		t.Helper()
		done, begun, err := progressOf(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return done, begun
	}
	if done, begun := progress(); done || begun {
		t.Errorf("no run: done %v, begun %v", done, begun)
	}
	run, err := create(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	step := func(do func(run *store.Run) error) {
		t.Helper()
		if run == nil {
			if run, err = store.Resume(dir); err != nil {
				t.Fatal(err)
			}
		}
		if err := do(run); err != nil {
			t.Fatal(err)
		}
		run.Close()
		run = nil
	}
	commit := func(number int) func(run *store.Run) error {
		return func(run *store.Run) error {
			return run.Commit(t.Context(), spade.Cycle{Number: number, State: []byte("{}")}, func(_ context.Context, dir string) error { return os.Mkdir(dir, 0o755) })
		}
	}
	step(commit(0))
	step(commit(1))
	if done, begun := progress(); done || !begun {
		t.Errorf("not summed up: done %v, begun %v", done, begun)
	}
	step(func(run *store.Run) error { return run.Finish(t.Context(), []byte("{}")) })
	if done, _ := progress(); !done {
		t.Error("summed up, and not done")
	}
	cfg.Cycles = 2
	if done, _ := progress(); done {
		t.Error("done at a length that it does not have")
	}
	step(func(run *store.Run) error {
		data, err := encodeConfig(cfg)
		if err != nil {
			return err
		}
		return run.SetConfig(data)
	})
	if done, begun := progress(); done || !begun {
		t.Errorf("made longer: done %v, begun %v", done, begun)
	}
	cfg.Cycles, cfg.Environments = 1, 3
	if _, _, err := progressOf(dir, cfg); err == nil || !strings.Contains(err.Error(), ": cycles is 2 there and 1 here") {
		t.Errorf("made shorter: %v", err)
	}
	cfg.Cycles = 2
	if _, _, err := progressOf(dir, cfg); err == nil || !strings.HasSuffix(err.Error(), ": environments is 16 there and 3 here") {
		t.Errorf("another setting: %v", err)
	}
}
