package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spade"
	"spade/sandbox/python"
	"spade/store"
)

// TestTensorBoardReadsARun lets TensorBoard's own reader, fetched by pip from a pinned, hash-checked list, read the event
// file of a run.
func TestTensorBoardReadsARun(t *testing.T) {
	won := 0.25
	cycles := []spade.Cycle{{Stats: spade.CycleStats{HeldOut: &won}}}
	for number := 1; number < 4; number++ {
		cycles = append(cycles, spade.Cycle{
			Number: number,
			Scores: []spade.Score{{EnvID: "a", Skill: "sum", Plays: 4, WinRate: 0.3 * float64(number), Regret: -0.1}},
			Stats:  spade.CycleStats{Designed: 4, Admitted: number, Train: map[string]float64{"loss": 1e-9}, Samples: &spade.SampleStats{Blind: number}},
		})
	}
	dir := filepath.Join(t.TempDir(), "run")
	run, err := store.Create(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for _, c := range cycles {
		if err := run.Commit(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	read := readTensorBoard(t, dir)
	for _, c := range cycles {
		for name, value := range c.Metrics() {
			found := false
			for _, at := range read[name] {
				found = found || at == [2]float64{float64(c.Number), float64(float32(value))}
			}
			if !found {
				t.Errorf("%s of cycle %d is %v, TensorBoard read %v", name, c.Number, value, read[name])
			}
		}
	}
}

// readTensorBoard returns step and value of every event of a folder, by tag. Where there is no pip, or nothing that it
// could reach, the test is skipped.
func readTensorBoard(t *testing.T, dir string) map[string][][2]float64 {
	t.Helper()
	interpreter, err := python.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	numpy, err := interpreter.Packages(t.Context(), func(int, int, string) {})
	if err != nil {
		t.Skipf("numpy, which TensorBoard needs, cannot be had: %v", err)
	}
	packages := t.TempDir()
	pip := exec.Command(interpreter.Command, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--no-compile",
		"--only-binary=:all:", "--require-hashes", "-r", "testdata/tensorboard/requirements.txt", "--target", packages)
	if out, err := pip.CombinedOutput(); err != nil {
		t.Skipf("pip cannot fetch TensorBoard: %v\n%s", err, out)
	}
	cmd := exec.Command(interpreter.Command, "-W", "ignore", "testdata/tensorboard/read.py", dir)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages+string(os.PathListSeparator)+numpy, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if exit, failed := err.(*exec.ExitError); failed {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var read map[string][][2]float64
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return read
}
