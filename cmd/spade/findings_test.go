package main

import (
	"strings"
	"testing"

	"spade"
)

func TestFindings(t *testing.T) {
	designs := []spade.Design{
		{Cycle: 3, EnvID: "aaaa", Raw: 0.6, Verdict: spade.Verdict{Admit: true, Warnings: []spade.Warning{
			{Code: "no_witness", Detail: "x"}, {Code: "withheld_secret", Detail: `every win says "gull": the regret earns nothing`}}}},
		{Cycle: 3, EnvID: "bbbb", Raw: 0.7, Verdict: spade.Verdict{Admit: true, Warnings: []spade.Warning{{Code: "any_hint", Detail: "0.20 as well"}}}},
		{Cycle: 3, EnvID: "cccc"},
	}
	s := shown{Findings: findingsOf(designs), Cycles: []cycleLine{
		{Cycle: 3, CycleStats: spade.CycleStats{Placebos: 1, RegretExplained: 0.2, Secrets: 1}},
		{Cycle: 4, CycleStats: spade.CycleStats{Placebos: 3, RegretExplained: 0.6}},
	}}
	var b strings.Builder
	s.regret(&b)
	for _, want := range []string{
		"placebo: 4 environments", "explained by any hint: 50 %", "withheld secrets: 1 times",
		"aaaa  cycle 3    withheld_secret: every win says \"gull\": the regret earns nothing; raw reward 0.60\n",
		"bbbb  cycle 3    any_hint: 0.20 as well; raw reward 0.70\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q lacks %q", b.String(), want)
		}
	}
	b.Reset()
	if (&shown{}).regret(&b); b.Len() > 0 {
		t.Errorf("a run without placebos says %q", b.String())
	}
}
