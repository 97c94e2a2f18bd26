package admit

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"spade"
	"spade/library"
)

// librarySamples is the number of environments of the library that are judged; SPADE_ADMIT_SAMPLES asks for more.
func librarySamples() int {
	if n, err := strconv.Atoi(os.Getenv("SPADE_ADMIT_SAMPLES")); err == nil {
		return n
	}
	return 40
}

// TestTheLibraryIsAdmitted judges what the embedded model learns to write: honest environments, a third of them with
// one or two turns.
func TestTheLibraryIsAdmitted(t *testing.T) {
	for i := range librarySamples() {
		item := library.Sample(spade.Stream(4, 0, i, "admission"), library.Options{})
		t.Run(fmt.Sprintf("%d %s %s %d turns %d lives", i, item.Mechanic, item.Twist, item.Horizon, item.Lives), func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: item.Source, Hint: item.Hint}, nil)
			expect(t, result.Verdict, nil)
			expect(t, *result.Hint, nil)
			if !result.Verdict.Packed {
				t.Error("not packed")
			}
		})
	}
}

func TestTheHeldOutSuiteIsAdmitted(t *testing.T) {
	suite := library.HeldOut()
	for i := 0; i < len(suite); i += max(1, len(suite)/librarySamples()) {
		t.Run(suite[i].ID, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: suite[i].Source, Hint: suite[i].Hint}, nil)
			expect(t, result.Verdict, nil)
			expect(t, *result.Hint, nil)
		})
	}
}
