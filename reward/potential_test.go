package reward

import (
	"encoding/json"
	"math"
	"testing"

	"spade"
)

func TestPotentials(t *testing.T) {
	cfg := neutral()
	cfg.PotentialWeight = 2
	var p Potentials
	scores := func(means ...float64) []spade.Score {
		list := make([]spade.Score, len(means))
		for i, m := range means {
			list[i] = spade.Score{Skill: "a", Plays: 4, Mean: m, Raw: 0.25}
		}
		return list
	}
	first := scores(0.2, 0.6)
	p.Credit(cfg, first, make([]bool, 2))
	if first[0].Raw != 0.25 || first[1].Raw != 0.25 {
		t.Errorf("a skill that was never seen has potential: %+v", first)
	}
	// The average stands at 0.4; a first change is worth half of itself, either way.
	second := scores(0.4, 0.9, 0.1)
	second = append(second, spade.Score{Skill: "a"}, spade.Score{Skill: "a", Plays: 1, Mean: 0.4, Raw: HangRaw},
		spade.Score{Skill: "a", Plays: 1, Mean: 0.9, Raw: -1}, spade.Score{Skill: "b", Plays: 1, Mean: 1})
	masked := []bool{false, false, false, false, false, true, false}
	p.Credit(cfg, second, masked)
	for i, want := range []float64{0.25, 0.75, 0.55, 0, HangRaw, -0.5, 0} {
		near(t, second[i].Raw, want, "raw", i)
	}
	for i, want := range []bool{false, false, false, false, false, true, false} {
		if masked[i] != want {
			t.Errorf("score %d: masked %v", i, masked[i])
		}
	}
	near(t, p.Skills["a"].Fast, 0.4+0.98*(0.54-0.4), "average of the skill")

	mean, ok := p.Mean()
	near(t, mean, math.Abs(p.Skills["a"].Fast-p.Skills["a"].Slow)/(2*(0.98-0.85))/2, "mean of two skills, one of which has not moved")
	if _, none := new(Potentials).Mean(); !ok || none {
		t.Error("there is a mean where there is a skill")
	}

	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again Potentials
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	x, y := scores(0.7), scores(0.7)
	p.Credit(cfg, x, make([]bool, 1))
	again.Credit(cfg, y, make([]bool, 1))
	if x[0] != y[0] || x[0].Raw == 0.25 {
		t.Errorf("resumed: %v, not %v", y[0].Raw, x[0].Raw)
	}
}
