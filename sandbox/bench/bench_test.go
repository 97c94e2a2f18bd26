package bench

import (
	"context"
	"os"
	"testing"
	"time"

	"spade/sandbox"
	"spade/sandbox/internal/unjailed"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

func TestFigures(t *testing.T) {
	f := Figure{Value: 10, Ratio: 2}
	for _, test := range []struct {
		got    Figure
		target string
		holds  bool
	}{
		{f.atMost(2, 0), "ratio <= 2", true},
		{f.atMost(1.5, 10), "ratio <= 1.5, value <= 10", false},
		{f.atMost(2, 9), "ratio <= 2, value <= 9", false},
		{f.atMost(0, 10), "value <= 10", true},
		{f.atLeast(10), "value >= 10", true},
		{f.atLeast(11), "value >= 11", false},
	} {
		if test.got.Target != test.target || test.got.Holds != test.holds {
			t.Errorf("got %q %v, want %q %v", test.got.Target, test.got.Holds, test.target, test.holds)
		}
	}
	times := []time.Duration{5, 1, 4, 2, 3}
	if median(times) != 3 || quantile(times, 0.99) != 5 || quantile(times, 0) != 1 {
		t.Error("wrong quantiles")
	}
}

// TestSoak: a short soak leaves nothing behind. Whether memory is flat takes a long one.
func TestSoak(t *testing.T) {
	b := Bench{Progress: func(string) {}}
	figures, err := b.Soak(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if f.Target == "none" && !f.Holds {
			t.Errorf("%s: %v", f.Name, f.Value)
		}
	}
}

// TestUnjailed: the comparison without a jail plays the same game.
func TestUnjailed(t *testing.T) {
	s, err := open(unjailed.Context(t.Context()), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, _, err := start(t.Context(), s, game(1))
	if err != nil {
		t.Fatal(err)
	}
	i, err := begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := playGame(context.Background(), i); err != nil || n != gameTurns {
		t.Errorf("played %d turns, %v", n, err)
	}
	if s.Status().Tier != sandbox.None {
		t.Errorf("it says that it is jailed: %s", s.Status().Tier)
	}
}
