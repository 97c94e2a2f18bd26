package reward

import (
	"encoding/binary"
	"math"
	"testing"

	"spade"
)

var variants = []Normalisation{PopulationStd, SampleStd, CentredOnly, LeaveOneOut}

// decode turns fuzzed bytes into returns in [-1, 1], in steps of 1/32767.
func decode(data []byte) []float64 {
	var returns []float64
	for len(data) >= 2 && len(returns) < 64 {
		returns = append(returns, float64(int16(binary.LittleEndian.Uint16(data)))/32768)
		data = data[2:]
	}
	return returns
}

func FuzzAdvantages(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0})
	f.Add([]byte{0, 0x7f, 0, 0, 0, 0x80, 7, 7})
	f.Add([]byte{5, 5, 5, 5, 5, 5})
	f.Add([]byte{1, 0, 2, 0, 1, 0, 1, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		returns := decode(data)
		for _, n := range variants {
			checkGroup(t, n, returns)
		}
	})
}

// checkGroup checks what must hold of every group, whatever the variant.
func checkGroup(t *testing.T, n Normalisation, returns []float64) {
	t.Helper()
	const slack = 1e-9
	got, flat := Advantages(n, returns, nil)
	sum := 0.0
	for i, a := range got {
		sum += a
		if !finite(a) || (flat && a != 0) {
			t.Fatalf("%s of %v: advantage %d is %v, flat %v", n, returns, i, a, flat)
		}
	}
	if math.Abs(sum) > slack {
		t.Errorf("%s of %v: advantages sum to %v", n, returns, sum)
	}

	reversed := make([]float64, len(returns))
	for i, r := range returns {
		reversed[len(returns)-1-i] = r
	}
	backwards, _ := Advantages(n, reversed, nil)
	for i, a := range got {
		if math.Abs(backwards[len(got)-1-i]-a) > slack {
			t.Errorf("%s of %v: advantage %d depends on the order", n, returns, i)
		}
	}

	// Shifting moves nothing; halving halves what is not divided by a spread and leaves the rest.
	moved := make([]float64, len(returns))
	for i, r := range returns {
		moved[i] = r/2 + 0.25
	}
	scaled, _ := Advantages(n, moved, nil)
	factor := 0.5
	if n == PopulationStd || n == SampleStd {
		factor = 1
	}
	for i, a := range got {
		// Epsilon itself makes a difference of about Epsilon/std, and std is above 1e-6 here.
		if math.Abs(scaled[i]-factor*a) > 0.02*(1+math.Abs(a)) {
			t.Errorf("%s of %v: advantage %d is %v, of the scaled group %v", n, returns, i, a, scaled[i])
		}
	}

	// A row that is excluded for its status, or not finite, changes no other.
	for _, extra := range []float64{100, math.NaN(), math.Inf(1)} {
		excluded := make([]bool, len(returns)+1)
		excluded[0] = finite(extra)
		with, withFlat := Advantages(n, append([]float64{extra}, returns...), excluded)
		if with[0] != 0 || withFlat != flat {
			t.Errorf("%s: the excluded row has advantage %v, flat %v", n, with[0], withFlat)
		}
		for i, a := range got {
			if with[i+1] != a {
				t.Errorf("%s of %v: excluded %v moved advantage %d", n, returns, extra, i)
			}
		}
	}
}

func TestAgentAdvantages(t *testing.T) {
	play := func(env string, arm spade.Arm, value float64, stop spade.StopReason) spade.Episode {
		return spade.Episode{Cycle: 1, EnvID: env, Arm: arm, Return: value, Stop: stop}
	}
	episodes := []spade.Episode{
		play("a", spade.Unhinted, 1, spade.StopTerminated),
		play("b", spade.Unhinted, 1, spade.StopTerminated),
		play("a", spade.Hinted, 1, spade.StopTerminated),
		play("a", spade.Unhinted, 0, spade.StopTruncated),
		play("a", spade.Unhinted, 0, spade.StopEnvironment),
		play("a", spade.Unhinted, 0, spade.StopEnvironment),
		play("b", spade.Unhinted, 1, spade.StopTerminated),
		play("a", spade.Hinted, -1, spade.StopTerminated),
	}
	got, groups := AgentAdvantages(CentredOnly, episodes)
	want := []float64{0.5, 0, 1, -0.5, 0, 0, 0, -1}
	for i := range want {
		near(t, got[i], want[i], "advantage", i)
	}
	wantGroups := []Group{
		{Cycle: 1, EnvID: "a", Arm: spade.Unhinted, Kept: 2},
		{Cycle: 1, EnvID: "b", Arm: spade.Unhinted, Kept: 2, Flat: true},
		{Cycle: 1, EnvID: "a", Arm: spade.Hinted, Kept: 2},
	}
	if len(groups) != len(wantGroups) {
		t.Fatalf("got groups %+v", groups)
	}
	for i := range wantGroups {
		if groups[i] != wantGroups[i] {
			t.Errorf("group %d: got %+v, want %+v", i, groups[i], wantGroups[i])
		}
	}
}

func TestAgentAdvantagesKeepsCyclesApart(t *testing.T) {
	var episodes []spade.Episode
	for cycle, value := range []float64{0, 1} {
		for range 2 {
			episodes = append(episodes, spade.Episode{Cycle: cycle, EnvID: "a", Arm: spade.Unhinted, Return: value})
		}
	}
	got, groups := AgentAdvantages(PopulationStd, episodes)
	if len(groups) != 2 || !groups[0].Flat || !groups[1].Flat {
		t.Errorf("got %+v, want two flat groups", groups)
	}
	for i, a := range got {
		if a != 0 {
			t.Errorf("advantage %d is %v", i, a)
		}
	}
}
