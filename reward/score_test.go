package reward

import (
	"testing"

	"spade"
)

// episodes builds one episode per value, with indices from 0.
func episodesOf(arm spade.Arm, cycle int, returns ...float64) []spade.Episode {
	var out []spade.Episode
	for i, r := range returns {
		out = append(out, spade.Episode{Cycle: cycle, Arm: arm, Index: i, Return: r, Stop: spade.StopTerminated})
	}
	return out
}

func join(parts ...[]spade.Episode) (all []spade.Episode) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestScore(t *testing.T) {
	env := spade.Environment{ID: "e", Skill: "s"}
	// The hinted arm played the first two of four seeds, so that regret compares with those only.
	played := join(episodesOf(spade.Unhinted, 1, 1, 0, -1, 1), episodesOf(spade.Hinted, 1, 1, 1))
	got, masked := Score(Default(), env, played, false)
	want := spade.Score{
		EnvID: "e", Skill: "s", Plays: 4, HintedPlays: 2,
		Mean: 0.25, HintedMean: 1, WinRate: 0.5, HintedWinRate: 1,
		Regret: 0.5, Anchor: 1, Raw: 1,
	}
	if got != want || masked {
		t.Errorf("got %+v, masked %v\nwant %+v", got, masked, want)
	}
}

func TestScoreLeavesOutFaults(t *testing.T) {
	played := join(episodesOf(spade.Unhinted, 1, 1, 0, 0, 0), episodesOf(spade.Hinted, 1, 1, 1, 1, 1))
	clean, _ := Score(Default(), spade.Environment{}, join(played[:3], played[4:7]), false)
	played[3].Stop, played[3].Outcome = spade.StopEnvironment, spade.EnvError
	played[7].Stop = spade.StopEnvironment
	got, _ := Score(Default(), spade.Environment{}, played, false)
	if got != clean {
		t.Errorf("got %+v, want %+v", got, clean)
	}
}

func TestScoreRaw(t *testing.T) {
	hang := episodesOf(spade.Unhinted, 1, 0)
	hang[0].Stop, hang[0].Outcome = spade.StopEnvironment, spade.CPULimit
	raised := episodesOf(spade.Unhinted, 1, 0)
	raised[0].Stop, raised[0].Outcome = spade.StopEnvironment, spade.EnvError
	open := Default()
	open.RegretFloor = false

	tests := []struct {
		name     string
		cfg      Config
		episodes []spade.Episode
		raw      float64
		masked   bool
	}{
		{"nothing played", Default(), nil, 0, false},
		{"environment raised", Default(), raised, 0, false},
		{"no hinted arm, lost all", Default(), episodesOf(spade.Unhinted, 1, -1, -1), 0, false},
		{"hang", Default(), join(episodesOf(spade.Unhinted, 1, 1, 0), hang), HangRaw, false},
		{"hint harms", Default(), join(episodesOf(spade.Unhinted, 1, 1, 1), episodesOf(spade.Hinted, 1, 0, 0)), 0, false},
		{"hint harms, no floor", open, join(episodesOf(spade.Unhinted, 1, 1, 1), episodesOf(spade.Hinted, 1, 0, 0)), -0.4 / 0.15, true},
		{"placebo explains it", Default(), join(episodesOf(spade.Unhinted, 1, 1, 0),
			episodesOf(spade.Hinted, 1, 1, 1), episodesOf(spade.Placebo, 1, 1, 1)), 0.6, false},
		// A later update of the window adds plays to the win rate (3 of 4: plateau 0.4), not to the regret.
		{"window of two cycles", Default(), join(episodesOf(spade.Unhinted, 1, 1, 0), episodesOf(spade.Hinted, 1, 1, 1),
			episodesOf(spade.Unhinted, 2, 1, 1)), 0.6*0.4 + 0.4, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, masked := Score(test.cfg, spade.Environment{}, test.episodes, false)
			near(t, got.Raw, test.raw, "raw")
			if masked != test.masked {
				t.Errorf("masked %v", masked)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	hang := spade.Verdict{Reasons: []spade.Reason{{Code: spade.Contract}, {Code: spade.Hang}}}
	if got := Refused(hang); got != HangRaw {
		t.Errorf("hang: got %v", got)
	}
	if got := Refused(spade.Verdict{Reasons: []spade.Reason{{Code: spade.Syntax}}}); got != 0 {
		t.Errorf("syntax: got %v", got)
	}
}
