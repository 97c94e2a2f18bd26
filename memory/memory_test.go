package memory

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spade"
)

// measure puts an environment named name into m.
func measure(m *Memory, cycle int, name, skill string, winRate, regret float64) {
	env := spade.Environment{ID: name, Source: "class " + name + "Env: pass", Skill: skill, Cycle: cycle}
	m.Measure(cycle, env, true, spade.Score{
		EnvID: name, Skill: skill, Plays: 12, HintedPlays: 6, WinRate: winRate, HintedWinRate: winRate + regret, Regret: regret,
	})
}

func ids(remembered []spade.Remembered) (names []string) {
	for _, r := range remembered {
		names = append(names, r.EnvID)
	}
	return names
}

func TestMeasureUpdates(t *testing.T) {
	m := New()
	env := spade.Environment{
		ID: "a", Source: "source", Class: "AEnv", Kind: spade.Game, Skill: "sum", Hint: "add", PassageID: "p", Cycle: 1, Slot: 3,
	}
	m.Measure(1, env, true, spade.Score{Plays: 12, HintedPlays: 6, WinRate: 0.5, HintedWinRate: 0.75, Regret: 0.25})
	m.Measure(2, env, true, spade.Score{})
	m.Measure(4, env, true, spade.Score{Plays: 10, WinRate: 1})
	want := []spade.Remembered{{
		EnvID: "a", Source: "source", Class: "AEnv", Kind: spade.Game, Skill: "sum", Hint: "add", PassageID: "p", Slot: 3, Packed: true,
		WinRate: 1, HintedWinRate: 0.75, Regret: 0.25, Plays: 22, Cycle: 1, Measured: 4,
	}}
	if got := m.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if m.Measure(5, spade.Environment{ID: "b"}, false, spade.Score{}); len(m.All()) != 1 {
		t.Error("an environment without a play entered")
	}
}

func TestExamples(t *testing.T) {
	m := New()
	measure(m, 1, "mastered", "sum", 0.95, 0)
	measure(m, 1, "nearly", "sum", 0.88, 0.5)
	measure(m, 1, "edge", "sum", 0.85, 0.1)
	measure(m, 1, "good", "sum", 0.5, 0.3)
	measure(m, 1, "other", "walk", 0.5, 0.9)
	measure(m, 1, "hopeless", "walk", 0.05, 0.6)
	tests := []struct {
		skill                string
		positives, negatives int
		want                 []string // as a set
	}{
		{"sum", 2, 1, []string{"edge", "good", "mastered"}},
		{"sum", 3, 2, []string{"edge", "good", "mastered"}}, // and none of walk
		{"walk", 1, 1, []string{"hopeless", "other"}},
		{"", 9, 9, []string{"edge", "good", "hopeless", "mastered", "other"}},
		{"stack", 0, 0, nil},
	}
	for _, test := range tests {
		for cycle := range 5 {
			got := ids(m.Examples(spade.Stream(1, cycle, 0, "examples"), test.skill, test.positives, test.negatives, cycle%2 == 0))
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("%q %d+%d: got %v, want %v", test.skill, test.positives, test.negatives, got, test.want)
			}
		}
	}
}

func TestExamplesComeFromTheTop(t *testing.T) {
	m := New()
	for i := range 30 {
		measure(m, 1, fmt.Sprintf("e%02d", i), "sum", 0.5, float64(i)/100)
	}
	seen := map[string]bool{}
	for cycle := range 200 {
		got := ids(m.Examples(spade.Stream(3, cycle, 0, "examples"), "sum", 2, 1, true))
		if len(got) != 2 || got[0] == got[1] {
			t.Fatalf("got %v, want two different ones", got)
		}
		seen[got[0]], seen[got[1]] = true, true
	}
	// 3n is 6, so the floor of ten holds: e20 to e29.
	if len(seen) != 10 || seen["e19"] {
		t.Errorf("sampled from %d environments, e19: %v", len(seen), seen["e19"])
	}
}

func TestExamplesNearOneHalf(t *testing.T) {
	m := New()
	for i := range 30 {
		measure(m, 1, fmt.Sprintf("e%02d", i), "sum", 0.5+float64(29-i)/100, float64(29-i)/100)
	}
	for cycle := range 100 {
		for _, id := range ids(m.Examples(spade.Stream(3, cycle, 0, "examples"), "sum", 2, 0, false)) {
			if id < "e24" {
				t.Fatalf("%s is shown: six have a win rate nearer to one half", id)
			}
		}
	}
}

// What was half won long ago is won by now: it is shown only where fresh measurements are too few.
func TestExamplesNearOneHalfAreFresh(t *testing.T) {
	m := New()
	for i := range 9 {
		measure(m, 1, fmt.Sprintf("old%d", i), "sum", 0.5, 0)
	}
	measure(m, 12, "fresh0", "sum", 0.8, 0)
	measure(m, 21, "fresh1", "sum", 0.2, 0)
	for cycle := range 20 {
		shown := ids(m.Examples(spade.Stream(3, cycle, 0, "examples"), "sum", 1, 0, false))
		if old := strings.HasPrefix(shown[0], "old"); old && shown[0] != "old0" {
			t.Fatalf("%s is shown: two are fresher, and old0 is as good", shown[0])
		}
	}
}

