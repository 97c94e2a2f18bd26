package main

import (
	"strings"
	"testing"

	"spade/bench"
)

// TestFigureTable: columns stand under each other whatever is in them, and lines end with their last word.
func TestFigureTable(t *testing.T) {
	got := figureTable([]bench.Figure{
		bench.Plain("steps", 23456.7, "1/s"),
		{Name: "a longer name", Value: 1.25, Unit: "ms", Against: "bare µs", Ratio: 2, Target: "ratio <= 3", Holds: true},
		{Name: "idle", Value: 250, Unit: "of wall", Target: "value <= 3"},
	})
	want := strings.Join([]string{
		"steps          23457 1/s",
		"a longer name  1.250 ms       2.00 x bare µs  holds (ratio <= 3)",
		"idle           250.0 of wall                  MISSED (value <= 3)",
	}, "\n") + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
