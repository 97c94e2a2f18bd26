package main

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"spade"
)

// movingFrontier is a run whose environments get harder, cycle by cycle.
func movingFrontier(cycles int) frontier {
	var f frontier
	for i := range cycles {
		rate := 1 - float64(i)/float64(max(1, cycles-1))
		f.add([]spade.Score{{Plays: 12, WinRate: rate}, {Plays: 12, WinRate: rate}, {Plays: 12, WinRate: 0}, {Plays: 4, Replay: true}, {}})
	}
	return f
}

// TestFrontierShows: where environments are is dark, and the band shows where they are not.
func TestFrontierShows(t *testing.T) {
	got := movingFrontier(12).plot(1, 80)
	for _, line := range []string{"100 % │██", " 60 % ┤··", "  0 % │▓▓", "      └cycle 1"} {
		if !strings.Contains(got, "\n"+line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
}

// TestFrontierFits: whatever the width and the length of a run, no line is wider, and there is no plot without room.
func TestFrontierFits(t *testing.T) {
	for _, cycles := range []int{0, 1, 3, 12, 64, 1000} {
		for _, width := range []int{0, 10, 16, 17, 40, 80, 200} {
			plot := movingFrontier(cycles).plot(1, width)
			if (cycles == 0 || width < 17) && plot != "" {
				t.Errorf("%d cycles, width %d: there is a plot\n%s", cycles, width, plot)
			}
			for line := range strings.Lines(plot) {
				if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > width {
					t.Errorf("%d cycles, width %d: a line of %d: %q", cycles, width, w, line)
				}
			}
			if cycles >= 12 && width >= 40 && plot == "" {
				t.Errorf("%d cycles, width %d: no plot", cycles, width)
			}
		}
	}
}

// TestDrawnInASCII: where the locale has nothing else, nothing else is printed of what this program draws.
func TestDrawnInASCII(t *testing.T) {
	text := movingFrontier(30).plot(1, 80) + sparkline([]float64{0, 0.5, 1}, 0, 1, 9) + bar(0.5, 4) + clip("a long\ntext", 3) + "→"
	for locale, ascii := range map[string]bool{"C": true, "POSIX": true, "de_DE.ISO-8859-1": true, "C.UTF-8": false, "en_US.utf8": false, "": false} {
		t.Setenv("LC_ALL", locale)
		t.Setenv("LC_CTYPE", "")
		t.Setenv("LANG", "")
		got := drawn(text)
		if is := strings.IndexFunc(got, func(r rune) bool { return r > 127 }) < 0; is != ascii {
			t.Errorf("in %q: %q", locale, got)
		}
		if lipgloss.Width(got) < lipgloss.Width(text) {
			t.Errorf("in %q something is lost", locale)
		}
	}
}
