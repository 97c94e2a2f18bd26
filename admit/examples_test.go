package admit

import (
	"strings"
	"testing"

	"spade"
)

func TestExamples(t *testing.T) {
	examples := []struct {
		name, class string
		kind        spade.Kind
		turns       int
	}{
		{"thermodynamics_lab", "ThermodynamicsLabEnv", spade.Game, 12},
		{"car_ownership_dispute", "CarOwnershipDisputeEnv", spade.Game, 14},
		{"signal_lab", "SignalLabEnv", spade.Game, 12},
		{"rotating_maze", "RotatingMazeEnv", spade.Game, 24},
		{"parcel_desk", "ParcelDeskEnv", spade.ToolUse, 20},
	}
	for _, example := range examples {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			source := readFile(t, "../examples", example.name+".py")
			hint := readFile(t, "../examples", example.name+".hint.txt")
			if lines := strings.Count(source, "\n"); lines < 60 || lines > 370 {
				t.Errorf("%d lines, want 60 to 370", lines)
			}
			result := judgeCandidate(t, Candidate{Source: source, Hint: hint}, nil)
			expect(t, result.Verdict, nil)
			expect(t, *result.Hint, nil)
			if result.Class != example.class || result.Kind != example.kind {
				t.Errorf("class %s, kind %s; want %s, %s", result.Class, result.Kind, example.class, example.kind)
			}
			if !result.Verdict.Packed || result.Process == nil {
				t.Fatalf("packed = %v, process = %v; want a process to go on with", result.Verdict.Packed, result.Process)
			}
			for seed := range int64(30) {
				r := newRun(result.Process, Default().MaxTurns)
				key := episodeKey{player: solver, seed: seed}
				ep, err := r.play(t.Context(), key, solverMove(result.Kind))
				if err != nil || !ep.won() {
					t.Fatalf("seed %d: error %v, transcript %q", seed, err, ep.lines())
				}
			}
			r := newRun(result.Process, Default().MaxTurns)
			s := r.sit(&episode{}, scripted(nil))
			err := r.playSeats(t.Context(), s)
			if err != nil || s.turns != example.turns {
				t.Errorf("turn budget %d, error %v; want %d", s.turns, err, example.turns)
			}
		})
	}
}
