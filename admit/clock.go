package admit

import (
	"context"
	"time"
)

// clocks are the members by which an environment reads the time; the modules that they belong to are time and
// datetime.
var clocks = wordSet("time time_ns now utcnow today monotonic perf_counter localtime gmtime")

// readsClock reports whether the source names a clock.
func readsClock(tokens []token) bool {
	clocked := false
	for i, t := range tokens {
		clocked = clocked || t.kind == nameToken && (t.text == "time" || t.text == "datetime")
		if clocked && t.kind == nameToken && clocks[t.text] && i+1 < len(tokens) && tokens[i+1].text == "(" {
			return true
		}
	}
	return false
}

// clockStep is how far apart the two processes play an environment that reads a clock: long enough for one that
// counts in seconds to show it. An environment that counts in days stays undetected.
const clockStep = 1100 * time.Millisecond

// apartInTime puts p off until the clock has gone on, for environments that read it.
func apartInTime(tokens []token, p plan) plan {
	if !readsClock(tokens) {
		return p
	}
	return func(ctx context.Context, r *run) error {
		select {
		case <-time.After(clockStep):
			return p(ctx, r)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