func TestReplays(t *testing.T) {
	m := New()
	if got := m.Replays(3); len(got) != 0 {
		t.Errorf("an empty memory replays %v", got)
	}
	measure(m, 1, "old", "sum", 0.5, 0.1)
	measure(m, 5, "mastered", "sum", 1, 0)
	measure(m, 3, "hopeless", "sum", 0, 0)
	measure(m, 5, "recent", "sum", 0.5, 0.1)
	measure(m, 11, "new", "sum", 1, 0)
	for n, want := range [][]string{nil, {"old"}, {"old", "hopeless"}, {"old", "hopeless", "mastered"}, {"old", "hopeless", "mastered"}} {
		if got := ids(m.Replays(n)); !slices.Equal(got, want) {
			t.Errorf("%d replays: got %v, want %v", n, got, want)
		}
	}
	// A replay is a measurement: it puts the environment last.
	measure(m, 12, "old", "sum", 0.5, 0.1)
	if got := ids(m.Replays(1)); !slices.Equal(got, []string{"hopeless"}) {
		t.Errorf("got %v", got)
	}
}

func TestEviction(t *testing.T) {
	m := New()
	measure(m, 1, "kept", "sum", 0.5, 0.9)
	for i := range 3 * Capacity {
		name, cycle := fmt.Sprintf("e%03d", i), 2+i/10
		if i%2 == 0 {
			measure(m, cycle, name, "sum", 0.5, 0.1)
		} else {
			measure(m, cycle, name, "sum", 1, 0)
		}
		measure(m, cycle, "kept", "sum", 0.5, 0.9)
	}
	others := 0
	for _, r := range m.All() {
		if !teachable(&r) {
			others++
		}
		if r.EnvID != "kept" && r.Measured < 30 {
			t.Errorf("%s, measured in cycle %d, was kept", r.EnvID, r.Measured)
		}
	}
	if len(m.All()) != Capacity || others != reserved {
		t.Errorf("%d remembered, %d of them not teachable; want %d and %d", len(m.All()), others, Capacity, reserved)
	}
	if m.All()[0].EnvID != "kept" {
		t.Error("an environment that stays teachable was forgotten")
	}
}

// Equal measurements leave by regret, then by name, whatever the order in which they came.
func TestEvictionIsDetermined(t *testing.T) {
	fill := func(order []int) []string {
		m := New()
		for _, i := range order {
			measure(m, 1, fmt.Sprintf("e%03d", i), "sum", 0.5, float64(i%7)/10)
		}
		names := ids(m.All())
		slices.Sort(names)
		return names
	}
	n := Capacity + 20
	want := fill(spade.Stream(1, 0, 0, "order").Perm(n))
	for seed := range 5 {
		if got := fill(spade.Stream(2, seed, 0, "order").Perm(n)); !slices.Equal(got, want) {
			t.Errorf("order %d: other environments are kept", seed)
		}
	}
}

func TestMostTeachable(t *testing.T) {
	m := New()
	measure(m, 1, "hopeless", "sum", 0, 1)
	if got := m.MostTeachable(); got != nil {
		t.Errorf("got %v", got)
	}
	measure(m, 1, "a", "sum", 0.5, 0.2)
	measure(m, 1, "b", "sum", 0.5, 0.4)
	measure(m, 1, "c", "sum", 0.5, 0.3)
	if got := m.MostTeachable(); got == nil || got.EnvID != "b" {
		t.Errorf("got %v, want b", got)
	}
}

// A memory that was written and read back goes on as the one that was not.
func TestMemoryResumes(t *testing.T) {
	r := spade.Stream(5, 0, 0, "test")
	straight, resumed := New(), New()
	for cycle := range 30 {
		for range 10 {
			name, winRate, regret := fmt.Sprintf("e%03d", r.IntN(400)), r.Float64(), r.Float64()-0.3
			measure(straight, cycle, name, "sum", winRate, regret)
			measure(resumed, cycle, name, "sum", winRate, regret)
		}
		state, err := json.Marshal(resumed)
		if err != nil {
			t.Fatal(err)
		}
		resumed = new(Memory)
		if err := json.Unmarshal(state, resumed); err != nil {
			t.Fatal(err)
		}
		a := straight.Examples(spade.Stream(1, cycle, 0, "examples"), "sum", 2, 1, true)
		b := resumed.Examples(spade.Stream(1, cycle, 0, "examples"), "sum", 2, 1, true)
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(straight.Replays(4), resumed.Replays(4)) {
			t.Fatalf("cycle %d: the resumed memory answers otherwise", cycle)
		}
	}
	if !reflect.DeepEqual(straight, resumed) {
		t.Error("the resumed memory differs")
	}
}
