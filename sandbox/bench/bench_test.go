package bench

import (
	"context"
	"os"
	"testing"

	"spade/sandbox"
	"spade/sandbox/internal/unjailed"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
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
