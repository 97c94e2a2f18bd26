package store

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScalarsAreRepaired damages the event file in the ways in which it can be: Resume makes it whole again.
func TestScalarsAreRepaired(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 3 {
		commitSample(t, r, n)
	}
	r.Close()
	path := filepath.Join(dir, scalarsName)
	want, err := os.ReadFile(path)
	if err != nil || len(want) < 100 {
		t.Fatalf("%d bytes, %v", len(want), err)
	}
	for name, damage := range map[string][]byte{"torn": want[:len(want)-7], "empty": nil, "with more": append(append([]byte{}, want...), 1, 2, 3), "changed": make([]byte, len(want))} {
		if err := os.WriteFile(path, damage, 0o644); err != nil {
			t.Fatal(err)
		}
		resume(t, dir).Close()
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes instead of %d, %v", name, len(got), len(want), err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	resume(t, dir).Close()
	if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
		t.Errorf("removed: %d bytes instead of %d, %v", len(got), len(want), err)
	}
}
