package reward

import (
	"encoding/json"
	"math"
	"testing"

	"spade"
)

func TestSupplyWeighs(t *testing.T) {
	for _, test := range []struct{ target, mean, want float64 }{
		{0, 0.9, 0.4}, {0.1, 0, 0.4}, {0.1, -0.2, 0.4}, {0.1, 0.1, 0.4}, {0.1, 0.15, 0.2}, {0.1, 0.2, 0}, {0.1, 0.7, 0},
	} {
		cfg := Default()
		cfg.RegretTarget = test.target
		got := (&Supply{Mean: test.mean}).Weigh(cfg)
		if math.Abs(got.RegretWeight-test.want) > 1e-12 {
			t.Errorf("target %g, mean %g: weight %g, want %g", test.target, test.mean, got.RegretWeight, test.want)
		}
		if got.RegretWeight = cfg.RegretWeight; got != cfg {
			t.Errorf("target %g: more than the weight of regret changes", test.target)
		}
	}
}

func TestSupplyObserves(t *testing.T) {
	var s Supply
	s.Observe([]spade.Score{{Regret: 0.5, HintedPlays: 6}, {Regret: -0.1, HintedPlays: 6}, {Plays: 12}, {}})
	if math.Abs(s.Mean-0.3*0.2) > 1e-12 {
		t.Errorf("mean %g after one cycle", s.Mean)
	}
	kept := s
	if s.Observe([]spade.Score{{Plays: 12}}); s != kept {
		t.Errorf("designs without a hinted play move it to %g", s.Mean)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again Supply
	if err := json.Unmarshal(data, &again); err != nil || again != s {
		t.Errorf("%s is read as %+v: %v", data, again, err)
	}
}
