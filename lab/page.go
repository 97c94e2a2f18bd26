package lab

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": func(v float64) string { return fmt.Sprintf("%.1f", 100*v) },
	"points":  func(v float64) string { return fmt.Sprintf("%+.1f", 100*v) },
	"two":     func(v float64) string { return fmt.Sprintf("%.2f", v) },
	"one":     func(v float64) string { return fmt.Sprintf("%.1f", v) },
	"count":   func(v float64) string { return fmt.Sprintf("%.0f", v) },
	"size":    sizeName,
	"label":   ArmReport.label,
}).Parse(pageText))

// label names an arm, with its size where it is not the shipped one.
func (a ArmReport) label() string {
	if a.Size == "" {
		return a.Arm
	}
	return a.Arm + ", " + a.Size
}

// figure is a chart with the table that says the same.
type figure struct {
	Title string
	Chart template.HTML
	// Columns are cycles, rows arms.
	Columns []int
	Rows    []figureRow
	// Percent says that the cells are shares, shown as percentages.
	Percent bool
}

type figureRow struct {
	Label  string
	Colour int
	Cells  []figureCell
}

// figureCell is empty where an arm has no such number.
type figureCell struct {
	Known           bool
	Mean, Low, High float64
}

// matrix holds the difference at equal updates of every two arms of a size: that of the row minus that of the column.
type matrix struct {
	Size string
	Arms []string
	// Cells are nil where two arms have no seed in common, and for an arm and itself.
	Cells [][]*Estimate
}

// ofSpade are the comparisons of spade with other arms.
func (r Report) ofSpade() []Comparison {
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c Comparison) bool { return c.A != "spade" })
}

// matrices has one for each size with comparisons that are not of spade.
func (r Report) matrices() []matrix {
	var all []matrix
	for _, c := range r.Comparisons {
		if c.A != "spade" && !slices.ContainsFunc(all, func(m matrix) bool { return m.Size == c.Size }) {
			all = append(all, r.matrix(c.Size))
		}
	}
	return all
}

func (r Report) matrix(size string) matrix {
	m := matrix{Size: size}
	for _, a := range r.Arms {
		if a.Size == size {
			m.Arms = append(m.Arms, a.Arm)
		}
	}
	for range m.Arms {
		m.Cells = append(m.Cells, make([]*Estimate, len(m.Arms)))
	}
	for _, c := range r.Comparisons {
		if c.Size == size {
			a, b := slices.Index(m.Arms, c.A), slices.Index(m.Arms, c.B)
			e := c.EqualUpdates
			m.Cells[a][b] = &e
			m.Cells[b][a] = &Estimate{Mean: -e.Mean, Low: -e.High, High: -e.Low, Seeds: e.Seeds}
		}
	}
	return m
}

// HTML is the report as one page that needs nothing else.
func (r Report) HTML() ([]byte, error) {
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		Report
		ByUpdates, ByCPU figure
		Curves           []figure
		OfSpade          []Comparison
		Matrices         []matrix
		Colours          [colours]struct{}
	}{Report: r, ByUpdates: r.heldOutFigure(), ByCPU: r.cpuFigure(), Curves: r.curveFigures(), OfSpade: r.ofSpade(), Matrices: r.matrices()})
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return out.Bytes(), nil
}

func (r Report) heldOutFigure() figure {
	f := figure{Title: "Held-out win rate by optimiser steps", Percent: true, Columns: r.measuredCycles()}
	c := chart{title: f.Title, xLabel: "cycles", percent: true, width: 760, height: 380}
	for i, a := range r.Arms {
		l := line{label: a.label(), colour: i % colours}
		row := figureRow{Label: a.label(), Colour: i % colours, Cells: make([]figureCell, len(f.Columns))}
		for _, m := range a.HeldOut {
			l.add(float64(m.Cycle), m.Mean, m.Low, m.High)
			row.Cells[slices.Index(f.Columns, m.Cycle)] = figureCell{true, m.Mean, m.Low, m.High}
		}
		c.lines = append(c.lines, l)
		f.Rows = append(f.Rows, row)
	}
	f.Chart = c.svg()
	return f
}

// cpuFigure has the processor times themselves in its table: the win rates by then are those of heldOutFigure.
func (r Report) cpuFigure() figure {
	f := figure{Title: "Held-out win rate by processor time", Columns: r.measuredCycles()}
	c := chart{title: f.Title, xLabel: "processor seconds", percent: true, width: 760, height: 380}
	for i, a := range r.Arms {
		l := line{label: a.label(), colour: i % colours}
		row := figureRow{Label: a.label(), Colour: i % colours, Cells: make([]figureCell, len(f.Columns))}
		for _, m := range a.HeldOut {
			l.add(m.CPU, m.Mean, m.Low, m.High)
			row.Cells[slices.Index(f.Columns, m.Cycle)] = figureCell{Known: true, Mean: m.CPU}
		}
		c.lines = append(c.lines, l)
		f.Rows = append(f.Rows, row)
	}
	f.Chart = c.svg()
	return f
}

// measuredCycles are the cycles after which some arm was measured.
func (r Report) measuredCycles() []int {
	var cycles []int
	for _, a := range r.Arms {
		for _, m := range a.HeldOut {
			cycles = append(cycles, m.Cycle)
		}
	}
	slices.Sort(cycles)
	return slices.Compact(cycles)
}

func (l *line) add(x, y, low, high float64) {
	l.x, l.y, l.low, l.high = append(l.x, x), append(l.y, y), append(l.low, low), append(l.high, high)
}

// colours is the number of colours of the page.
const colours = 12

func (r Report) curveFigures() []figure {
	var figures []figure
	for _, n := range curves {
		f := figure{Title: n.name, Columns: r.fifths(n.name)}
		c := chart{title: n.name, xLabel: "cycles", width: 520, height: 260}
		for i, a := range r.Arms {
			l := line{label: a.label(), colour: i % colours}
			row := figureRow{Label: a.label(), Colour: i % colours, Cells: make([]figureCell, len(f.Columns))}
			for _, s := range a.curve(n.name) {
				l.add(float64(s.Cycle), s.Mean, s.Min, s.Max)
				if column := slices.Index(f.Columns, s.Cycle); column >= 0 {
					row.Cells[column] = figureCell{true, s.Mean, s.Min, s.Max}
				}
			}
			if len(l.x) == 0 {
				continue
			}
			c.lines = append(c.lines, l)
			f.Rows = append(f.Rows, row)
		}
		if len(f.Rows) == 0 {
			continue
		}
		f.Chart = c.svg()
		figures = append(figures, f)
	}
	return figures
}

// curve is the curve of a name, nil if the arm has none.
func (a ArmReport) curve(name string) []Spread {
	for _, c := range a.Curves {
		if c.Name == name {
			return c.Points
		}
	}
	return nil
}

// fifths are the cycles of the blocks that end each fifth of a curve, over all arms.
func (r Report) fifths(name string) []int {
	var cycles []int
	for _, a := range r.Arms {
		for _, s := range a.curve(name) {
			cycles = append(cycles, s.Cycle)
		}
	}
	slices.Sort(cycles)
	cycles = slices.Compact(cycles)
	var ends []int
	for fifth := 1; fifth <= 5 && len(cycles) > 0; fifth++ {
		ends = append(ends, cycles[max(0, fifth*len(cycles)/5-1)])
	}
	return slices.Compact(ends)
}
