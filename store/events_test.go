package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
)

func TestEvents(t *testing.T) {
	won := 0.75
	c := spade.Cycle{
		Number: 2,
		Designs: []spade.Design{
			{Slot: 0, EnvID: "aa", Skill: "sum", PassageID: "p", Verdict: spade.Verdict{Admit: true}},
			{Cycle: 1, Slot: 1, EnvID: "bb", Skill: "sum", Verdict: spade.Verdict{Stage: "load", Reasons: []spade.Reason{{Code: spade.LoadError, Detail: "a < b"}}}},
			{Cycle: 2, Slot: 2, Skill: "lag"},
		},
		Environments: []spade.Environment{
			{ID: "aa", Class: "CraneEnv", Kind: spade.Game, Skill: "sum", Hint: "add", PassageID: "p", Cycle: 2},
			{ID: "given", Class: "OvenEnv", Kind: spade.Game, Skill: "lag"},
		},
		Scores: []spade.Score{{EnvID: "aa", Skill: "sum", Plays: 8, WinRate: 0.25, HintedWinRate: 0.5, Regret: 0.25, Reward: -1}},
		Stats: spade.CycleStats{Designed: 3, Admitted: 1, Refused: map[string]int{"no_source": 1, "load_error": 1}, Episodes: 16,
			WinRate: 0.25, HintedWinRate: 0.5, Train: map[string]float64{"loss": 0.5, "tokens": 99}, HeldOut: &won},
	}
	got, err := events(c)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`{"event":"environment","cycle":2,"slot":0,"id":"aa","class":"CraneEnv","kind":"game","skill":"sum","passage_id":"p","hint":"add","plays":8,"win_rate":0.25,"hinted_win_rate":0.5,"regret":0.25,"reward":-1}`,
		`{"event":"environment","cycle":2,"slot":0,"id":"given","class":"OvenEnv","kind":"game","skill":"lag","passage_id":"","hint":"","plays":0,"win_rate":0,"hinted_win_rate":0,"regret":0,"reward":0}`,
		`{"event":"refused","cycle":1,"slot":1,"id":"bb","skill":"sum","passage_id":"","stage":"load","reasons":[{"code":"load_error","detail":"a < b"}]}`,
		`{"event":"refused","cycle":2,"slot":2,"id":"","skill":"lag","passage_id":"","stage":"","reasons":[{"code":"no_source","detail":""}]}`,
		`{"event":"cycle","cycle":2,"env/avg_actor_win_rate":0.25,"env/avg_anchor":0,"env/avg_hinted_win_rate":0.5,"env/avg_r_no_hint":0,"env/avg_regret":0,"env/designer_reward":0,` +
			`"env/game_difficulty/easy_pct":0,"env/game_difficulty/hard_pct":1,"env/game_difficulty/medium_pct":0,"env/in_band":0,` +
			`"env/skill_sum/actor_win_rate":0.25,"env/skill_sum/designer_reward":0,"env/skill_sum/env_reward":-1,"env/skill_sum/r_no_hint":0,"env/vendi":0,` +
			`"env_validator/accepted":1,"env_validator/games_produced":2,"env_validator/games_requested":3,"env_validator/rejected":2,"env_validator/rejected_load_error":1,"env_validator/rejected_no_source":1,` +
			`"env_validator/rejection_rate":0.6666666666666667,"eval/step":2,"eval/win_rate":0.75,"rollout/num_actor_samples":16,"rollout/num_env_samples":3,"rollout/num_failed":0,"rollout/sampled_tokens":0,` +
			`"rollout/signal":0,"rollout/step":2,"rollout/trained_tokens":0,"rollout/turns":0,"train/loss":0.5,"train/tokens":99}`,
	}, "\n") + "\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestResumeRepairsEvents damages events.jsonl in the ways in which it can be behind, ahead or wrong.
func TestResumeRepairsEvents(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 3 {
		commitSample(t, r, n)
	}
	r.Close()
	path := filepath.Join(dir, eventsName)
	want := readText(t, path)
	second := strings.Index(want, `"event":"cycle","cycle":2`)
	for name, damaged := range map[string]string{
		"right":               want,
		"empty":               "",
		"torn":                want[:len(want)-10],
		"last cycle missing":  want[:second-1],
		"only its line end":   want[:len(want)-1],
		"a cycle too many":    want + want[second-1:],
		"a torn line too":     want + `{"event":"refu`,
		"zeros":               want[:second] + strings.Repeat("\x00", len(want)-second),
		"another line inside": "{}\n" + want,
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
				t.Fatal(err)
			}
			resume(t, dir).Close()
			if got := readText(t, path); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	resume(t, dir).Close()
	if readText(t, path) != want {
		t.Error("a missing file was not written again")
	}
}
