package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

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
