package web

import (
	"slices"
	"time"

	"spade"
)

// fakeRun is a small run in memory. Its texts hold what a model may write.
type fakeRun struct {
	cycles  []spade.Cycle
	writing bool
	last    int
}

const hostile = `</script><img src=x onerror=alert(1)>`

func newFakeRun() *fakeRun {
	won := 0.25
	source := "class MazeEnv:\n  def reset(self, seed=None):\n    self.goal = seed  # " + hostile + "\n"
	env := spade.NewEnvironment(source)
	env.Class, env.Kind, env.Skill, env.Hint, env.PassageID, env.Cycle = "RotatingMazeEnv", spade.Game, "walk", "turn left "+hostile, "p1", 1
	later := spade.NewEnvironment("class OvenEnv:\n  pass\n")
	later.Class, later.Kind, later.Skill, later.PassageID, later.Cycle, later.Slot = "OvenEnv", spade.Game, "sum", "p2", 2, 1
	seed := int64(-5)
	refused := spade.Verdict{Stage: "contract", Reasons: []spade.Reason{{Code: spade.Contract, Detail: "reset: " + hostile, Evidence: spade.Evidence{Seed: &seed, Actions: []string{"a"}, Trace: "line 1"}}}}
	admitted := spade.Verdict{Admit: true, Stage: "exploits", Reasons: []spade.Reason{}, Warnings: []spade.Warning{{Code: "no_witness", Detail: "none"}}, Packed: true}
	leak := &spade.Verdict{Stage: "hint", Reasons: []spade.Reason{{Code: spade.HintLeak, Detail: "names 7"}}}
	design := func(cycle, slot int, env string, v spade.Verdict) spade.Design {
		return spade.Design{Cycle: cycle, Slot: slot, Skill: "walk", PassageID: "p1", EnvID: env, Verdict: v, First: v, Reply: "```python\n" + hostile,
			Prompt:     []spade.Message{{Speaker: spade.User, Name: spade.NamePassage, Content: hostile}},
			Trajectory: spade.Trajectory{Tokens: []int32{1, 2}, LogProbs: []float32{0, -0.5}, Mask: []bool{false, true}}, Raw: 0.6}
	}
	second := design(2, 1, later.ID, admitted)
	second.Examples, second.HintVerdict = []string{env.ID}, leak
	episode := func(arm spade.Arm, returned float64) spade.Episode {
		return spade.Episode{EnvID: env.ID, Cycle: 1, Arm: arm, Index: 0, Seed: 1 << 60, Stop: spade.StopTerminated, Outcome: spade.OK, Return: returned, Final: "end",
			Turns: []spade.Turn{{Observation: hostile, Reply: "I go \\boxed{left}", Action: "\\boxed{left}", Reward: returned, Terminated: true,
				Tokens: []int32{7, 8}, LogProbs: []float32{0, -0.25}, Mask: []bool{false, true}, Version: 3}}}
	}
	return &fakeRun{last: 2, cycles: []spade.Cycle{
		{Number: 0, Stats: spade.CycleStats{HeldOut: &won}},
		{
			Number: 1, Passages: []spade.Passage{{ID: "p1", Text: "A maze turns. " + hostile, Source: "notes.jsonl:1", Meta: map[string]any{"skill": "walk", "topic": "maze"}}},
			Designs: []spade.Design{design(1, 0, env.ID, admitted), design(1, 1, "feed", refused)}, Environments: []spade.Environment{env},
			Episodes: []spade.Episode{episode(spade.Unhinted, 0), episode(spade.Hinted, 1)},
			Scores:   []spade.Score{{EnvID: env.ID, Skill: "walk", Plays: 2, HintedPlays: 1, HintedMean: 1, WinRate: 0.5, HintedWinRate: 1, Regret: 0.5, Anchor: 1, Raw: 0.8}},
			Stats: spade.CycleStats{Designed: 2, Admitted: 1, Refused: map[string]int{"contract": 1}, Episodes: 2, WinRate: 0.5, HintedWinRate: 1, Regret: 0.5, DesignerReward: 0.4,
				Vendi: 0.5, Turns: 1, SampledTokens: 10, TrainedTokens: 4, Train: map[string]float64{"loss": 0.125}},
		},
		{
			Number: 2, Passages: []spade.Passage{{ID: "p2", Text: "An oven.", Source: "notes.jsonl:2"}}, Designs: []spade.Design{second}, Environments: []spade.Environment{later},
			Episodes: []spade.Episode{{EnvID: env.ID, Cycle: 2, Arm: spade.Unhinted, Stop: spade.StopEnvironment, Outcome: spade.WallTimeout}},
			Scores:   []spade.Score{{EnvID: env.ID, Skill: "walk", Plays: 1, WinRate: 1, Replay: true}},
			Stats:    spade.CycleStats{Designed: 1, Admitted: 1, Episodes: 1, Faults: 1},
		},
	}}
}

