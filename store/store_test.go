package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
)

var config = []byte("seed: 7\n")

// sampleCycle returns a cycle that is determined by its arguments: designs of which every third is refused,
// and plays episodes with tokens tokens each for every admitted one. Its texts hold what texts may hold.
func sampleCycle(number, designs, plays, tokens int) spade.Cycle {
	draw := spade.Stream(7, number, 0, "sample")
	c := spade.Cycle{Number: number, State: fmt.Appendf(nil, `{"next":%d}`, number+1)}
	if number == 0 {
		won := 0.25
		c.Stats.HeldOut = &won
		return c
	}
	trajectory := func() spade.Trajectory {
		var t spade.Trajectory
		for i := range tokens {
			t.Tokens = append(t.Tokens, int32(draw.IntN(4096)))
			t.LogProbs = append(t.LogProbs, float32(-draw.ExpFloat64()))
			t.Mask = append(t.Mask, i >= tokens/3)
		}
		t.Version = int64(number - 1)
		return t
	}
	for slot := range designs {
		p := spade.Passage{Text: fmt.Sprintf("Passage %d.%d: a <crane> & “tow”.", number, slot), Source: "built-in:1",
			Meta: map[string]any{"skill": "sum", "weight": 1.5}}
		p.ID = spade.ContentID(p.Text)
		e := spade.NewEnvironment(fmt.Sprintf("class CraneEnv:\n  n = %d  # \u00e9\n", number*1000+slot))
		e.Class, e.Kind, e.Skill, e.Hint, e.PassageID, e.Cycle, e.Slot = "CraneEnv", spade.Game, "sum", "add up", p.ID, number, slot
		seed := int64(slot)
		d := spade.Design{Cycle: number, Slot: slot, Skill: "sum", PassageID: p.ID, EnvID: e.ID, Examples: []string{"a", "b"},
			Prompt: []spade.Message{{Speaker: spade.User, Name: spade.NamePassage, Content: p.Text}}, Reply: "```python\n" + e.Source,
			Trajectory: trajectory(), Raw: draw.Float64(), Reward: draw.NormFloat64(), Advantage: draw.NormFloat64(),
			First:       spade.Verdict{Stage: "load", Reasons: []spade.Reason{{Code: spade.LoadError, Detail: "no class"}}},
			Repairs:     []spade.Repair{{Fault: "no class", Reply: "class"}},
			Verdict:     spade.Verdict{Admit: true, Stage: "duplicate", Reasons: []spade.Reason{}, Warnings: []spade.Warning{{Code: "no_witness", Detail: "none"}}},
			HintVerdict: &spade.Verdict{Stage: "hint", Reasons: []spade.Reason{{Code: spade.HintLeak, Detail: "names 7", Evidence: spade.Evidence{Seed: &seed, Literal: "7"}}}},
		}
		c.Passages = append(c.Passages, p)
		c.Stats.Designed++
		if slot%3 == 2 {
			d.Verdict = spade.Verdict{Stage: "hang", Reasons: []spade.Reason{{Code: spade.Hang, Detail: "reset <0>"}}}
			d.HintVerdict, d.Examples, d.Repairs, d.Masked = nil, nil, nil, true
			c.Designs = append(c.Designs, d)
			c.Stats.Refused = map[string]int{"hang": designs / 3}
			continue
		}
		c.Designs = append(c.Designs, d)
		c.Environments = append(c.Environments, e)
		c.Stats.Admitted++
		c.Scores = append(c.Scores, spade.Score{EnvID: e.ID, Skill: "sum", Plays: plays, WinRate: draw.Float64(), Regret: math.Copysign(0, -1),
			Mean: -draw.Float64(), Raw: d.Raw, Reward: d.Reward, Replay: slot == 1})
		for i := range plays {
			c.Episodes = append(c.Episodes, sampleEpisode(number, slot, i, e.ID, trajectory()))
		}
	}
	c.Stats.Train = map[string]float64{"loss": draw.NormFloat64(), "tokens": 12}
	return c
}

