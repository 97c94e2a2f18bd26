package reward

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

const tolerance = 1e-9

type vectors struct {
	Plateau []struct {
		WinRate float64 `json:"win_rate"`
		Lo      float64 `json:"lo"`
		Hi      float64 `json:"hi"`
		Ramp    float64 `json:"ramp"`
		Value   float64 `json:"value"`
	} `json:"plateau"`
	EpisodeReward []struct {
		Rewards    []float64 `json:"rewards"`
		Terminated bool      `json:"terminated"`
		Value      float64   `json:"value"`
	} `json:"episode_reward"`
	SolverVariance []struct {
		Rewards []float64 `json:"rewards"`
		Value   float64   `json:"value"`
	} `json:"solver_variance"`
	DesignerBlend  []json.RawMessage `json:"designer_blend"`
	DesignerRegret [][]struct {
		ID          string    `json:"id"`
		Skill       string    `json:"skill"`
		StepTimeout bool      `json:"step_timeout"`
		HintedMean  *float64  `json:"hinted_mean"`
		Unhinted    []float64 `json:"unhinted"`
		Reward      float64   `json:"reward"`
	} `json:"designer_regret"`
	LearningPotential []struct {
		GammaFast float64   `json:"gamma_fast"`
		GammaSlow float64   `json:"gamma_slow"`
		Rewards   []float64 `json:"rewards"`
		States    []struct {
			Rho    float64 `json:"rho"`
			Fast   float64 `json:"mu_fast"`
			Slow   float64 `json:"mu_slow"`
			Signed float64 `json:"signed"`
		} `json:"states"`
	} `json:"learning_potential"`
	GroupNormalise []struct {
		Rewards    []float64 `json:"rewards"`
		Eps        float64   `json:"eps"`
		Advantages []float64 `json:"advantages"`
	} `json:"group_normalise"`
}

func load(t *testing.T) vectors {
	t.Helper()
	var v vectors
	if err := json.Unmarshal(read(t, "testdata", "reward_vectors.json"), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func near(t *testing.T, got, want float64, what string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %v, want %v", what, got, want)
		if len(args) > 0 {
			t.Log(args...)
		}
	}
}

func TestVectorsArithmetic(t *testing.T) {
	v := load(t)
	for i, c := range v.Plateau {
		near(t, Plateau(c.WinRate, c.Lo, c.Hi, c.Ramp), c.Value, "plateau", i)
	}
	for i, c := range v.EpisodeReward {
		near(t, Return(c.Rewards, c.Terminated), c.Value, "episode_reward", i)
	}
	for i, c := range v.SolverVariance {
		near(t, SolverVariance(c.Rewards), c.Value, "solver_variance", i)
	}
	for i, c := range v.GroupNormalise {
		if c.Eps != Epsilon {
			t.Fatalf("group_normalise %d: eps %v is not ours", i, c.Eps)
		}
		got, _ := Advantages(PopulationStd, c.Rewards, nil)
		for j := range c.Advantages {
			near(t, got[j], c.Advantages[j], "group_normalise", i, j)
		}
	}
	if len(v.Plateau) < 80 || len(v.EpisodeReward) < 60 || len(v.SolverVariance) < 30 || len(v.GroupNormalise) < 12 {
		t.Error("vectors are missing")
	}
}

func TestVectorsLearningPotential(t *testing.T) {
	for i, c := range load(t).LearningPotential {
		p := LearningPotential{GammaFast: c.GammaFast, GammaSlow: c.GammaSlow}
		for j, r := range c.Rewards {
			signed, rho := p.Observe(r)
			near(t, signed, c.States[j].Signed, "signed", i, j)
			near(t, rho, c.States[j].Rho, "rho", i, j)
			near(t, p.Fast, c.States[j].Fast, "mu_fast", i, j)
			near(t, p.Slow, c.States[j].Slow, "mu_slow", i, j)
		}
	}
}

// The floored regret alone is a blend of that one term; weight and scale of 2 keep it unclipped.
func TestVectorsDesignerRegret(t *testing.T) {
	cfg := neutral()
	cfg.RegretWeight, cfg.RegretScale, cfg.RegretFloor = 2, 2, true
	for i, c := range load(t).DesignerRegret {
		plays := make([]Plays, len(c))
		for j, e := range c {
			plays[j] = Plays{
				Skill: e.Skill, HintedMean: e.HintedMean, Hang: e.StepTimeout,
				Steps: []Step{{Number: 0, Returns: e.Unhinted}},
			}
		}
		for j, r := range Blend(cfg, plays) {
			near(t, r.Reward, c[j].Reward, "designer_regret", i, j)
		}
	}
}

// The blend is tested through Explain, which is how people reach it: nothing but the inputs is given.
func TestVectorsDesignerBlend(t *testing.T) {
	cases := load(t).DesignerBlend
	if len(cases) < 24 {
		t.Fatal("vectors are missing")
	}
	for i, raw := range cases {
		var given struct {
			Config       json.RawMessage              `json:"config"`
			Environments []map[string]json.RawMessage `json:"environments"`
		}
		var want explanation
		if err := json.Unmarshal(raw, &given); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		for _, e := range given.Environments {
			for _, derived := range []string{"regret", "win_rate", "plateau", "micro_lp", "raw", "masked", "reward"} {
				delete(e, derived)
			}
		}
		input, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		var got explanation
		output, err := Explain(input)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(output, &got); err != nil {
			t.Fatal(err)
		}
		near(t, got.MaskedFraction, want.MaskedFraction, "masked_fraction", i)
		for j, w := range want.Environments {
			g := got.Environments[j]
			near(t, g.Regret, w.Regret, "regret", i, j)
			near(t, g.WinRate, w.WinRate, "win_rate", i, j)
			near(t, g.Plateau, w.Plateau, "plateau", i, j)
			near(t, g.MicroLP, w.MicroLP, "micro_lp", i, j)
			near(t, g.Raw, w.Raw, "raw", i, j)
			if g.ID != w.ID || g.Masked != w.Masked || (g.Reward == nil) != (w.Reward == nil) {
				t.Errorf("case %d, environment %d: got %+v, want %+v", i, j, g, w)
			} else if g.Reward != nil {
				near(t, *g.Reward, *w.Reward, "reward", i, j)
			}
		}
	}
}
