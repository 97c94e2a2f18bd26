package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/store"
)

// TestKnownOf: an environment in the folder of its run is played with what the run knows of it, any other with nothing.
func TestKnownOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my run")
	run, err := store.Create(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := spade.NewEnvironment("class AEnv:\n  pass\n")
	env.Class, env.Kind, env.Skill, env.Hint = "AEnv", spade.Game, "sum", "look twice"
	score := func(rate float64) []spade.Score {
		return []spade.Score{{EnvID: "other"}, {EnvID: env.ID, Skill: "sum", Plays: 12, WinRate: rate, HintedPlays: 6, HintedWinRate: 1, Regret: 0.5}}
	}
	for number, c := range []spade.Cycle{{}, {Environments: []spade.Environment{env}, Scores: score(0.25)}, {Scores: score(0.5)}, {}} {
		c.Number = number
		if err := run.Commit(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	file := filepath.Join(dir, "environments", env.ID+".py")
	k := knownOf(file, env.ID)
	if k.hint != "look twice" || k.run != dir || k.cycle != 2 || k.score == nil || k.score.WinRate != 0.5 {
		t.Errorf("known: %+v", k)
	}
	copied := filepath.Join(t.TempDir(), env.ID+".py")
	if err := os.WriteFile(copied, []byte(env.Source), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]known{"another file": knownOf(copied, env.ID), "another source": knownOf(file, "0123456789abcdef")} {
		if k != (known{}) {
			t.Errorf("%s: known: %+v", name, k)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "spade.db"), []byte("no database, but long enough to be looked at"), 0o644); err != nil {
		t.Fatal(err)
	}
	if k := knownOf(file, env.ID); k != (known{}) {
		t.Errorf("of a broken run: %+v", k)
	}

	var out bytes.Buffer
	s := &session{command: &playCommand{}, con: console{out: &out}, known: k, blind: map[int64]float64{7: 0}, hinted: map[int64]float64{}}
	s.sum(&table{budget: 25, game: played{Seed: 7, Turns: make([]playedTurn, 3), Return: 1, Status: "won", HintTurn: 1}})
	want := "You won after 3 of at most 25 turns, with the hint from turn 1 on.\nYour regret on seed 7: +1.00 (blind 0.00, with the hint 1.00).\n" +
		"The model in cycle 2: 50 % of 12 won blind, 100 % of 6 with the hint; its regret is +0.50.\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("there are escape codes")
	}
}