func sampleEpisode(cycle, slot, i int, id string, t spade.Trajectory) spade.Episode {
	e := spade.Episode{EnvID: id, Cycle: cycle, Slot: slot, Arm: spade.Unhinted, Index: i / 2, Seed: math.MinInt64 + int64(i), Final: "won",
		Stop: spade.StopTerminated, Outcome: spade.OK, Return: 1}
	if i%2 == 1 {
		e.Arm, e.Hint = spade.Hinted, "add up"
	}
	if i == 5 {
		e.Stop, e.Outcome, e.Return = spade.StopEnvironment, spade.EnvExit, 0
		return e
	}
	half := len(t.Tokens) / 2
	for _, part := range [][2]int{{0, half}, {half, len(t.Tokens)}} {
		e.Turns = append(e.Turns, spade.Turn{Observation: "mod 8 at 3\nadd 1", Reply: `\boxed{ 4}`, Action: `\boxed{4}`, Reward: 0.5, Terminated: part[0] > 0,
			Tokens: t.Tokens[part[0]:part[1]], LogProbs: t.LogProbs[part[0]:part[1]], Mask: t.Mask[part[0]:part[1]], Version: t.Version})
	}
	return e
}

// saveNumber is a save function whose checkpoint depends on the cycle.
func saveNumber(number int) func(context.Context, string) error {
	return func(_ context.Context, dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, "optimiser"), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "optimiser", "moments"), bytes.Repeat([]byte{byte(number)}, 100), 0o644); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "weights"), fmt.Appendf(nil, "weights %d", number), 0o644)
	}
}

func commitSample(t testing.TB, r *Run, number int) spade.Cycle {
	t.Helper()
	c := sampleCycle(number, 6, 4, 12)
	if err := r.Commit(context.Background(), c, saveNumber(number)); err != nil {
		t.Fatalf("cycle %d: %v", number, err)
	}
	return c
}

