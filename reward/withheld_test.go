package reward

import (
	"testing"

	"spade"
)

// said is an episode whose turns answer one observation each with one action.
func said(arm spade.Arm, result float64, observation string, actions ...string) spade.Episode {
	e := spade.Episode{Arm: arm, Return: result, Stop: spade.StopTerminated, Final: "over", Outcome: spade.OK}
	if arm == spade.Hinted {
		e.Hint = "The password is Quince; then open the DOOR."
	}
	for _, action := range actions {
		e.Turns = append(e.Turns, spade.Turn{Observation: observation, Action: `\boxed{` + action + `}`})
	}
	return e
}

func TestWithheldSecret(t *testing.T) {
	lost := said(spade.Unhinted, 0, "A door. Say the word, or open the door.", "open door")
	won := said(spade.Hinted, 1, "A door. Say the word, or open the door.", "say quince", "open door")
	without := said(spade.Hinted, 1, "A door.", "open door")
	faulty := won
	faulty.Stop = spade.StopEnvironment
	tests := []struct {
		name     string
		episodes []spade.Episode
		word     string
		wins     int
	}{
		{"only the hint tells it", []spade.Episode{lost, won, won}, "quince", 2},
		{"the unhinted arm won too", []spade.Episode{lost, said(spade.Unhinted, 1, "", "x"), won}, "", 0},
		{"a win without it", []spade.Episode{lost, won, without}, "", 2},
		{"an observation tells it", []spade.Episode{said(spade.Unhinted, 0, "Quince, says a sign.", "open door"), won}, "", 1},
		{"the last observation tells it", []spade.Episode{{Arm: spade.Unhinted, Final: "It was QUINCE. Open the door.", Stop: spade.StopTerminated}, won}, "", 1},
		{"it was said without the hint", []spade.Episode{said(spade.Unhinted, 0, "A door.", "say quince", "open"), won}, "", 1},
		{"nobody won", []spade.Episode{lost, said(spade.Hinted, 0, "A door.", "say quince")}, "", 0},
		{"no unhinted play", []spade.Episode{won}, "", 0},
		{"faults do not count", []spade.Episode{lost, faulty}, "", 0},
		{"placebos do not count", []spade.Episode{lost, said(spade.Placebo, 1, "", "quince")}, "", 0},
		{"nothing", nil, "", 0},
	}
	for _, test := range tests {
		if word, wins := WithheldSecret(test.episodes); word != test.word || wins != test.wins {
			t.Errorf("%s: %q in %d wins, want %q in %d", test.name, word, wins, test.word, test.wins)
		}
	}
}

func TestPlaceboGain(t *testing.T) {
	played := join(episodesOf(spade.Unhinted, 1, 0, 1, 1), episodesOf(spade.Placebo, 1, 1, 1))
	if gain, ok := PlaceboGain(played); gain != 0.5 || !ok {
		t.Errorf("gain %v, %v", gain, ok)
	}
	if gain, ok := PlaceboGain(played[:3]); gain != 0 || ok {
		t.Errorf("gain %v, %v without a placebo arm", gain, ok)
	}
}

// Regret that rests on a withheld secret is measured and not rewarded.
func TestScoreOfASecret(t *testing.T) {
	played := join(episodesOf(spade.Unhinted, 1, 0, 0), episodesOf(spade.Hinted, 1, 1, 1))
	open, _ := Score(Default(), spade.Environment{}, played, false)
	secret, _ := Score(Default(), spade.Environment{}, played, true)
	if open.Regret != 1 || secret.Regret != 1 || open.Raw != 0.4 || secret.Raw != 0 {
		t.Errorf("open %+v, secret %+v", open, secret)
	}
}
