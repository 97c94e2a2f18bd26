package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"spade"
)

// shownRow is one number of a cycle with the range in which it is drawn; without a high end, that is the largest value.
type shownRow struct {
	name      string
	low, high float64
	value     func(spade.CycleStats) float64
}

var shownRows = []shownRow{
	{"win rate, blind", 0, 1, func(c spade.CycleStats) float64 { return c.WinRate }},
	{"win rate, hinted", 0, 1, func(c spade.CycleStats) float64 { return c.HintedWinRate }},
	{"regret", -0.2, 0.5, func(c spade.CycleStats) float64 { return c.Regret }},
	{"designer reward", 0, 1, func(c spade.CycleStats) float64 { return c.DesignerReward }},
	{"valid share", 0, 1, func(c spade.CycleStats) float64 { return float64(c.Admitted) / float64(max(1, c.Judged())) }},
	{"groups that teach", 0, 1, func(c spade.CycleStats) float64 { return c.Signal }},
	{"turns per episode", 0, 0, func(c spade.CycleStats) float64 { return c.Turns }},
	{"diversity (Vendi/n)", 0, 1, func(c spade.CycleStats) float64 { return c.Vendi }},
}

func (r shownRow) values(history []spade.CycleStats) []float64 {
	values := make([]float64, len(history))
	for i, c := range history {
		values[i] = r.value(c)
	}
	return values
}

func (r shownRow) sparkline(values []float64, width int) string {
	high := r.high
	if high == 0 {
		high = max(1, slices.Max(values))
	}
	return sparkline(values, r.low, high, width)
}

// sparkline draws values between low and high as a line of blocks, at most width wide: the newest on the right,
// neighbours averaged where there are too many.
func sparkline(values []float64, low, high float64, width int) string {
	const blocks = "▁▂▃▄▅▆▇█"
	if width <= 0 || len(values) == 0 {
		return ""
	}
	levels := []rune(blocks)
	var b strings.Builder
	for _, v := range squeeze(values, width) {
		at := int(math.Round((v - low) / (high - low) * float64(len(levels)-1)))
		b.WriteRune(levels[max(0, min(len(levels)-1, at))])
	}
	return b.String()
}

// squeeze averages values into at most width buckets of nearly equal size.
func squeeze(values []float64, width int) []float64 {
	if len(values) <= width {
		return values
	}
	out := make([]float64, width)
	for i := range out {
		from, to := i*len(values)/width, (i+1)*len(values)/width
		for _, v := range values[from:to] {
			out[i] += v / float64(to-from)
		}
	}
	return out
}

// bar draws a share in [0, 1] as a bar.
func bar(share float64, width int) string {
	full := max(0, min(width, int(math.Round(share*float64(width)))))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// refusals are the reasons of a cycle's refused designs, the most frequent first.
func refusals(refused map[string]int) string {
	codes := make([]string, 0, len(refused))
	for code := range refused {
		codes = append(codes, code)
	}
	sort.Slice(codes, func(a, b int) bool {
		if refused[codes[a]] != refused[codes[b]] {
			return refused[codes[a]] > refused[codes[b]]
		}
		return codes[a] < codes[b]
	})
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%s %d", code, refused[code])
	}
	return strings.Join(codes, ", ")
}
