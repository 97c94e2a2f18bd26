// Package bench holds the form in which every benchmark of this program states what it measured.
//
// It owns Figure, the arithmetic on a handful of measurements, and how the processor time of processes is read, which the
// lab needs too. It owns no benchmark: those of the embedded model are in bench/local, those of the jail in sandbox/bench,
// those of admission in bench/admission. Figures are made when a user runs `spade bench`.
package bench

import (
	"cmp"
	"fmt"
	"slices"
)

// A Figure is one measured number, compared in the same run with something else where there is such a thing.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Against says what Ratio compares Value with, "" if with nothing.
	Against string  `json:"against"`
	Ratio   float64 `json:"ratio"`
	// Target says in words what is asked for, "" if nothing is; Holds is then true.
	Target string `json:"target"`
	Holds  bool   `json:"holds"`
}

// Plain is a figure of which nothing is asked.
func Plain(name string, value float64, unit string) Figure {
	return Figure{Name: name, Value: value, Unit: unit, Holds: true}
}

// RatioAtLeast judges a figure by its ratio.
func (f Figure) RatioAtLeast(least float64) Figure {
	f.Target, f.Holds = fmt.Sprintf("ratio >= %g", least), f.Ratio >= least
	return f
}

// AtMost judges a figure that should be small; maxRatio or maxValue 0 asks for nothing.
func (f Figure) AtMost(maxRatio, maxValue float64) Figure {
	f.Holds = true
	if maxRatio > 0 {
		f.Target = fmt.Sprintf("ratio <= %g", maxRatio)
		f.Holds = f.Ratio <= maxRatio
	}
	if maxValue > 0 {
		if f.Target != "" {
			f.Target += ", "
		}
		f.Target += fmt.Sprintf("value <= %g", maxValue)
		f.Holds = f.Holds && f.Value <= maxValue
	}
	return f
}

// AtLeast judges a figure that should be large.
func (f Figure) AtLeast(value float64) Figure {
	f.Target, f.Holds = fmt.Sprintf("value >= %g", value), f.Value >= value
	return f
}

// Quantile returns the q-quantile of the values, of which there is at least one. It sorts them.
func Quantile[T cmp.Ordered](values []T, q float64) T {
	slices.Sort(values)
	return values[min(int(q*float64(len(values))), len(values)-1)]
}

// Median returns the middle one of the values, of which there is at least one; of an even number the upper one. It
// sorts them.
func Median[T cmp.Ordered](values []T) T {
	return Quantile(values, 0.5)
}
