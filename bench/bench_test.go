package bench

import (
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	f := Figure{Value: 10, Ratio: 2}
	for _, test := range []struct {
		got    Figure
		target string
		holds  bool
	}{
		{f.AtMost(2, 0), "ratio <= 2", true},
		{f.AtMost(1.5, 10), "ratio <= 1.5, value <= 10", false},
		{f.AtMost(2, 9), "ratio <= 2, value <= 9", false},
		{f.AtMost(0, 10), "value <= 10", true},
		{f.AtLeast(10), "value >= 10", true},
		{f.AtLeast(11), "value >= 11", false},
	} {
		if test.got.Target != test.target || test.got.Holds != test.holds {
			t.Errorf("got %q %v, want %q %v", test.got.Target, test.got.Holds, test.target, test.holds)
		}
	}
	times := []time.Duration{5, 1, 4, 2, 3}
	if Median(times) != 3 || Quantile(times, 0.99) != 5 || Quantile(times, 0) != 1 {
		t.Error("wrong quantiles")
	}
}
