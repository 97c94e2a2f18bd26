package store

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTensorBoardReadsScalars lets the tensorboard package read a run, where Python has it.
func TestTensorBoardReadsScalars(t *testing.T) {
	if exec.Command("python3", "-c", "import tensorboard.backend.event_processing.event_accumulator").Run() != nil {
		t.Skip("python3 has no tensorboard package (pip install tensorboard)")
	}
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 4 {
		commitSample(t, r, n)
	}
	const script = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0}); a.Reload()
print(json.dumps({t: [[e.step, e.value] for e in a.Scalars(t)] for t in a.Tags()["scalars"]}))`
	out, err := exec.Command("python3", "-c", script, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var read map[string][][2]float64
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		c, err := r.Cycle(n)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range c.Metrics() {
			found := false
			for _, at := range read[name] {
				found = found || at == [2]float64{float64(n), float64(float32(value))}
			}
			if !found {
				t.Errorf("%s of cycle %d is %v, TensorBoard read %v", name, n, value, read[name])
			}
		}
	}
}

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
