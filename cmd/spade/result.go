package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"spade"
	"spade/selfplay"
)

// result prints what was learnt.
func (v *runView) result(s selfplay.Summary) error {
	if v.json {
		return printJSON(v.con, struct {
			selfplay.Summary
			Dir string `json:"dir"`
		}{s, v.dir})
	}
	fmt.Fprint(v.con.out, resultText(v.cfg, s, v.dir, time.Since(v.begun)))
	return nil
}

func heldOutText(b *strings.Builder, s selfplay.Summary) {
	fmt.Fprintf(b, "Held-out win rate: %.1f %% before, %.1f %% after (%+.1f points, %d episodes).\n",
		100*s.HeldOutBefore, 100*s.HeldOutAfter, 100*(s.HeldOutAfter-s.HeldOutBefore), s.HeldOut.Episodes)
	for _, f := range s.HeldOut.Families {
		fmt.Fprintf(b, "  %-10s %5.1f %% of %d\n", f.Name, 100*f.WinRate, f.Episodes)
	}
}

func resultText(cfg selfplay.Config, s selfplay.Summary, dir string, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d cycles in %s.\n", s.Cycles, took.Round(time.Second))
	switch {
	case !s.Trained:
		fmt.Fprintln(&b, "Curriculum only: the agent was not trained, so nothing held out was measured.")
	case s.HeldOut.Episodes == 0:
		fmt.Fprintln(&b, "Nothing held out was measured (suite: none).")
	default:
		heldOutText(&b, s)
		b.WriteString(worseText(cfg, s))
	}
	if m := s.MostTeachable; m != nil {
		fmt.Fprintf(&b, "Most teachable environment: %s (%s): win rate %.2f blind, %.2f with the hint %q.\n",
			m.EnvID, m.Skill, m.WinRate, m.HintedWinRate, m.Hint)
	}
	fmt.Fprintf(&b, "Look further: spade show %s", spade.Quote(dir))
	if m := s.MostTeachable; m != nil {
		fmt.Fprintf(&b, " · spade play %s", spade.Quote(filepath.Join(dir, "environments", m.EnvID+".py")))
	}
	fmt.Fprintln(&b)
	return b.String()
}

// worseText says plainly that a run made its model worse, and what to do; it is "" unless the held-out win rate fell by
// more than two standard errors of the difference of two such measurements.
func worseText(cfg selfplay.Config, s selfplay.Summary) string {
	n := float64(s.HeldOut.Episodes)
	fell := s.HeldOutBefore - s.HeldOutAfter
	variance := (s.HeldOutBefore*(1-s.HeldOutBefore) + s.HeldOutAfter*(1-s.HeldOutAfter)) / max(1, n)
	if fell <= 2*math.Sqrt(variance) {
		return ""
	}
	return fmt.Sprintf("Training made the model worse: the held-out win rate fell by %.1f points. To do better, %s.\n", 100*fell, lowerRate(cfg))
}

// lowerRate is the way on from a run that took too large steps.
func lowerRate(cfg selfplay.Config) string {
	rate, usual := cfg.Learn.LearningRate, selfplay.Default().Learn.LearningRate
	return fmt.Sprintf("start a new run with a lower learn.learning_rate (it is %g; the default is %g)", rate, usual)
}
