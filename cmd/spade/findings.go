package main

import (
	"fmt"
	"strings"

	"spade"
	"spade/store"
)

// finding is a reason for which the designer of an environment was not rewarded for all of its regret.
type finding struct {
	Cycle int    `json:"cycle"`
	EnvID string `json:"env_id"`
	// Code is "withheld_secret" or "any_hint"; Detail says what was seen and what it cost.
	Code   string `json:"code"`
	Detail string `json:"detail"`
	// Raw is what the designer earned with it.
	Raw float64 `json:"raw"`
}

// readFindings returns the findings of a run, in its order. Only runs whose cycles counted any are looked through.
func readFindings(run *store.Run, stats []store.Stats) ([]finding, error) {
	any := false
	for _, c := range stats {
		any = any || c.Placebos > 0 || c.Secrets > 0
	}
	if !any {
		return nil, nil
	}
	var found []finding
	for _, c := range stats {
		designs, err := run.Designs(c.Cycle)
		if err != nil {
			return nil, err
		}
		found = append(found, findingsOf(designs)...)
	}
	return found, nil
}

func findingsOf(designs []spade.Design) []finding {
	var found []finding
	for _, d := range designs {
		for _, w := range d.Verdict.Warnings {
			if w.Code == "withheld_secret" || w.Code == "any_hint" {
				found = append(found, finding{Cycle: d.Cycle, EnvID: d.EnvID, Code: w.Code, Detail: w.Detail, Raw: d.Raw})
			}
		}
	}
	return found
}

// findingsShown bounds the findings that are listed.
const findingsShown = 5

// regret says what of the regret was not the hint's doing.
func (s *shown) regret(b *strings.Builder) {
	placebos, secrets, explained := 0, 0, 0.0
	for _, c := range s.Cycles {
		placebos, secrets = placebos+c.Placebos, secrets+c.Secrets
		explained += float64(c.Placebos) * c.RegretExplained
	}
	if placebos > 0 {
		fmt.Fprintf(b, "\nplacebo: %d environments were also played with another one's hint; regret explained by any hint: %.0f %%\n",
			placebos, 100*explained/float64(placebos))
	}
	if secrets > 0 {
		fmt.Fprintf(b, "\nwithheld secrets: %d times the hinted arm won only through a word that no unhinted play could know\n", secrets)
	}
	if len(s.Findings) > 0 {
		b.WriteString("regret that earned its designer nothing (the last ones):\n")
	}
	for _, f := range s.Findings[max(0, len(s.Findings)-findingsShown):] {
		fmt.Fprintf(b, "  %s  cycle %-4d %s: %s; raw reward %.2f\n", f.EnvID, f.Cycle, f.Code, f.Detail, f.Raw)
	}
}
