// Package remote measures the loop against a model server that answers after a fixed time, beside the same pattern in
// Python.
//
// It owns the figures of `spade bench loop --remote`, the server that they are made with and the pattern in Python. It
// owns neither the loop (play) nor the client (policy/openai). It runs when a user asks for it.
package remote

import (
	"context"
	"fmt"
	"time"

	"spade/bench"
	"spade/policy/openai"
	"spade/sandbox"
)

// Bench measures how many turns a second come out of episodes that wait for a server.
//
// The loop and the pattern in Python are measured alternately, a few seconds each, and each waits while the other is
// measured: the loop's episodes for answers that the server keeps back, Python for a line. So both have the whole machine,
// and both the same machine. What is measured of either begins after it has had time to settle: how episodes begin and end
// is left out.
type Bench struct {
	// Episodes are played at once; Delay is when the server answers.
	Episodes int
	Delay    time.Duration
	// Pairs is how often the loop and Python are measured, each for Span after Settle.
	Pairs        int
	Settle, Span time.Duration
	// Server is the command line of a process that runs Serve with its standard input and output.
	Server []string
	// Progress is told what is being measured.
	Progress func(what string)
}

// Result is what was measured.
type Result struct {
	Figures []bench.Figure
	// Profile shows, for go tool pprof, what this program's processor time went to.
	Profile []byte
}

const (
	// maxTurns is the length of an episode, that of the published runs.
	maxTurns = 25
	// rateTarget is the share of the ideal rate, memoryTarget the memory of a waiting episode in KiB that are asked for.
	rateTarget, memoryTarget = 0.95, 64
	// fullyUsed is the share of the machine from which on its processors count as saturated.
	fullyUsed = 0.95
	// quiet is what other programs may use of a machine that is fit to measure on.
	quiet = 0.05

	ofMachine = "of the machine"
)

// Run measures, which takes half a minute. Its errors are those of opening things, and surprises.
func (b *Bench) Run(ctx context.Context, jail *sandbox.Sandbox) (Result, error) {
	server, err := startServer(ctx, b.Server, b.Delay)
	if err != nil {
		return Result{}, err
	}
	defer server.stop()
	python, err := b.startPattern(ctx)
	if err != nil {
		return Result{}, err
	}
	defer python.stop()
	model, err := openai.Connect(ctx, openai.Address{Base: server.url + "/v1", Model: "fixed"})
	if err != nil {
		return Result{}, err
	}
	empty := inUse()
	loop := b.startLoop(ctx, jail, model)
	defer loop.stop()
	m := &measurement{bench: b, loop: loop, server: server, python: python}
	if err := m.pairs(ctx); err != nil {
		return Result{}, err
	}
	used := inUse()
	m.heap, m.resident = float64(used.heap-empty.heap)/float64(b.Episodes), float64(used.resident-empty.resident)/float64(b.Episodes)
	figures, err := m.figures()
	return Result{figures, m.profile.Bytes()}, err
}

// figures are what all of it comes to.
func (m *measurement) figures() ([]bench.Figure, error) {
	var ours, theirs, ratios, pythonTime []float64
	var sum spent
	for i := range m.ours {
		o, p := m.ours[i], m.theirs[i]
		ours, theirs, ratios = append(ours, o.rate()), append(theirs, p.rate()), append(ratios, o.rate()/p.rate())
		pythonTime = append(pythonTime, p.python/p.turns*1e6)
		sum = sum.plus(o)
	}
	ideal := float64(m.bench.Episodes) / m.bench.Delay.Seconds()
	rate := bench.Median(ours)
	used := (sum.own + sum.server + sum.jails) / sum.machine
	reached := rate >= rateTarget*ideal
	figures := []bench.Figure{
		{Name: "remote_turns_per_second", Value: rate, Unit: "turns/s", Against: "the ideal rate: episodes divided by the delay", Ratio: rate / ideal,
			Target: fmt.Sprintf("ratio >= %g, or %g of the machine used", rateTarget, fullyUsed), Holds: reached || used >= fullyUsed},
		{Name: "remote_python_turns", Value: bench.Median(theirs), Unit: "turns/s", Against: "the ideal rate", Ratio: bench.Median(theirs) / ideal, Holds: true},
		{Name: "remote_against_python", Value: bench.Median(ratios), Unit: "times", Against: "asyncio, threads and no server, alternately", Ratio: bench.Median(ratios), Holds: true},
		bench.Plain("remote_memory_per_episode", m.heap/1024, "KiB").AtMost(0, memoryTarget),
		bench.Plain("remote_resident_per_episode", m.resident/1024, "KiB"),
		bench.Plain("remote_late_ms_per_turn", (float64(m.bench.Episodes)/rate-m.bench.Delay.Seconds())*1e3, "ms"),
		bench.Plain("remote_own_us_per_turn", sum.own/sum.turns*1e6, "µs"),
		bench.Plain("remote_jails_us_per_turn", sum.jails/sum.turns*1e6, "µs"),
		bench.Plain("remote_server_us_per_turn", sum.server/sum.turns*1e6, "µs"),
		bench.Plain("remote_python_us_per_turn", bench.Median(pythonTime), "µs"),
		bench.Plain("remote_own_share", sum.own/sum.machine, ofMachine),
		bench.Plain("remote_jails_share", sum.jails/sum.machine, ofMachine),
		bench.Plain("remote_server_share", sum.server/sum.machine, ofMachine),
		bench.Plain("remote_idle_share", sum.idle/sum.machine, ofMachine),
		bench.Plain("remote_others_share", max(0, 1-used-sum.idle/sum.machine), ofMachine).AtMost(0, quiet),
	}
	if reached {
		return figures, nil
	}
	shares, err := profileShares(m.profile.Bytes())
	if err != nil {
		return nil, err
	}
	for _, s := range shares {
		figures = append(figures, bench.Plain("remote_own_"+s.name, s.share*sum.own/sum.machine, ofMachine))
	}
	return figures, nil
}
