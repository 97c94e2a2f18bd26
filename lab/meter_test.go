package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestMeter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cost.jsonl")
	now := 0.0
	open := func(cycle int) *Meter {
		m, err := OpenMeter(path, cycle)
		if err != nil {
			t.Fatal(err)
		}
		now, m.clock = 0, func() float64 { return now }
		return m
	}
	cycle := func(m *Meter, number int) {
		if err := m.Cycle(number); err != nil {
			t.Fatal(err)
		}
	}
	m := open(-1)
	now = 1
	m.Phase(true)
	now = 4
	m.Phase(false)
	now = 5.5
	cycle(m, 0)
	now = 7.501
	m.Phase(false)
	cycle(m, 1)
	now = 8
	m.Phase(true)
	now = 10
	cycle(m, 2) // which ends what was measured
	now = 11
	cycle(m, 3)
	m.Close()
	want := []Cost{{0, 2.5, 3}, {1, 4.5, 3}, {2, 5, 5}, {3, 6, 5}}
	if got, err := ReadCosts(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}

	// Killed in the middle of a line, and resumed after cycle 1.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString(`{"cycle":4,"cp`)
	file.Close()
	m = open(1)
	now = 2
	cycle(m, 2)
	m.Close()
	want = []Cost{{0, 2.5, 3}, {1, 4.5, 3}, {2, 6.5, 3}}
	if got, err := ReadCosts(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resumed: %v, %v", got, err)
	}
}

// TestLearningBy: a cycle without a line has the time of the one before it.
func TestLearningBy(t *testing.T) {
	costs := []Cost{{Cycle: 0, Learning: 1}, {Cycle: 1, Learning: 3}, {Cycle: 3, Learning: 7}}
	for cycle, want := range []float64{1, 3, 3, 7, 7} {
		if got := LearningBy(costs, cycle); got != want {
			t.Errorf("by cycle %d: %v, want %v", cycle, got, want)
		}
	}
	if got := LearningBy(nil, 5); got != 0 {
		t.Errorf("without lines: %v", got)
	}
}
