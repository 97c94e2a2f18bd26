package lab

import (
	"fmt"
	"strings"
)

// Text is the report in a few lines for a terminal.
func (r Report) Text() string {
	var b strings.Builder
	if r.Settings.Tuning {
		b.WriteString("Tuning seeds: nothing here is a result.\n")
	}
	fmt.Fprintf(&b, "Held-out win rate in %%, mean of the last quarter's measurements, 95 %% interval:\n")
	for _, a := range r.Arms {
		fmt.Fprintf(&b, "  %-24s %5.1f [%.1f, %.1f]  from %.1f, %d seeds, %.0f processor seconds a run\n", a.label(), 100*a.Late.Mean, 100*a.Late.Low,
			100*a.Late.High, 100*a.HeldOut[0].Mean, len(a.Seeds), a.Cost.CPU)
	}
	if r.SeedsDiffer() {
		b.WriteString("Not all arms have the same seeds: compare those by the differences in the report, which are taken seed by seed.\n")
	}
	b.WriteString("Claims:\n")
	for _, c := range r.Claims {
		fmt.Fprintf(&b, "  %s: %s (%s)\n", c.Claim, c.Verdict, c.Evidence)
	}
	return b.String()
}
