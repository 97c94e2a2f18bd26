package main

import (
	"strings"
	"testing"
	"time"

	"spade/eval"
	"spade/selfplay"
)

// TestResultSaysWorse: a run whose model lost what it could do says so, with what to do; luck is not blamed.
func TestResultSaysWorse(t *testing.T) {
	cfg := selfplay.Default()
	cfg.Learn.LearningRate = 1
	for _, c := range []struct {
		before, after float64
		episodes      int
		worse         bool
	}{
		{0.215, 0, 1448, true}, {0.215, 0.17, 1448, true}, {0.215, 0.352, 1448, false}, {0.215, 0.205, 1448, false},
		{0.5, 0.25, 12, false}, {0, 0, 1448, false},
	} {
		s := selfplay.Summary{Trained: true, HeldOutBefore: c.before, HeldOutAfter: c.after, HeldOut: eval.Result{Rate: eval.Rate{Episodes: c.episodes}}}
		text := resultText(cfg, s, "runs/a", time.Minute)
		worse := strings.Contains(text, "Training made the model worse: the held-out win rate fell by ") &&
			strings.Contains(text, "lower learn.learning_rate (it is 1; the default is 0.0003)")
		if worse != c.worse {
			t.Errorf("%v → %v of %d: %s", c.before, c.after, c.episodes, text)
		}
	}
}
