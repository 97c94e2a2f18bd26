package store

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
)

// finished is the folder of a run of three cycles that nobody writes.
func finished(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my run")
	r := create(t, dir)
	for n := range 4 {
		commitSample(t, r, n)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDamagedRun: whatever was lost, a run is not gone on with; what was lost and what to do is said without the words of
// libraries alone, and nothing else is touched.
func TestDamagedRun(t *testing.T) {
	environment := "environments/" + sampleCycle(1, 6, 4, 9).Environments[0].ID + ".py"
	for name, c := range map[string]struct {
		harm       func(t *testing.T, dir string)
		want, next string
	}{
		"no database":        {remove("spade.db"), "spade.db is missing from the run in ", "put spade.db back from a copy"},
		"another file":       {write("spade.db", "these are notes, and long enough to be looked at by a database"), "spade.db' is damaged", "--policy local:'"},
		"an empty database":  {write("spade.db", ""), "spade.db' is damaged (", "put spade.db back"},
		"half a database":    {cut("spade.db", 20000), "spade.db' is damaged (", "put spade.db back"},
		"a hole in it":       {overwrite("spade.db", 3*4096, 4096), "spade.db' is damaged (", "put spade.db back"},
		"no environment":     {remove(environment), environment + "': it is missing", "put the files back from a copy; without one, begin a new run"},
		"another source":     {write(environment, "class AEnv: pass"), environment + "': it was changed after", "put the files back"},
		"half the episodes":  {cut("episodes/cycle-00002.parquet", 500), "cycle-00002.parquet': it is no whole Parquet file", "put the files back"},
		"no episodes":        {remove("episodes"), "cycle-00003.parquet': it is missing", "put the files back"},
		"no weights":         {remove("checkpoints/cycle-00003"), "cycle-00003': it is missing", "checkpoints/cycle-00002'"},
		"no configuration":   {remove("config.yaml"), "config.yaml is missing from the run in ", "put the file back"},
		"events in the way":  {folder("events.jsonl"), "repairing events.jsonl", "out of the way"},
		"an older database":  {write("episodes/cycle-00009.parquet", "x"), "knows cycles up to 3, but there is ", "put the newest spade.db back"},
		"weights from later": {folder("checkpoints/cycle-00007"), "knows cycles up to 3, but there is ", "move what is newer"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := finished(t)
			c.harm(t, dir)
			before := contents(t, dir)
			r, err := Resume(dir)
			if err == nil {
				r.Close()
				t.Fatal("it was resumed")
			}
			e := wantError(t, err, spade.ByStore, c.want)
			if !strings.Contains(e.Next, c.next) {
				t.Errorf("next is %q, want %q", e.Next, c.next)
			}
			after := contents(t, dir)
			for file, text := range before {
				if !strings.HasPrefix(file, "spade.db") && file != "lock" && after[file] != text {
					t.Errorf("%s was removed or changed", file)
				}
			}
		})
	}
}

// TestMissing: a whole run misses nothing; one that is read says all that it misses, and the rest can be read.
func TestMissing(t *testing.T) {
	dir := finished(t)
	r := openRun(t, dir)
	if missing, err := r.Missing(); err != nil || len(missing) > 0 {
		t.Fatalf("a whole run misses %q, %v", missing, err)
	}
	remove("environments/"+sampleCycle(1, 6, 4, 9).Environments[0].ID+".py")(t, dir)
	cut("episodes/cycle-00002.parquet", 500)(t, dir)
	missing, err := r.Missing()
	if err != nil || len(missing) != 2 {
		t.Fatalf("missing: %q, %v", missing, err)
	}
	if environments, err := r.Index(); err != nil || len(environments) == 0 {
		t.Errorf("%d environments, %v", len(environments), err)
	}
	_, err = r.Episodes(2)
	wantError(t, err, spade.ByStore, "it is no whole Parquet file")
	if episodes, err := r.Episodes(3); err != nil || len(episodes) == 0 {
		t.Errorf("%d episodes, %v", len(episodes), err)
	}
}

// TestSalvage: without its database a run still says what its events say, line by line.
func TestSalvage(t *testing.T) {
	dir := finished(t)
	r := openRun(t, dir)
	want, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
	environments, err := r.Index()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	remove("spade.db")(t, dir)
	got, err := Salvage(dir)
	if err != nil || string(got.Config) != string(config) || got.Unread != 0 || len(got.Stats) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want {
		// What only the database knows.
		want[i].Placebos, want[i].RegretExplained, want[i].Secrets = 0, 0, 0
		for _, m := range []*map[string]int{&want[i].Refused, &got.Stats[i].Refused} {
			if len(*m) == 0 {
				*m = nil
			}
		}
		for _, m := range []*map[string]float64{&want[i].Train, &got.Stats[i].Train} {
			if len(*m) == 0 {
				*m = nil
			}
		}
		if !reflect.DeepEqual(got.Stats[i], want[i]) {
			t.Errorf("cycle %d: got %+v\nwant %+v", i, got.Stats[i], want[i])
		}
	}
	if !reflect.DeepEqual(got.Environments, environments) || len(got.Scores) != len(environments) {
		t.Errorf("environments %+v\nwant %+v", got.Environments, environments)
	}
	f, err := os.OpenFile(filepath.Join(dir, eventsName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("{\"event\":\"cyc\n\x00\n[1]\n{\"event\":\"cycle\",\"cycle\":\"x\"}\n{\"event\":\"environment\",\"cycle\":\"x\"}\n")
	f.Close()
	if again, err := Salvage(dir); err != nil || again.Unread != 5 || len(again.Stats) != len(want) {
		t.Errorf("%d lines unread, %d cycles, %v", again.Unread, len(again.Stats), err)
	}
	if _, err := Salvage(t.TempDir()); err == nil {
		t.Error("an empty folder is a run")
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func write(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func cut(name string, size int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
}

func overwrite(name string, at int64, size int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", size)), at); err != nil {
			t.Fatal(err)
		}
	}
}

func folder(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		remove(name)(t, dir)
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
