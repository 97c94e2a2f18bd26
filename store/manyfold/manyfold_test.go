package main

import (
	"path/filepath"
	"testing"

	"spade"
	"spade/store"
)

// TestMultiply asks for seven times the environments and more episodes than that gives.
func TestMultiply(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	source, err := store.Create(from, []byte("arm: spade\ncycles: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for _, c := range []spade.Cycle{{Number: 0}, played(1), played(2)} {
		if err := source.Commit(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := source.Finish(t.Context(), []byte(`{"done":true}`)); err != nil {
		t.Fatal(err)
	}
	if err := multiply(t.Context(), from, to, 13, 80); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	environments, err := run.Environments()
	if err != nil {
		t.Fatal(err)
	}
	last, _, _, _, err := run.Last()
	if err != nil {
		t.Fatal(err)
	}
	if len(environments) != 14 || last != 14 || string(run.Config()) != "arm: spade\ncycles: 14\n" {
		t.Fatalf("%d environments in %d cycles of %q; want 14 in 14", len(environments), last, run.Config())
	}
	episodes := 0
	for _, e := range environments {
		plays, err := run.Plays(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		episodes += len(plays)
		if pair, err := run.Paired(e.Cycle, e.ID, plays[len(plays)-1].Index); err != nil || len(pair) == 0 {
			t.Errorf("environment %s of cycle %d: the last of its plays is not there (%v)", e.ID, e.Cycle, err)
		}
	}
	if missing, err := run.Missing(); episodes != 80 || len(missing) > 0 || err != nil {
		t.Errorf("%d episodes, missing %v (%v); want 80 and none", episodes, missing, err)
	}
	summary, err := run.Summary()
	if err != nil || string(summary) != `{"done":true}` {
		t.Errorf("summary %s (%v)", summary, err)
	}
}

// played is a cycle with one environment, played once in either arm.
func played(number int) spade.Cycle {
	e := spade.NewEnvironment("class Env: pass  # " + string(rune('a'+number)) + "\n")
	e.Cycle = number
	episode := spade.Episode{EnvID: e.ID, Cycle: number, Arm: spade.Unhinted, Seed: 3, Stop: spade.StopTruncated, Outcome: spade.OK}
	hinted := episode
	hinted.Arm = spade.Hinted
	return spade.Cycle{Number: number, Environments: []spade.Environment{e}, Episodes: []spade.Episode{episode, hinted},
		Scores: []spade.Score{{EnvID: e.ID, Plays: 1, HintedPlays: 1}}}
}
