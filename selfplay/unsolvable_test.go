package selfplay

import (
	"testing"

	"spade"
)

func TestSecondVerdict(t *testing.T) {
	warned := spade.Verdict{Admit: true, Warnings: []spade.Warning{{Code: noWitness}}}
	lost := spade.Episode{Stop: spade.StopTerminated}
	won := spade.Episode{Stop: spade.StopTerminated, Return: 1, Arm: spade.Hinted}
	faulty := spade.Episode{Stop: spade.StopEnvironment, Outcome: spade.EnvExit}
	for _, test := range []struct {
		name    string
		verdict spade.Verdict
		plays   []spade.Episode
		refused bool
	}{
		{"nobody won", warned, []spade.Episode{lost, lost, faulty}, true},
		{"the hinted arm won", warned, []spade.Episode{lost, won}, false},
		{"there was a witness", spade.Verdict{Admit: true}, []spade.Episode{lost, lost}, false},
		{"nothing was played", warned, []spade.Episode{faulty}, false},
	} {
		f := &inForce{Design: &spade.Design{Verdict: test.verdict}, Playable: true, Plays: test.plays}
		secondVerdict(f)
		if got := f.Design.Verdict.Has(spade.Unsolvable); got != test.refused || f.Design.Verdict.Admit == test.refused {
			t.Errorf("%s: %+v", test.name, f.Design.Verdict)
		}
	}
	secondVerdict(&inForce{Playable: true, Plays: []spade.Episode{lost}}) // an environment of a pool has no designer to hear it
}
