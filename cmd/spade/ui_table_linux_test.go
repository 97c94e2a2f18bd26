package main

import (
	"testing"

	"spade"
	"spade/selfplay"
	"spade/web"
)

// talker never ends, and says more than a narrow limit lets through; budgeted has a budget of two turns.
const talker = `
class TalkEnv:
    def reset(self, seed=None):
        return "talk " * 100, {}

    def step(self, action):
        return "on", 0.0, False, False, {}
`

const budgeted = talker + `
    max_turns = 2
`

// uiRunOf is a run of which only its configuration is known.
func uiRunOf(turns, observation int) *uiRun {
	cfg := selfplay.Default()
	cfg.Play.MaxTurns, cfg.Sandbox.Observation = turns, observation
	return &uiRun{config: cfg}
}

// TestTableKeepsTheRunsLimits: whoever plays on a page has the turns and the limits that the run gave its model.
func TestTableKeepsTheRunsLimits(t *testing.T) {
	table := &jailTable{isolation: "full", tell: teller{notice: func(text string) { t.Log(text) }}}
	t.Cleanup(table.close)
	wide, narrow := uiRunOf(3, 64<<10), uiRunOf(3, 100)
	deal := func(run web.Run, source string) web.GameState {
		t.Helper()
		game, err := table.Deal(t.Context(), run, spade.NewEnvironment(source), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer game.Close()
		state := game.State()
		for state.Status == "playing" {
			if state, err = game.Step(t.Context(), "go"); err != nil {
				t.Fatal(err)
			}
		}
		return state
	}
	for _, test := range []struct {
		name   string
		run    *uiRun
		source string
		status string
		turns  int
	}{
		{"the run's budget", wide, talker, "truncated", 3},
		{"a longer one", uiRunOf(30, 64<<10), talker, "truncated", 30},
		{"the environment's own below it", wide, budgeted, "truncated", 2},
		{"narrow limits", narrow, talker, string(spade.OutputLimit), 0},
		{"wide ones again", wide, talker, "truncated", 3},
	} {
		if state := deal(test.run, test.source); state.Status != test.status || state.Turn != test.turns {
			t.Errorf("%s: %+v", test.name, state)
		}
	}
	if len(table.jails) != 2 {
		t.Errorf("%d jails for two sets of limits", len(table.jails))
	}
}
