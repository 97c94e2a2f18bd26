package spade

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// fullCycle is a cycle in which everything was measured.
func fullCycle() Cycle {
	won, moved := 0.5, 0.1
	return Cycle{
		Number: 3,
		Scores: []Score{
			{Skill: "sum", Plays: 4, HintedPlays: 2, WinRate: 0.5, Mean: 0.5, HintedMean: 1, Regret: 0.5, Raw: 0.75, Reward: 0.25},
			{Skill: "sum", Plays: 4, WinRate: 1, Mean: 0.9, Raw: 0.25, Reward: -0.25},
			{Skill: "lag", Plays: 4, HintedPlays: 2, Mean: 0.1, HintedMean: 0, Regret: -0.1},
			{Skill: "lag", Plays: 4, HintedPlays: 2, WinRate: 1, Mean: 1, Replay: true},
			{Skill: "tune"}, // nobody played it
		},
		Stats: CycleStats{
			Designed: 8, Admitted: 6, Refused: map[string]int{"no_source": 1, "hang": 1}, Episodes: 24, Failures: map[string]int{"timeout": 1}, HeldOut: &won,
			Train: map[string]float64{"loss": 0.5},
			Samples: &SampleStats{Blind: 15, Advantage: 0.1, Training: 5, DesignerReward: 0.5, AgentSequences: 15, DesignerSequences: 5, Rewarded: 8, Floored: 0.25,
				Skills: map[string]ReturnStats{"sum": {Mean: 0.5, Std: 0.25}}, Potential: &moved},
		},
	}
}

// TestMetricsAreDeclared: what a full cycle gives is what the table declares, no more and no less.
func TestMetricsAreDeclared(t *testing.T) {
	c := fullCycle()
	given := map[string]bool{}
	for name := range c.Metrics() {
		m, known := MetricNamed(name)
		if !known {
			t.Errorf("%s is in no table", name)
		}
		given[m.Name] = true
	}
	for _, m := range MetricTable() {
		if !given[m.Name] {
			t.Errorf("%s is not given", m.Name)
		}
	}
	if _, known := MetricNamed("env/skill_/actor_win_rate"); known {
		t.Error("a name without a skill is known")
	}
}

func TestMetricValues(t *testing.T) {
	c := fullCycle()
	got := c.Metrics()
	for name, want := range map[string]float64{
		"rollout/step": 3, "eval/step": 3, "eval/win_rate": 0.5, "rollout/mean_return": 0.2, "rollout/env_batch_fraction": 0.25,
		"env/avg_r_no_hint": 0.5, "env/avg_r_hint": 0.5, "env/game_difficulty/easy_pct": 1. / 3, "env/game_difficulty/hard_pct": 1. / 3, "env/game_difficulty/medium_pct": 1. / 3,
		"env/skill_sum/actor_win_rate": 0.75, "env/skill_sum/r_hint": 1, "env/skill_sum/mean_regret": 0.5, "env/skill_sum/env_reward": 0, "env/skill_sum/designer_reward": 0.5,
		"env/skill_lag/actor_win_rate": 0, "env/skill_lag/r_no_hint": 0.1, "actor/skill_sum/std_reward": 0.25, "env_validator/games_produced": 7,
		"env_validator/rejection_rate": 0.25, "env_validator/rejected_hang": 1, "rollout/policy_failed_timeout": 1, "train/loss": 0.5, "env/proposer_floored_frac": 0.25,
	} {
		if value, ok := got[name]; !ok || value-want > 1e-12 || want-value > 1e-12 {
			t.Errorf("%s is %v (given: %v), want %v", name, value, ok, want)
		}
	}
	empty := Cycle{}
	for _, name := range []string{"eval/win_rate", "env/avg_r_hint", "env/game_difficulty/easy_pct", "rollout/num_timeout", "env_validator/rejection_rate", "env/proposer_floored_frac"} {
		if value, ok := empty.Metrics()[name]; ok {
			t.Errorf("a cycle that measured nothing says that %s is %v", name, value)
		}
	}
}

// TestMetricsAreDocumented: the table of docs/metrics.md is that of the code.
func TestMetricsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(string(data), "\n## Names\n")
	names, _, _ = strings.Cut(names, "\n## ")
	documented := map[string]bool{}
	for line := range strings.Lines(names) {
		if strings.HasPrefix(line, "| `") {
			documented[strings.TrimSpace(line)] = true
		}
	}
	for _, m := range MetricTable() {
		row := fmt.Sprintf("| `%s` | %s | %s |", m.Name, m.Unit, m.Help)
		if !documented[row] {
			t.Errorf("docs/metrics.md lacks the line\n%s", row)
		}
		delete(documented, row)
	}
	for _, row := range slices.Sorted(maps.Keys(documented)) {
		t.Errorf("docs/metrics.md speaks of what is not given:\n%s", row)
	}
}