func create(t testing.TB, dir string) *Run {
	t.Helper()
	r, err := Create(dir, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func resume(t testing.TB, dir string) *Run {
	t.Helper()
	r, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openRun(t testing.TB, dir string) *Run {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// contents returns the files of a run that depend on what was committed only, by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, databaseName) || name == lockName {
			return nil
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameContents fails if two runs differ in their files or in what the database holds of any cycle.
func sameContents(t testing.TB, got, want string) {
	t.Helper()
	have, wanted := contents(t, got), contents(t, want)
	for name := range wanted {
		if have[name] != wanted[name] {
			t.Errorf("%s differs", name)
		}
	}
	for name := range have {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s is there, and should not be", name)
		}
	}
	a, b := openRun(t, got), openRun(t, want)
	stats, err := b.Stats()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stats {
		x, err := a.Cycle(s.Cycle)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Cycle(s.Cycle)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Errorf("cycle %d differs", s.Cycle)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd name?#%41 é")
	r := create(t, dir)
	var want []spade.Cycle
	for n := range 4 {
		want = append(want, commitSample(t, r, n))
	}
	if err := r.Finish(context.Background(), []byte(`{"after":0.5}`)); err != nil {
		t.Fatal(err)
	}
	for name, reader := range map[string]*Run{"writer": r, "reader": openRun(t, dir)} {
		t.Run(name, func(t *testing.T) { checkReaders(t, reader, want) })
	}
	if string(r.Config()) != string(config) || r.Dir() != dir {
		t.Errorf("config %q, dir %q", r.Config(), r.Dir())
	}
}

func checkReaders(t *testing.T, r *Run, want []spade.Cycle) {
	var environments []spade.Environment
	for _, w := range want {
		got, err := r.Cycle(w.Number)
		if err != nil {
			t.Fatal(err)
		}
		w = sorted(w)
		if !reflect.DeepEqual(got, w) {
			t.Errorf("cycle %d:\n got %+v\nwant %+v", w.Number, got, w)
		}
		environments = append(environments, w.Environments...)
	}
	all, err := r.Environments()
	if err != nil || !reflect.DeepEqual(all, environments) {
		t.Errorf("environments: %v, %v", all, err)
	}
	one, err := r.Environment(environments[3].ID)
	if err != nil || one != environments[3] {
		t.Errorf("environment: %v, %v", one, err)
	}
	history, err := r.History(environments[0].ID)
	if err != nil || len(history) != 1 || history[0].Cycle != 1 || history[0].Score != want[1].Scores[0] {
		t.Errorf("history: %v, %v", history, err)
	}
	stats, err := r.Stats()
	if err != nil || len(stats) != len(want) || stats[0].HeldOut == nil || !reflect.DeepEqual(stats[3].CycleStats, want[3].Stats) {
		t.Errorf("stats: %v, %v", stats, err)
	}
	number, state, checkpoint, ok, err := r.Last()
	if err != nil || !ok || number != 3 || string(state) != `{"next":4}` || checkpoint != filepath.Join(r.Dir(), "checkpoints/cycle-00003") {
		t.Errorf("last: %d %s %s %v %v", number, state, checkpoint, ok, err)
	}
	if summary, err := r.Summary(); err != nil || string(summary) != `{"after":0.5}` {
		t.Errorf("summary: %s, %v", summary, err)
	}
}

func TestUnknownCycleAndEnvironment(t *testing.T) {
	r := create(t, t.TempDir())
	if _, _, _, ok, err := r.Last(); ok || err != nil {
		t.Errorf("last of an empty run: %v, %v", ok, err)
	}
	if summary, err := r.Summary(); summary != nil || err != nil {
		t.Errorf("summary of an empty run: %s, %v", summary, err)
	}
	_, err := r.Cycle(1)
	wantError(t, err, spade.ByUser, "no cycle 1")
	_, err = r.Environment("0000000000000000")
	wantError(t, err, spade.ByUser, "no environment")
}

// wantError fails unless err is a spade.Error at a boundary, has a next step, and says text.
func wantError(t testing.TB, err error, b spade.Boundary, text string) *spade.Error {
	t.Helper()
	var e *spade.Error
	if !errors.As(err, &e) || e.Boundary != b || e.Next == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("got %#v (%v), want an error by the %s that says %q and what to do next", err, err, b, text)
		return &spade.Error{}
	}
	return e
}

func TestOrderOfPlayLeavesNoTrace(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	c := sampleCycle(1, 6, 6, 12)
	if err := create(t, a).Commit(context.Background(), c, saveNumber(1)); err != nil {
		t.Fatal(err)
	}
	draw := spade.Stream(1, 0, 0, "shuffle")
	draw.Shuffle(len(c.Episodes), func(i, j int) { c.Episodes[i], c.Episodes[j] = c.Episodes[j], c.Episodes[i] })
	draw.Shuffle(len(c.Designs), func(i, j int) { c.Designs[i], c.Designs[j] = c.Designs[j], c.Designs[i] })
	if err := create(t, b).Commit(context.Background(), c, saveNumber(1)); err != nil {
		t.Fatal(err)
	}
	sameContents(t, b, a)
}

func TestCyclesFollowOneAnother(t *testing.T) {
	r := create(t, t.TempDir())
	if err := r.Commit(context.Background(), sampleCycle(2, 1, 0, 1), nil); err == nil {
		t.Error("a run began with cycle 2")
	}
	r.Close()
	r = resume(t, r.Dir())
	commitSample(t, r, 1)
	if err := r.Commit(context.Background(), sampleCycle(1, 1, 0, 1), nil); err == nil {
		t.Error("cycle 1 was committed twice")
	}
	if err := r.Commit(context.Background(), sampleCycle(2, 1, 0, 1), nil); err == nil {
		t.Error("a run went on after a failure")
	}
}

func TestRetention(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 5 {
		commitSample(t, r, n)
	}
	entries, err := os.ReadDir(filepath.Join(dir, checkpointsDir))
	if err != nil || len(entries) != 2 || entries[0].Name() != "cycle-00003" || entries[1].Name() != "cycle-00004" {
		t.Errorf("checkpoints: %v, %v", entries, err)
	}
}

func TestNoWeights(t *testing.T) {
	r := create(t, t.TempDir())
	if err := r.Commit(context.Background(), sampleCycle(1, 2, 1, 4), nil); err != nil {
		t.Fatal(err)
	}
	if n, _, checkpoint, ok, err := r.Last(); n != 1 || checkpoint != "" || !ok || err != nil {
		t.Errorf("last: %d %q %v %v", n, checkpoint, ok, err)
	}
}

func TestCommitClearsSummary(t *testing.T) {
	r := create(t, t.TempDir())
	for n := 1; n <= 2; n++ {
		commitSample(t, r, n)
		if summary, err := r.Summary(); summary != nil || err != nil {
			t.Errorf("after cycle %d: %s, %v", n, summary, err)
		}
		for range 2 {
			if err := r.Finish(context.Background(), []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNothingIsCommittedWhenSavingFails(t *testing.T) {
	broken := errors.New("the trainer is gone")
	for name, test := range map[string]struct {
		save func(cancel func()) error
		want error
	}{
		"error":  {func(func()) error { return broken }, broken},
		"cancel": {func(cancel func()) error { cancel(); return nil }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := create(t, dir)
			commitSample(t, r, 1)
			before := contents(t, dir)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			err := r.Commit(ctx, sampleCycle(2, 6, 4, 12), func(_ context.Context, dir string) error {
				if err := os.Mkdir(dir, 0o755); err != nil {
					return err
				}
				return test.save(cancel)
			})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if after := contents(t, dir); !reflect.DeepEqual(after, before) {
				t.Errorf("files were left: %v", after)
			}
			r.Close()
			r = resume(t, dir)
			if n, _, _, _, _ := r.Last(); n != 1 {
				t.Errorf("last cycle %d", n)
			}
			commitSample(t, r, 2)
		})
	}
}

func TestNumbersThatJSONCannotHold(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	c := sampleCycle(1, 3, 1, 4)
	c.Stats.Train["loss"] = math.NaN()
	err := r.Commit(context.Background(), c, saveNumber(1))
	wantError(t, err, spade.ByStore, "statistics")
	if entries, _ := os.ReadDir(filepath.Join(dir, environmentsDir)); len(entries) > 0 {
		t.Errorf("files were left: %v", entries)
	}
}

func TestChangedSourceIsNoticed(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	c := commitSample(t, r, 1)
	path := filepath.Join(dir, environmentsDir, c.Environments[0].ID+".py")
	if err := os.WriteFile(path, []byte("pass"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := r.Cycle(1)
	wantError(t, err, spade.ByStore, "changed")
}

func TestWrongIDIsRefused(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	c := sampleCycle(1, 3, 1, 4)
	c.Environments[1].ID = "../../escaped"
	if err := r.Commit(context.Background(), c, saveNumber(1)); err == nil {
		t.Error("an id that is not that of the source was committed")
	}
	for _, name := range []string{environmentsDir, checkpointsDir} {
		if entries, _ := os.ReadDir(filepath.Join(dir, name)); len(entries) > 0 {
			t.Errorf("files were left in %s: %v", name, entries)
		}
	}
}

func TestEnvironmentCommittedAgain(t *testing.T) {
	r := create(t, t.TempDir())
	c := sampleCycle(1, 3, 1, 4)
	c.Environments = append(c.Environments, c.Environments[0])
	if err := r.Commit(context.Background(), c, nil); err != nil {
		t.Fatal(err)
	}
	again := sampleCycle(2, 3, 1, 4)
	e := c.Environments[0]
	e.Hint = "a better one"
	again.Environments = append(again.Environments, e)
	if err := r.Commit(context.Background(), again, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Environment(e.ID); err != nil || got != e {
		t.Errorf("got %+v, %v", got, err)
	}
	all, err := r.Environments()
	if err != nil || len(all) != 4 || all[0] != e {
		t.Errorf("got %+v, %v", all, err)
	}
}

// TestDatabaseAnswersPeople runs queries that the schema promises to people.
func TestDatabaseAnswersPeople(t *testing.T) {
	r := create(t, t.TempDir())
	commitSample(t, r, 0)
	commitSample(t, r, 1)
	for query, want := range map[string]string{
		"SELECT group_concat(code || ':' || subject || ':' || slot) FROM (SELECT * FROM reasons ORDER BY slot)":   "hint_leak:hint:0,hint_leak:hint:1,hang:environment:2,hint_leak:hint:3,hint_leak:hint:4,hang:environment:5",
		"SELECT admitted || '/' || designed FROM cycles WHERE number = 1":                                         "4/6",
		"SELECT held_out FROM cycles WHERE held_out IS NOT NULL":                                                  "0.25",
		"SELECT count(*) FROM designs WHERE NOT admit AND stage = 'hang'":                                         "2",
		`SELECT count(*) FROM episodes WHERE arm = 'hinted' AND turns = 2 AND "index" = 1 AND return = 1`:         "4",
		"SELECT count(*) FROM episodes e JOIN environments v ON v.id = e.env_id JOIN scores s ON s.env_id = v.id": "16",
		"PRAGMA journal_mode":    "wal",
		"PRAGMA synchronous":     "2",
		"PRAGMA foreign_keys":    "1",
		"PRAGMA integrity_check": "ok",
	} {
		var got string
		if err := r.db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
		}
	}
}
