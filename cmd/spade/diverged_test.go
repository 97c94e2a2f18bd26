package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/policy"
	"spade/selfplay"
	"spade/store"
)

// TestDiverged: a model that broke in training is blamed on the learning rate, not on a server, and what is safe is named.
func TestDiverged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my run")
	run, err := store.Create(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	save := func(_ context.Context, dir string) error { return os.MkdirAll(dir, 0o755) }
	for number := range 3 {
		if err := run.Commit(t.Context(), spade.Cycle{Number: number}, save); err != nil {
			t.Fatal(err)
		}
	}
	cfg := selfplay.Default()
	cfg.Learn.LearningRate = 0.5
	cause := fmt.Errorf("cycle 3: the weights are not finite: %w", policy.ErrDiverged)
	var stderr strings.Builder
	if status := report(&stderr, t.Context(), diverged(cfg, run, cause)); status != exitUsage {
		t.Errorf("status %d, want %d", status, exitUsage)
	}
	for _, want := range []string{
		"spade: run '" + dir + "': cycle 3: the weights are not finite", "lower learn.learning_rate (it is 0.5; the default is 0.0003)",
		"cycles up to 2 are safe", "--policy local:'" + dir + "/checkpoints/cycle-00002'",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is missing in %s", want, stderr.String())
		}
	}
}
