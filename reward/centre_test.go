package reward

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"spade"
)

func TestBaseline(t *testing.T) {
	var b Baseline
	designs := []Earned{{Skill: "x", Raw: 1}, {Skill: "x", Raw: 0}, {Skill: "y", Raw: 0.5}, {Skill: "x", Raw: -9, Masked: true}}
	// The overall mean 0.5 stands in for both averages.
	got := b.Centre(designs)
	want := []float64{1 - (0+2*0.5)/3, 0 - (1+2*0.5)/3, 0.5 - (2*0.5)/2, 0}
	for i := range want {
		near(t, got[i], want[i], "first cycle", i)
	}
	near(t, b.Averages["x"], 0.7*0.5+0.3*0.5, "average of x")

	// A design alone with its skill is measured against the skill's past.
	got = b.Centre([]Earned{{Skill: "y", Raw: 1}, {Skill: "z", Raw: 0}})
	near(t, got[0], 1-0.5, "second cycle, y")
	near(t, got[1], 0-0.5, "second cycle, z: the overall mean")
	near(t, b.Averages["y"], 0.7*0.5+0.3*1, "average of y")
	near(t, b.Averages["x"], 0.5, "average of x, not seen")
}

func TestBaselineResumes(t *testing.T) {
	r := spade.Stream(1, 0, 0, "test")
	draw := func() (designs []Earned) {
		for range 1 + r.IntN(8) {
			designs = append(designs, Earned{Skill: string(rune('a' + r.IntN(4))), Raw: r.Float64(), Masked: r.IntN(5) == 0})
		}
		return designs
	}
	var straight, resumed Baseline
	for cycle := range 20 {
		designs := draw()
		want, got := straight.Centre(designs), resumed.Centre(designs)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("cycle %d: %v after resuming, %v without", cycle, got, want)
		}
		state, err := json.Marshal(resumed)
		if err != nil {
			t.Fatal(err)
		}
		resumed = Baseline{}
		if err := json.Unmarshal(state, &resumed); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBaselineStateIsEmptyAfterNothing(t *testing.T) {
	var b Baseline
	if got := b.Centre(nil); len(got) != 0 || len(b.Averages) != 0 {
		t.Errorf("got %v, %v", got, b)
	}
	got := b.Centre([]Earned{{Skill: "x", Raw: -1, Masked: true}})
	if got[0] != 0 || len(b.Averages) != 0 {
		t.Errorf("a masked design moved the baseline: %v, %v", got, b)
	}
}

func TestDesignerAdvantages(t *testing.T) {
	designs := []Earned{{Skill: "x", Raw: 1}, {Skill: "x", Raw: 0.2}, {Skill: "y", Raw: 0.6}, {Skill: "y", Raw: -1, Masked: true}}
	published := Default()
	published.Centring, published.EnvRewardScale = SkillMean, 10
	rewards, advantages := DesignerAdvantages(published, &Baseline{}, designs)
	for i, want := range []float64{4, -4, 0, 0} {
		near(t, rewards[i], want, "published reward", i)
		near(t, advantages[i], want, "published advantage", i)
	}

	rewards, advantages = DesignerAdvantages(Default(), &Baseline{}, designs)
	spread := math.Sqrt(variance(rewards[:3])) + 1e-3
	for i := range designs {
		near(t, advantages[i], rewards[i]/spread, "advantage", i)
	}
	if advantages[3] != 0 || !(advantages[0] > 0.5) || !(advantages[1] < -0.5) {
		t.Errorf("got %v", advantages)
	}
}

func TestConfigValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Config){
		"nan":      func(c *Config) { c.RegretWeight = math.NaN() },
		"infinite": func(c *Config) { c.PlateauWeight = math.Inf(1) },
		"negative": func(c *Config) { c.FrontierWeight = -0.1 },
		"scale":    func(c *Config) { c.MicroLPScale = 0 },
		"centring": func(c *Config) { c.Centring = "" },
	} {
		c := Default()
		spoil(&c)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