func (f *fakeRun) Dir() string { return "runs/fake" }

func (f *fakeRun) About() (About, error) {
	return About{Arm: "spade", Policy: "local", Corpus: "builtin", Isolation: "full", Seed: 7, Cycles: 2, Plays: 2, HintedPlays: 1, PlateauWeight: 0.5, Config: "seed: 7\n"}, nil
}

func (f *fakeRun) Summary() (*Summary, error) {
	return &Summary{HeldOutBefore: 0.25, HeldOutAfter: 0.5, Episodes: 8, Families: []Family{{"rule", 8, 0.5}}}, nil
}

func (f *fakeRun) Last() (int, error)                    { return f.last, nil }
func (f *fakeRun) Writing() bool                         { return f.writing }
func (f *fakeRun) Committed(cycle int) (time.Time, bool) { return time.Unix(int64(10*cycle), 0), true }
func (f *fakeRun) Turns(int) (map[string]float64, error) {
	return map[string]float64{f.env(0).ID: 1.5}, nil
}
func (f *fakeRun) Memory() ([]spade.Remembered, error) {
	return []spade.Remembered{{EnvID: f.env(0).ID, Skill: "walk", Class: "RotatingMazeEnv", WinRate: 0.5}}, nil
}
func (f *fakeRun) Pieces(ids []int32) []string { return []string{"go", "left"}[:len(ids)] }
func (f *fakeRun) env(i int) spade.Environment { return f.cycles[i+1].Environments[0] }

func (f *fakeRun) Digest(after int) ([]spade.Cycle, error) {
	var list []spade.Cycle
	for _, c := range f.cycles {
		if c.Number <= after || c.Number > f.last {
			continue
		}
		var faults []spade.Episode
		for _, e := range c.Episodes {
			if !e.Counts() {
				faults = append(faults, e)
			}
		}
		c.Episodes, c.Designs = faults, slices.Clone(c.Designs)
		for i := range c.Designs { // long, and so not in the store's digest either
			d := &c.Designs[i]
			d.Prompt, d.Reply, d.Trajectory, d.First, d.Repairs = nil, "", spade.Trajectory{}, spade.Verdict{}, nil
		}
		list = append(list, c)
	}
	return list, nil
}

func (f *fakeRun) Environment(id string) (spade.Environment, error) {
	for i := range 2 {
		if e := f.env(i); e.ID == id {
			return e, nil
		}
	}
	return spade.Environment{}, spade.Errorf(spade.ByUser, "look again", "there is no environment %s", id)
}

func (f *fakeRun) Design(cycle, slot int) (spade.Design, error) {
	for _, c := range f.cycles {
		for _, d := range c.Designs {
			if c.Number == cycle && d.Slot == slot {
				return d, nil
			}
		}
	}
	return spade.Design{}, spade.Errorf(spade.ByUser, "look again", "there is no design")
}

func (f *fakeRun) Passages(cycle int) ([]spade.Passage, error) { return f.cycles[cycle].Passages, nil }

func (f *fakeRun) Plays(id string) ([]Play, error) {
	var list []Play
	for _, c := range f.cycles {
		for _, e := range c.Episodes {
			if e.EnvID == id {
				list = append(list, Play{e.Cycle, e.Arm, e.Index, e.Seed, e.Return, len(e.Turns), e.Stop, e.Outcome})
			}
		}
	}
	return list, nil
}

func (f *fakeRun) Paired(cycle int, id string, index int) ([]spade.Episode, error) {
	var list []spade.Episode
	for _, c := range f.cycles {
		for _, e := range c.Episodes {
			if e.Cycle == cycle && e.EnvID == id && e.Index == index {
				list = append(list, e)
			}
		}
	}
	return list, nil
}
