package wire

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"spade"
)

func mustMarshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	body, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestSlopes holds the slope of every loss against differences of its values. cispo is left out: its slope is not that of
// its value, by definition.
func TestSlopes(t *testing.T) {
	r := spade.Stream(1, 0, 0, "slopes")
	for name, config := range map[string]map[string]float64{
		"cross_entropy": nil, "importance_sampling": nil, "ppo": {"clip_low_threshold": 0.8, "clip_high_threshold": 1.28}, "dro": {"beta": 0.05},
	} {
		l, err := NewLoss(name, config)
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			e := &Example{Targets: []int32{0}, Weights: []float32{r.Float32()}, LogProbs: []float32{-3 * r.Float32()}, Advantages: []float32{float32(r.NormFloat64())}}
			at := -3 * r.Float64()
			const step = 1e-6
			below, _ := l.At(e, 0, at-step)
			above, _ := l.At(e, 0, at+step)
			_, slope := l.At(e, 0, at)
			if want := (above - below) / (2 * step); math.Abs(slope-want) > 1e-4*max(1, math.Abs(want)) {
				t.Errorf("%s: slope %v, differences say %v (%+v at %v)", name, slope, want, e, at)
			}
		}
	}
}

func TestLossRefuses(t *testing.T) {
	for name, make := range map[string]func() (*Loss, error){
		"unknown loss":       func() (*Loss, error) { return NewLoss("grpo", nil) },
		"unknown setting":    func() (*Loss, error) { return NewLoss("ppo", map[string]float64{"clip": 0.2}) },
		"setting of another": func() (*Loss, error) { return NewLoss("importance_sampling", map[string]float64{"beta": 1}) },
		"crossed bounds":     func() (*Loss, error) { return NewLoss("ppo", map[string]float64{"clip_low_threshold": 2}) },
		"dro without beta":   func() (*Loss, error) { return NewLoss("dro", nil) },
		"no number":          func() (*Loss, error) { return NewLoss("ppo", map[string]float64{"clip_low_threshold": math.NaN()}) },
	} {
		if l, err := make(); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	l, err := NewLoss("ppo", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Check(&Example{Targets: []int32{1}, LogProbs: []float32{0}}); err == nil {
		t.Error("ppo without advantages is accepted")
	}
}

// TestLossesOfPyTorch holds every loss and its slope against PyTorch's on random data (testdata/losses.py).
func TestLossesOfPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/losses.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Loss              string
			Config            map[string]float64
			LogProb           []float64
			Old               []float32
			Advantage, Weight []float32
			Value, Slope      []float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 5 {
		t.Fatalf("%d losses", len(file.Cases))
	}
	for _, c := range file.Cases {
		l, err := NewLoss(c.Loss, c.Config)
		if err != nil {
			t.Fatal(err)
		}
		e := &Example{Targets: make([]int32, len(c.LogProb)), LogProbs: c.Old, Advantages: c.Advantage, Weights: c.Weight}
		worst, bounded := 0.0, 0
		for i, logProb := range c.LogProb {
			value, slope := l.At(e, i, logProb)
			worst = max(worst, math.Abs(value-c.Value[i]), math.Abs(slope-c.Slope[i]))
			if l.Bounds(e, i, logProb) {
				bounded++
			}
		}
		t.Logf("%s: at most %.1e from PyTorch over %d tokens, %d bounded", c.Loss, worst, len(c.LogProb), bounded)
		if worst > 1e-5 {
			t.Errorf("%s differs by %v", c.Loss, worst)
		}
		if (c.Loss == "ppo" || c.Loss == "cispo") && bounded < 5 {
			t.Errorf("%s: only %d tokens are bounded", c.Loss, bounded)
		}
	}
}
