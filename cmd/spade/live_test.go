package main

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"spade"
	"spade/selfplay"
)

// screenOf is the screen of a run of a hundred cycles after some messages.
func screenOf(messages ...tea.Msg) liveScreen {
	cfg := selfplay.Default()
	cfg.Cycles = 100
	var screen tea.Model = liveScreen{cfg: cfg, dir: "runs/a", width: 80}
	for _, message := range messages {
		screen, _ = screen.Update(message)
	}
	return screen.(liveScreen)
}

func committed(number int) cycleMsg {
	stats := spade.CycleStats{SampledTokens: 3000, TrainedTokens: 1000, Designed: 4, Admitted: 3, Refused: map[string]int{"off_topic": 1}}
	return cycleMsg{spade.Cycle{Number: number, Stats: stats,
		Environments: []spade.Environment{{ID: "7c8360e889d2770a", Hint: "look twice"}},
		Scores: []spade.Score{
			{EnvID: "7c8360e889d2770a", Skill: "sum", Plays: 8, WinRate: 0.25, HintedPlays: 4, HintedWinRate: 1, Regret: 0.75},
			{EnvID: "d77ec931b0ab78e8", Skill: "sum", Plays: 8, WinRate: 0, HintedPlays: 4, HintedWinRate: 1, Regret: 1},
		}}, 2 * time.Second}
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []tea.Msg
		want     []string
	}{
		{"before anything", nil, []string{"cycle 1/100"}},
		{"the first measurement", []tea.Msg{progressMsg{Phase: "held-out", Total: 99}}, []string{"cycle 1/100", "held-out 0/99"}},
		{"in the second cycle", []tea.Msg{committed(0), committed(1), progressMsg{Cycle: 2, Phase: "self-play", Done: 3, Total: 16}},
			[]string{"cycle 2/100", "self-play 3/16", "2.0k tokens/s", "3m18s left"}},
		{"resumed in cycle 50", []tea.Msg{progressMsg{Cycle: 50, Phase: "training"}}, []string{"cycle 50/100", "training"}},
		{"resumed, one cycle on", []tea.Msg{progressMsg{Cycle: 50}, committed(50), progressMsg{Cycle: 51, Phase: "training"}},
			[]string{"cycle 51/100", "1m40s left"}},
		{"over", []tea.Msg{committed(100), progressMsg{Cycle: 100, Phase: "held-out", Total: 99}}, []string{"100 cycles done", "0s left"}},
	} {
		got := screenOf(c.messages...).headline()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", c.name, got, want)
			}
		}
	}
}

// TestScreenShows: the frontier where there is room for it, and the environment that teaches most in any case.
func TestScreenShows(t *testing.T) {
	messages := []tea.Msg{committed(0)}
	for n := range 30 {
		messages = append(messages, committed(n+1))
	}
	for _, c := range []struct {
		width, height int
		plot          bool
	}{{80, 50, true}, {200, 50, true}, {80, 24, false}, {15, 50, false}} {
		text := screenOf(append(messages, tea.WindowSizeMsg{Width: c.width, Height: c.height})...).render()
		if plot := strings.Contains(text, " 60 % ┤"); plot != c.plot {
			t.Errorf("%d × %d: a plot: %v, want %v\n%s", c.width, c.height, plot, c.plot, text)
		}
		if want := "7c8360e889d2770a  sum  0.25 → 1.00  hint: look twice"; !strings.Contains(text, want) && c.width >= 80 {
			t.Errorf("%d × %d: %q is missing in\n%s", c.width, c.height, want, text)
		}
	}
}

// TestScreenFits renders a long run on terminals of all widths: the rows of numbers never break.
func TestScreenFits(t *testing.T) {
	messages := []tea.Msg{noticeMsg("numpy cannot be had"), committed(0)}
	for n := range 90 {
		messages = append(messages, committed(n+1))
	}
	for _, width := range []int{0, 1, 40, 60, 80, 300} {
		screen := screenOf(append(messages, tea.WindowSizeMsg{Width: width})...)
		text := screen.render()
		for _, row := range shownRows {
			if !strings.Contains(text, row.name) {
				t.Errorf("width %d: there is no row %q", width, row.name)
			}
		}
		for line := range strings.Lines(text) {
			if w := lipgloss.Width(strings.TrimRight(line, "\n")); width >= 60 && strings.ContainsAny(line, "▁▂▃▄▅▆▇█░") && w > max(width, 80) {
				t.Errorf("width %d: a line of width %d: %q", width, w, line)
			}
		}
		if !strings.Contains(text, "note: numpy cannot be had") {
			t.Errorf("width %d: the notice is missing", width)
		}
	}
}
