package bench

import (
	"fmt"
	"slices"
	"time"
)

// A Figure is one measured number.
type Figure struct {
	Name  string
	Value float64
	Unit  string
	// Against says what Ratio compares Value with, "" if with nothing.
	Against string
	Ratio   float64
	// Target says in words what is asked for, "" if nothing is; Holds is then true.
	Target string
	Holds  bool
}

// atMost judges a figure that should be small; maxRatio or maxValue 0 asks for nothing.
func (f Figure) atMost(maxRatio, maxValue float64) Figure {
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

// atLeast judges a figure that should be large.
func (f Figure) atLeast(value float64) Figure {
	f.Target = fmt.Sprintf("value >= %g", value)
	f.Holds = f.Value >= value
	return f
}

// quantile returns the q-quantile of values, which must not be empty. It sorts them.
func quantile[T time.Duration | float64](values []T, q float64) T {
	slices.Sort(values)
	return values[min(int(q*float64(len(values))), len(values)-1)]
}

func median[T time.Duration | float64](values []T) T { return quantile(values, 0.5) }

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
