// Package bench holds the form in which every benchmark of this program states what it measured.
//
// It owns Figure and the arithmetic on a handful of measurements. It owns no benchmark: those of the embedded model are
// in bench/local, those of the jail in sandbox/bench. Figures are made when a user runs `spade bench`.
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

// Median returns the middle one of the values, of which there is at least one; of an even number the upper one. It
// sorts them.
func Median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
