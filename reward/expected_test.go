package reward

import (
	"math"
	"testing"
)

// TestExpectedAnchor compares with a sum over a fine grid of win rates.
func TestExpectedAnchor(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {7, 12}, {12, 12}, {300, 600}} {
		wins, plays := c[0], c[1]
		const cells = 200_000
		var weight, sum float64
		for i := range cells {
			p := (float64(i) + 0.5) / cells
			likelihood := math.Exp(float64(wins)*math.Log(2*p) + float64(plays-wins)*math.Log(2*(1-p)))
			weight += likelihood
			sum += likelihood * Anchor(p)
		}
		if got, want := ExpectedAnchor(wins, plays), sum/weight; math.Abs(got-want) > 1e-6 {
			t.Errorf("%d of %d: %g, want %g", wins, plays, got, want)
		}
		if a, b := ExpectedAnchor(wins, plays), ExpectedAnchor(plays-wins, plays); math.Abs(a-b) > 1e-12 {
			t.Errorf("%d of %d: %g, but %g mirrored", wins, plays, a, b)
		}
	}
	if !(ExpectedAnchor(2, 4) > ExpectedAnchor(1, 4) && ExpectedAnchor(1, 4) > ExpectedAnchor(0, 4) && ExpectedAnchor(0, 1) > ExpectedAnchor(0, 4)) {
		t.Error("it does not fall with the distance from one half and with the evidence for it")
	}
}
