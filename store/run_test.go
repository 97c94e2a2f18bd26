package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"spade"
)

func TestCreateLeavesRunsAlone(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	commitSample(t, r, 1)
	r.Close()
	before := contents(t, dir)
	_, err := Create(dir, []byte("seed: 8\n"))
	wantError(t, err, spade.ByUser, "already holds a run")
	for name, data := range contents(t, dir) {
		if before[name] != data {
			t.Errorf("%s changed", name)
		}
	}
	foreign := t.TempDir()
	if err := os.MkdirAll(filepath.Join(foreign, environmentsDir, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Create(foreign, config)
	wantError(t, err, spade.ByUser, "already holds a run")
}

// TestCreateAfterKill takes up a folder in which Create was killed before it wrote config.yaml.
func TestCreateAfterKill(t *testing.T) {
	dir := t.TempDir()
	create(t, dir).Close()
	if err := os.Rename(filepath.Join(dir, configName), filepath.Join(dir, configName+temporary)); err != nil {
		t.Fatal(err)
	}
	_, err := Resume(dir)
	wantError(t, err, spade.ByUser, "no run")
	r := create(t, dir)
	commitSample(t, r, 1)
}

func TestNoRun(t *testing.T) {
	_, err := Open(t.TempDir())
	wantError(t, err, spade.ByUser, "no run")
	_, err = Resume(filepath.Join(t.TempDir(), "missing"))
	wantError(t, err, spade.ByUser, "no run")
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	pid := fmt.Sprintf("in use by process %d", os.Getpid())
	_, err := Create(dir, config)
	wantError(t, err, spade.ByUser, pid)
	_, err = Resume(dir)
	wantError(t, err, spade.ByUser, pid)
	openRun(t, dir)
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	resume(t, dir)
}

func TestReaderCannotWrite(t *testing.T) {
	dir := t.TempDir()
	create(t, dir).Close()
	r := openRun(t, dir)
	if err := r.Commit(context.Background(), sampleCycle(1, 1, 1, 1), nil); err == nil {
		t.Error("a reader committed")
	}
	if err := r.Finish(context.Background(), nil); err == nil {
		t.Error("a reader finished the run")
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	if _, err := r.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	r.Close()
	for name, open := range map[string]func(string) (*Run, error){"open": Open, "resume": Resume} {
		_, err := open(dir)
		wantError(t, err, spade.ByUser, "schema version 99")
		if t.Failed() {
			t.Log(name)
		}
	}
}

func TestForeignDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{configName: "", databaseName: ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(dir)
	wantError(t, err, spade.ByStore, "is damaged")
	if err := os.WriteFile(filepath.Join(dir, databaseName), []byte("not a database, but long enough to look at"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a file of text was opened as a database")
	}
}

// TestReadWhileWriting reads through a second handle while cycles are committed: each is seen whole.
func TestReadWhileWriting(t *testing.T) {
	dir := t.TempDir()
	w, r := create(t, dir), openRun(t, dir)
	done := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			last, _, _, ok, err := r.Last()
			if err != nil {
				t.Error(err)
				return
			}
			if !ok {
				continue
			}
			if c, err := r.Cycle(last); err != nil || len(c.Episodes) != 16 || len(c.Designs) != 6 {
				t.Errorf("cycle %d: %d episodes, %d designs, %v", last, len(c.Episodes), len(c.Designs), err)
				return
			}
		}
	})
	for n := 1; n <= 10; n++ {
		commitSample(t, w, n)
	}
	close(done)
	readers.Wait()
}

func TestReaderLeavesNoFiles(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	commitSample(t, r, 1)
	r.Close()
	reader := openRun(t, dir)
	if _, err := reader.Stats(); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	if left, _ := filepath.Glob(filepath.Join(dir, databaseName+"-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestResumeRemovesOnlyItsOwn puts files of an uncommitted cycle and files of somebody else into a run.
func TestResumeRemovesOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 3 {
		commitSample(t, r, n)
	}
	r.Close()
	want := contents(t, dir)
	for name, theirs := range map[string]bool{
		"environments/0123456789abcdef.py":     false,
		"environments/0123456789abcdef.py.tmp": false,
		"environments/notes.py":                true,
		"environments/notes.tmp":               true,
		"episodes/cycle-00003.parquet":         false,
		"episodes/cycle-00003.parquet.tmp":     false,
		"episodes/all.parquet":                 true,
		"checkpoints/cycle-00003/weights":      false,
		"checkpoints/cycle-00003.tmp/weights":  false,
		"checkpoints/best/weights":             true,
		"notes.txt":                            true,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if theirs {
			want[name] = "x"
		}
	}
	resume(t, dir).Close()
	got := contents(t, dir)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s was removed or changed", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s was left", name)
		}
	}
}
