package lab

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// line is one line of a chart, with the band around it where Low and High are given.
type line struct {
	label string
	// colour is the index of its colour, the same for an arm in every chart.
	colour    int
	x, y      []float64
	low, high []float64
}

// chart is a line chart to be drawn as SVG. Colours are classes of the page, so that it follows its theme.
type chart struct {
	title, xLabel string
	percent       bool
	width, height float64
	lines         []line
}

const marginLeft, marginRight, marginTop, marginBottom = 46.0, 12.0, 10.0, 34.0

// svg draws the chart. Every point carries its numbers as a title, which browsers show on hovering.
func (c chart) svg() template.HTML {
	xs, ys := c.scales()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, c.width, c.height, template.HTMLEscapeString(c.title))
	for _, tick := range ys.ticks(5) {
		y := ys.place(tick)
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			marginLeft, c.width-marginRight, y, y, marginLeft-6, y+4, c.number(tick))
	}
	for _, tick := range xs.ticks(6) {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%g</text>`, xs.place(tick), c.height-marginBottom+16, tick)
	}
	fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (marginLeft+c.width-marginRight)/2, c.height-4, template.HTMLEscapeString(c.xLabel))
	for _, l := range c.lines {
		if len(l.low) > 0 {
			fmt.Fprintf(&b, `<polygon class="band s%d" points="%s %s"/>`, l.colour, path(xs, ys, l.x, l.high, false), path(xs, ys, l.x, l.low, true))
		}
	}
	for _, l := range c.lines {
		fmt.Fprintf(&b, `<polyline class="line s%d" points="%s"/>`, l.colour, path(xs, ys, l.x, l.y, false))
		for i := range l.x {
			note := fmt.Sprintf("%s, %s %.4g: %s", l.label, c.xLabel, l.x[i], c.number(l.y[i]))
			if len(l.low) > 0 {
				note += fmt.Sprintf(" [%s, %s]", c.number(l.low[i]), c.number(l.high[i]))
			}
			fmt.Fprintf(&b, `<circle class="dot s%d" cx="%.1f" cy="%.1f" r="2.5"><title>%s</title></circle>`, l.colour, xs.place(l.x[i]), ys.place(l.y[i]), template.HTMLEscapeString(note))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (c chart) number(v float64) string {
	if c.percent {
		return fmt.Sprintf("%.3g %%", 100*v)
	}
	return fmt.Sprintf("%.3g", v)
}

// path lists points as SVG does, from right to left if backwards.
func path(xs, ys scale, x, y []float64, backwards bool) string {
	points := make([]string, len(x))
	for i := range x {
		at := i
		if backwards {
			at = len(x) - 1 - i
		}
		points[i] = fmt.Sprintf("%.1f,%.1f", xs.place(x[at]), ys.place(y[at]))
	}
	return strings.Join(points, " ")
}

// scale maps values in [low, high] to places in [from, to].
type scale struct{ low, high, from, to float64 }

func (s scale) place(v float64) float64 {
	return s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from)
}

// ticks are round values on the scale, about n of them.
func (s scale) ticks(n int) []float64 {
	step := roundStep((s.high - s.low) / float64(n))
	var ticks []float64
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+1e-9*step; k++ {
		ticks = append(ticks, k*step+0) // never the negative zero
	}
	return ticks
}

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is at least step.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// scales cover everything that the chart shows, zero included, rounded up to whole steps.
func (c chart) scales() (x, y scale) {
	x = scale{from: marginLeft, to: c.width - marginRight}
	y = scale{from: c.height - marginBottom, to: marginTop}
	for _, l := range c.lines {
		for _, v := range l.x {
			x.high = max(x.high, v)
		}
		for _, values := range [][]float64{l.y, l.low, l.high} {
			for _, v := range values {
				y.low, y.high = min(y.low, v), max(y.high, v)
			}
		}
	}
	if x.high == 0 {
		x.high = 1
	}
	if y.high == y.low {
		y.high = y.low + 1
	}
	step := roundStep((y.high - y.low) / 5)
	y.low, y.high = math.Floor(y.low/step+1e-9)*step, math.Ceil(y.high/step-1e-9)*step
	return x, y
}
