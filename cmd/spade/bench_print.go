package main

import (
	"fmt"
	"strings"

	"spade/bench"
)

// printFigures prints what a benchmark measured: one JSON object, or a table with a line for each figure.
func printFigures(con console, figures []bench.Figure, asJSON bool) error {
	if asJSON {
		return printJSON(con, map[string][]bench.Figure{"figures": figures})
	}
	_, err := fmt.Fprint(con.out, figureTable(figures))
	return err
}

// figureTable has the columns name, value, unit, comparison and judgement, as wide as what is in them.
func figureTable(figures []bench.Figure) string {
	var rows [][5]string
	var widths [5]int
	for _, f := range figures {
		row := [5]string{f.Name, decimals(f.Value), f.Unit, compared(f), judged(f)}
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s  %*s %-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], widths[2], row[2], widths[3], row[3], row[4])
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	return b.String()
}

// decimals is a number with as many digits as anybody reads.
func decimals(x float64) string {
	switch {
	case x >= 10_000:
		return fmt.Sprintf("%.0f", x)
	case x >= 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

func compared(f bench.Figure) string {
	if f.Against == "" {
		return ""
	}
	return fmt.Sprintf("%.2f x %s", f.Ratio, f.Against)
}

func judged(f bench.Figure) string {
	switch {
	case f.Target == "":
		return ""
	case f.Holds:
		return "holds (" + f.Target + ")"
	}
	return "MISSED (" + f.Target + ")"
}
