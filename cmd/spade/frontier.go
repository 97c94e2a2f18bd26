package main

import (
	"fmt"
	"strings"

	"spade"
)

// frontier is where the environments that a run designed stand: the blind win rates of those that entered in each cycle, by
// cycle. What a learning designer is for is to keep them near the band in which its anchor pays in full.
type frontier [][]float64

const (
	frontierRows = 10 // a row is ten points of win rate
	// frontierMargin is what stands left of the plot, and frontierWidest the largest number of its columns.
	frontierMargin = 7
	frontierWidest = 64
	// The band is that of rows 40 to 60 %.
	bandLow, bandHigh = 4, 6
)

// add takes in the scores of one more cycle.
func (f *frontier) add(scores []spade.Score) {
	var rates []float64
	for _, s := range scores {
		if !s.Replay && s.Plays > 0 {
			rates = append(rates, s.WinRate)
		}
	}
	*f = append(*f, rates)
}

// plot draws the frontier into lines of at most width columns: time from left to right, win rate from bottom to top, the
// darker the more of the environments of that time are there. It is "" where there is too little room or nothing to draw.
func (f frontier) plot(first, width int) string {
	columns := f.columns(min(frontierWidest, width-frontierMargin))
	if len(columns) < 10 {
		return ""
	}
	var b strings.Builder
	b.WriteString(clip("blind win rates of each cycle's environments (the darker, the more)", width-1) + "\n")
	for row := frontierRows - 1; row >= 0; row-- {
		label, axis := "", "│"
		switch row {
		case frontierRows - 1:
			label = "100 %"
		case 0:
			label = "0 %"
		case bandHigh - 1:
			label, axis = "60 %", "┤"
		case bandLow:
			label, axis = "40 %", "┤"
		}
		var line strings.Builder
		for _, shares := range columns {
			line.WriteString(shade(shares[row], row >= bandLow && row < bandHigh))
		}
		fmt.Fprintf(&b, "%5s %s%s\n", label, axis, strings.TrimRight(line.String(), " "))
	}
	axis := fmt.Sprintf("cycle %d", first)
	if last := fmt.Sprint(first + len(f) - 1); len(f) > 1 && len(axis)+1+len(last) <= len(columns) {
		axis += fmt.Sprintf("%*s", len(columns)-len(axis), last)
	}
	fmt.Fprintf(&b, "%6s└%s\n", "", axis)
	return b.String()
}

// columns puts the cycles into at most width columns: neighbours together where there are too many, each several times
// where there are few. A column holds the share of its environments in each row.
func (f frontier) columns(width int) [][frontierRows]float64 {
	if len(f) == 0 || width < 1 {
		return nil
	}
	n, repeat := len(f), 1
	if n > width {
		n = width
	} else {
		repeat = min(4, width/n)
	}
	var columns [][frontierRows]float64
	for i := range n {
		var rates []float64
		for _, cycle := range f[i*len(f)/n : (i+1)*len(f)/n] {
			rates = append(rates, cycle...)
		}
		var shares [frontierRows]float64
		for _, rate := range rates {
			row := max(0, min(frontierRows-1, int(rate*frontierRows+1e-9)))
			shares[row] += 1 / float64(len(rates))
		}
		for range repeat {
			columns = append(columns, shares)
		}
	}
	return columns
}

// shade draws a share; the band shows where it is empty.
func shade(share float64, band bool) string {
	switch {
	case share > 0.4:
		return "█"
	case share > 0.2:
		return "▓"
	case share > 0.1:
		return "▒"
	case share > 0:
		return "░"
	case band:
		return "·"
	}
	return " "
}
