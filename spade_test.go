package spade

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

// Streams are part of what makes a run reproducible: their numbers must never change.
func TestStreamIsStable(t *testing.T) {
	r := Stream(7, 3, 2, "seeds")
	got := []int64{r.Int64N(1 << 31), r.Int64N(1 << 31), r.Int64N(1 << 31)}
	if want := []int64{1350623133, 1276372076, 1425909743}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStreamsDifferByEveryPartOfTheirName(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range map[string]uint64{
		"base":    Stream(1, 2, 3, "a").Uint64(),
		"seed":    Stream(2, 2, 3, "a").Uint64(),
		"cycle":   Stream(1, 3, 3, "a").Uint64(),
		"slot":    Stream(1, 2, 4, "a").Uint64(),
		"purpose": Stream(1, 2, 3, "b").Uint64(),
		"shifted": Stream(12, 3, 3, "a").Uint64(), // digits must not run together: 1|2 and 12|
	} {
		if other, taken := seen[r]; taken {
			t.Errorf("%s draws the same as %s", name, other)
		}
		seen[r] = name
	}
}

func TestContentID(t *testing.T) {
	// The first 16 hex digits of the SHA-256 of the empty text, as sha256sum prints it.
	if got := ContentID(""); got != "e3b0c44298fc1c14" {
		t.Errorf("got %s", got)
	}
	if env := NewEnvironment("x = 1\n"); env.ID != ContentID("x = 1\n") {
		t.Errorf("the id %s is not that of the source", env.ID)
	}
}

func TestPassageSkill(t *testing.T) {
	for _, test := range []struct {
		meta map[string]any
		want string
	}{{nil, ""}, {map[string]any{"skill": "sum"}, "sum"}, {map[string]any{"skill": 7}, ""}} {
		if got := (Passage{Meta: test.meta}).Skill(); got != test.want {
			t.Errorf("%v: got %q, want %q", test.meta, got, test.want)
		}
	}
}

func TestTrajectoryIsTheTurnsInOrder(t *testing.T) {
	e := Episode{Turns: []Turn{
		{Tokens: []int32{1, 2}, LogProbs: []float32{0, -1}, Mask: []bool{false, true}, Version: 4},
		{Tokens: []int32{3, 4, 5}, LogProbs: []float32{0, 0, -2}, Mask: []bool{false, false, true}, Version: 4},
	}}
	got := e.Trajectory()
	if !slices.Equal(got.Tokens, []int32{1, 2, 3, 4, 5}) || !slices.Equal(got.LogProbs, []float32{0, -1, 0, 0, -2}) ||
		!slices.Equal(got.Mask, []bool{false, true, false, false, true}) || got.Version != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestEpisodeWinsAndCounts(t *testing.T) {
	for _, test := range []struct {
		episode     Episode
		won, counts bool
	}{
		{Episode{Stop: StopTerminated, Return: 1}, true, true},
		{Episode{Stop: StopTerminated, Return: 0.99}, false, true},
		{Episode{Stop: StopTruncated}, false, true},
		{Episode{Stop: StopContext}, false, true},
		{Episode{Stop: StopEnvironment, Outcome: EnvExit}, false, false},
	} {
		if test.episode.Won() != test.won || test.episode.Counts() != test.counts {
			t.Errorf("%+v: won %v, counts %v", test.episode, test.episode.Won(), test.episode.Counts())
		}
	}
}

func TestErrorKeepsItsCauseAndNextStep(t *testing.T) {
	err := error(Errorf(ByUser, "name another file", "open corpus %s: %w", "notes.jsonl", fs.ErrNotExist))
	var at *Error
	if !errors.As(err, &at) || at.Boundary != ByUser || at.Next != "name another file" {
		t.Fatalf("got %#v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "open corpus notes.jsonl: file does not exist" {
		t.Errorf("got %v", err)
	}
}

func TestVerdictHas(t *testing.T) {
	v := Verdict{Reasons: []Reason{{Code: Hang}, {Code: Trivial}}}
	if !v.Has(Trivial) || v.Has(Syntax) {
		t.Errorf("got %v and %v", v.Has(Trivial), v.Has(Syntax))
	}
}
