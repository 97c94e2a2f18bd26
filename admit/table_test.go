package admit

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"spade"
)

var update = flag.Bool("update", false, "write docs/admission.md anew")

// verdicts are what the tests of cases saw, by the name of the case. This file's test comes after theirs.
var verdicts sync.Map

// otherCases have tests of their own.
var otherCases = []expectedCase{
	{name: "duplicate (second file)", codes: []spade.Code{spade.Duplicate}},
	{name: "hint-names-values (hint: names a value)", codes: []spade.Code{spade.HintLeak}},
	{name: "hint-names-values (hint: good)"},
}

const (
	tableFile  = "../docs/admission.md"
	tableBegin = "<!-- verdicts: written by go test ./admit -update -->\n"
	tableEnd   = "<!-- end of verdicts -->\n"
	costsBegin = "<!-- costs: written by go test ./admit -update -->\n"
	costsEnd   = "<!-- end of costs -->\n"
)

// TestTable holds the table of verdicts in the documentation against those that the tests of cases saw.
func TestTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| case | expected | ours | found by |\n|---|---|---|---|\n")
	for _, c := range slices.Concat(cases, otherCases, ownCases) {
		v, seen := verdicts.Load(c.name)
		if !seen {
			t.Skip("the tests of cases did not run")
		}
		expected := cmp.Or(c.beyond, expectation(c.codes))
		fmt.Fprintf(&table, "| %s | %s | %s |\n", c.name, expected, outcome(v.(spade.Verdict)))
	}
	text := readFile(t, tableFile)
	if *update {
		text = replaceBetween(t, text, tableBegin, tableEnd, table.String())
		text = replaceBetween(t, text, costsBegin, costsEnd, costTable(t))
		if err := os.WriteFile(tableFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(text, table.String()) {
		t.Errorf("%s does not show the verdicts of the tests; run go test ./admit -update", tableFile)
	}
}

func expectation(codes []spade.Code) string {
	if len(codes) == 0 {
		return "admit"
	}
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = string(code)
	}
	return strings.Join(texts, " or ")
}

func outcome(v spade.Verdict) string {
	if v.Admit {
		return "admit | –"
	}
	var codes []spade.Code
	for _, r := range v.Reasons {
		codes = append(codes, r.Code)
	}
	return strings.ReplaceAll(expectation(codes), " or ", ", ") + " | " + v.Stage
}

func replaceBetween(t *testing.T, text, begin, end, middle string) string {
	before, rest, ok1 := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks %q or %q", tableFile, begin, end)
	}
	return before + begin + middle + end + after
}

// costTable measures the parts of the plain plan: the median of some runs.
func costTable(t *testing.T) string {
	const runs = 9
	var table strings.Builder
	table.WriteString("| part | embedded: episodes, turns, ms | rotating_maze: episodes, turns, ms |\n|---|---|---|\n")
	walls := make(map[string][]float64)
	counts := make(map[string]Cost)
	var parts []string
	for _, name := range []string{"embedded", "rotating_maze"} {
		for range runs {
			for _, cost := range benchmarkOnce(t, benchmarkSource(t, name)).Costs {
				key := name + cost.Part
				walls[key] = append(walls[key], cost.Wall.Seconds()*1000)
				counts[key] = cost
				if !slices.Contains(parts, cost.Part) {
					parts = append(parts, cost.Part)
				}
			}
		}
	}
	for _, part := range parts {
		fmt.Fprintf(&table, "| %s |", part)
		for _, name := range []string{"embedded", "rotating_maze"} {
			key := name + part
			slices.Sort(walls[key])
			fmt.Fprintf(&table, " %d, %d, %.1f |", counts[key].Episodes, counts[key].Turns, walls[key][runs/2])
		}
		table.WriteByte('\n')
	}
	return table.String()
}
