package selfplay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spade"
	"spade/reward"
)

// armed is a small run of an arm.
func armed(t *testing.T, arm string, cycles int) Config {
	t.Helper()
	cfg := small(cycles)
	cfg.Arm = arm
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// rung is the ladder of these tests: one of 50 environments of each horizon above 1, of 3 with horizon 1.
func rung(r *rand.Rand, horizon int) spade.Environment {
	kinds := 50
	if horizon == 1 {
		kinds = 3
	}
	env := spade.NewEnvironment(source(100*horizon + r.IntN(kinds)))
	env.Class, env.Kind, env.Skill, env.Hint = "CopyEnv", spade.Game, fmt.Sprint("rung ", horizon), "say it again"
	return env
}

// TestLadder: every cycle plays fresh environments, uniform over the range; the designer is never asked.
func TestLadder(t *testing.T) {
	cfg := armed(t, "ladder:2-5", 30)
	cfg.Plays, cfg.HintedPlays = 2, 1
	loop, r := newLoop(t, cfg, newModel(func(int, []spade.Message) string {
		t.Error("the designer was asked")
		return ""
	}))
	loop.Ladder = rung
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	horizons := map[string]int{}
	for _, c := range r.cycles[1:] {
		if len(c.Environments) != 4 || len(c.Scores) != 4 || len(c.Designs) != 0 || len(c.Passages) != 0 || len(c.Episodes) != 4*3 {
			t.Fatalf("cycle %d: %d environments, %d scores, %d designs", c.Number, len(c.Environments), len(c.Scores), len(c.Designs))
		}
		ids := map[string]bool{}
		for i, env := range c.Environments {
			ids[env.ID] = true
			horizons[env.Skill]++
			if env.Cycle != c.Number || env.Slot != i || c.Scores[i].EnvID != env.ID || c.Scores[i].Replay {
				t.Errorf("cycle %d, slot %d: %+v, %+v", c.Number, i, env, c.Scores[i])
			}
		}
		if len(ids) != 4 || c.Stats.Designed != 0 || c.Stats.Vendi == 0 {
			t.Errorf("cycle %d: %d different environments, stats %+v", c.Number, len(ids), c.Stats)
		}
	}
	if len(horizons) != 4 {
		t.Errorf("drawn: %v", horizons)
	}
	for rung, n := range horizons {
		if n < 15 || n > 45 { // 30 expected
			t.Errorf("%s was drawn %d times of 120", rung, n)
		}
	}
}

// TestLadderRunsOut: a library with fewer environments than a cycle plays gives each once.
func TestLadderRunsOut(t *testing.T) {
	cfg := armed(t, "ladder:1-1", 1)
	cfg.Environments = 6
	loop, r := newLoop(t, cfg, newModel(numbered))
	loop.Ladder = rung
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := len(r.cycles[1].Environments); n != 3 {
		t.Errorf("%d environments of 3", n)
	}
}

// TestNoCorpus: the designer reads no passage, and skills rotate.
func TestNoCorpus(t *testing.T) {
	cfg := armed(t, "no-corpus", 1)
	cfg.Environments = 1
	loop, r := newLoop(t, cfg, newModel(numbered)) // without a passage: environment -1, the held-out one of these tests
	loop.Corpus = nil
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c := r.cycles[1]
	if len(c.Passages) != 0 || len(c.Designs) != 1 || c.Designs[0].PassageID != "" || len(c.Designs[0].Prompt) != 0 || c.Designs[0].Skill != "first" {
		t.Errorf("%d passages, designs %+v", len(c.Passages), c.Designs)
	}
}

// TestTwoSkills: passages that ask for another skill are passed over, those that name none are not.
// TestNoMemory: nothing that was measured before reaches the designer, examples or win rates.
func TestNoMemory(t *testing.T) {
	for _, arm := range []string{"spade", "no-memory"} {
		loop, _ := newLoop(t, armed(t, arm, 2), newModel(numbered))
		st, err := loop.begin(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, skill := range loop.Config.Skills {
			env := spade.NewEnvironment(source(i))
			env.Skill, env.Hint = skill, "say it again"
			st.Memory.Measure(1, env, true, spade.Score{EnvID: env.ID, Skill: skill, Plays: 8, WinRate: 0.5, HintedPlays: 8, HintedWinRate: 1, Regret: 0.5})
		}
		slots, err := loop.designSlots(st, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range slots {
			if knows := s.winRate != nil || len(s.examples) > 0; knows != (arm == "spade") {
				t.Errorf("%s: win rate %v, %d examples", arm, s.winRate, len(s.examples))
			}
		}
	}
}

func TestTwoSkills(t *testing.T) {
	cfg := small(2)
	cfg.Arm, cfg.Skills = "two-skill", []string{"first", "second", "named"}
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	r, _ := runLoop(t, cfg, newModel(numbered))
	var drawn, skills []string
	for _, c := range r.cycles[1:] {
		for i, d := range c.Designs {
			drawn, skills = append(drawn, c.Passages[i].Text), append(skills, d.Skill)
		}
	}
	want := []string{"passage 0", "passage 1", "passage 3", "passage 4", "passage 6", "passage 7", "passage 9", "passage 10"}
	if !slices.Equal(drawn, want) || slices.Contains(skills, "named") {
		t.Errorf("drawn %v for %v", drawn, skills)
	}
	cfg.Skills = []string{"none of them"}
	loop, _ := newLoop(t, cfg, newModel(numbered))
	loop.Corpus = onlyNamed{}
	if _, err := loop.Run(t.Context(), nil); err == nil {
		t.Error("a corpus without a passage to ground on is no error")
	}
}

// onlyNamed is a corpus of passages that all name the same skill.
type onlyNamed struct{}

func (onlyNamed) At(seed uint64, _ int) (spade.Passage, error) { return passages{}.At(seed, 2) }

// TestSignals: what the designer earns under each signal, from the plays that are on record.
func TestSignals(t *testing.T) {
	for _, arm := range []string{"regret-only", "solve-rate", "learning-potential"} {
		r, _ := runLoop(t, armed(t, arm, 3), newModel(numbered))
		var potentials reward.Potentials
		differ := false
		for _, c := range r.cycles[1:] {
			expected := slices.Clone(c.Scores)
			for i := range expected {
				expected[i].Raw = 0
			}
			unit := reward.Default()
			unit.PotentialWeight = 1
			potentials.Credit(unit, expected, make([]bool, len(expected)))
			for i, s := range c.Scores {
				want := map[string]float64{
					"regret-only": min(1, max(0, s.Regret)/0.15), "solve-rate": s.Anchor, "learning-potential": expected[i].Raw,
				}[arm]
				if got := c.Designs[i].Raw; got != want {
					t.Errorf("%s, cycle %d: raw %g, want %g of %+v", arm, c.Number, got, want, s)
				}
				differ = differ || want != c.Designs[0].Raw
			}
		}
		if !differ {
			t.Errorf("%s: all designs earn the same", arm)
		}
	}
}

// TestFrozenDesigner: the same designs and rewards in the first cycle, and no designer in any batch.
func TestFrozenDesigner(t *testing.T) {
	m := newModel(numbered)
	frozen, _ := runLoop(t, armed(t, "frozen-designer", 2), m)
	plain, _ := runLoop(t, small(2), newModel(numbered))
	if got, want := asJSON(t, frozen.cycles[1].Designs), asJSON(t, plain.cycles[1].Designs); got != want {
		t.Errorf("designs %s, want %s", got, want)
	}
	for _, batch := range m.batches {
		if n := roles(batch); n[spade.Designer] != 0 || n[spade.Agent] == 0 {
			t.Errorf("a step trains on %v", n)
		}
	}
}
