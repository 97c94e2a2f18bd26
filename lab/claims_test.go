package lab

import (
	"math"
	"slices"
	"strings"
	"testing"

	"spade"
)

// world makes runs whose truth is known.
type world struct {
	suite  Suite
	cycles int
	runs   []Run
}

func newWorld() *world {
	w := &world{cycles: 20, suite: Suite{Name: "known"}}
	for i := range 200 {
		w.suite.Families = append(w.suite.Families, []string{"even", "odd"}[i%2])
		w.suite.Episodes = append(w.suite.Episodes, 5)
	}
	return w
}

// traits of an arm's runs: the held-out win rate at the end, processor seconds a cycle, and what curves show.
type traits struct {
	rate, cpu       float64
	horizonFrom, to float64
	winRate, vendi  float64
	vendiLate       float64
}

// add adds one run a seed. Rates rise in a straight line from 0.2, and vary with seed and environment.
func (w *world) add(arm, size string, seeds int, x traits) {
	for seed := 1; seed <= seeds; seed++ {
		run := Run{Cell: Cell{Arm: arm, Size: size, Seed: uint64(seed)}, Memory: Memory{Environments: 20, Mechanics: 9, Teachable: 10}}
		r := spade.Stream(uint64(seed), 0, 0, arm+size)
		for cycle := 0; cycle <= w.cycles; cycle++ {
			done := float64(cycle) / float64(w.cycles)
			p := Point{Cycle: cycle, CPU: 1 + x.cpu*float64(cycle), Horizon: x.horizonFrom + done*(x.to-x.horizonFrom), Mechanics: 9, Hidden: 0.3, HiddenRegret: 0.2}
			p.Stats.Episodes, p.Stats.Designed, p.Stats.Admitted, p.Stats.WinRate = 100, 16, 12, x.winRate
			p.Stats.Vendi = x.vendi
			if done > 0.5 {
				p.Stats.Vendi = x.vendiLate
			}
			if cycle%5 == 0 {
				p.Stats.HeldOutWins = make([]int, len(w.suite.Episodes))
				for i := range p.Stats.HeldOutWins {
					for range w.suite.Episodes[i] {
						if r.Float64() < 0.2+done*(x.rate-0.2) {
							p.Stats.HeldOutWins[i]++
						}
					}
				}
			}
			run.Points = append(run.Points, p)
		}
		w.runs = append(w.runs, run)
	}
}

func (w *world) verdicts() map[string]Claim {
	r := &results{suite: w.suite, runs: w.runs}
	claims := map[string]Claim{}
	for _, c := range r.claims() {
		claims[strings.Join(strings.Fields(c.Claim)[:2], " ")] = c
	}
	return claims
}

var good = traits{rate: 0.7, cpu: 2, horizonFrom: 4, to: 12, winRate: 0.55, vendi: 0.2, vendiLate: 0.2}

func like(rate float64) traits {
	x := good
	x.rate = rate
	return x
}

// TestClaims: each claim shown, refuted, open and not yet decided.
func TestClaims(t *testing.T) {
	const (
		fixed = "beats the"
		learn = "the designer"
		wide  = "no hand-tuned"
		vendi = "grounding keeps"
		other = "regret and"
		moves = "the curriculum"
		sizes = "the lead"
	)
	collapsed := like(0.5)
	collapsed.vendiLate = 0.05
	flat := good
	flat.to = 3
	easy := good
	easy.winRate = 0.9
	for name, c := range map[string]struct {
		make func(w *world)
		want map[string]Verdict
	}{
		"all shown": {func(w *world) {
			w.add("spade", "", 5, good)
			w.add("fixed:96", "", 5, like(0.55))
			w.add("fixed:24", "", 5, like(0.5))
			w.add("frozen-designer", "", 5, like(0.6))
			w.add("ladder:1-16", "", 5, like(0.67))
			w.add("ladder:1-8", "", 5, like(0.6))
			w.add("ladder:1-25", "", 5, like(0.6))
			w.add("no-corpus", "", 5, collapsed)
			for _, arm := range []string{"solve-rate", "regret-only", "learning-potential"} {
				w.add(arm, "", 5, like(0.6))
			}
			w.add("spade", "3M", 5, like(0.9))
			w.add("fixed:96", "3M", 5, like(0.5))
		}, map[string]Verdict{fixed: Shown, learn: Shown, wide: Shown, vendi: Shown, other: Shown, moves: Shown, sizes: Shown}},
		"all refuted": {func(w *world) {
			w.add("spade", "", 5, flat)
			w.add("fixed:96", "", 5, like(0.75))
			w.add("frozen-designer", "", 5, like(0.8))
			w.add("ladder:1-16", "", 5, like(0.8))
			w.add("no-corpus", "", 5, good)
			w.add("solve-rate", "", 5, like(0.9))
			w.add("spade", "3M", 5, like(0.5))
			w.add("fixed:96", "3M", 5, like(0.7))
		}, map[string]Verdict{fixed: Refuted, learn: Refuted, wide: Refuted, vendi: Refuted, other: Refuted, moves: Refuted, sizes: Refuted}},
		"level": {func(w *world) {
			w.add("spade", "", 5, good)
			w.add("fixed:96", "", 5, like(0.68))
			w.add("frozen-designer", "", 5, good)
			w.add("ladder:1-16", "", 5, like(0.71))
			w.add("ladder:1-8", "", 5, like(0.6))
			w.add("ladder:1-25", "", 5, like(0.6))
			for _, arm := range []string{"solve-rate", "regret-only", "learning-potential"} {
				w.add(arm, "", 5, like(0.71))
			}
			w.add("spade", "3M", 5, good)
			w.add("fixed:96", "3M", 5, like(0.68))
		}, map[string]Verdict{fixed: Open, learn: Open, wide: Open, vendi: NotYet, other: Open, moves: Shown, sizes: Open}},
		"one seed decides nothing": {func(w *world) {
			w.add("spade", "", 1, good)
			for _, arm := range []string{"fixed:96", "frozen-designer", "ladder:1-16", "ladder:1-8", "ladder:1-25", "no-corpus"} {
				w.add(arm, "", 1, like(0.3))
			}
		}, map[string]Verdict{fixed: NotYet, learn: NotYet, wide: NotYet, vendi: NotYet, other: NotYet, moves: NotYet, sizes: NotYet}},
		"three seeds and two ladders": {func(w *world) {
			w.add("spade", "", 3, easy)
			w.add("fixed:96", "", 3, like(0.3))
			w.add("ladder:1-16", "", 3, like(0.65))
			w.add("ladder:1-8", "", 3, like(0.5))
		}, map[string]Verdict{fixed: NotYet, wide: NotYet, moves: Refuted}},
		"nothing": {func(*world) {}, map[string]Verdict{fixed: NotYet, learn: NotYet, wide: NotYet, vendi: NotYet, other: NotYet, moves: NotYet, sizes: NotYet}},
	} {
		w := newWorld()
		c.make(w)
		got := w.verdicts()
		for claim, want := range c.want {
			if got[claim].Verdict != want {
				t.Errorf("%s: %s: %s (%s), want %s", name, claim, got[claim].Verdict, got[claim].Evidence, want)
			}
			if got[claim].Evidence == "" || got[claim].Criterion == "" {
				t.Errorf("%s: %s says nothing", name, claim)
			}
		}
	}
}

// TestSizes: claims are of the shipped size where it was run, and the lead grows from the smallest size to the largest, on
// the seeds that both have, whatever the order of the runs.
func TestSizes(t *testing.T) {
	w := newWorld()
	w.add("spade", "3M", 5, like(0.9))
	w.add("fixed:96", "3M", 5, like(0.5))
	w.add("spade", "", 5, like(0.8))
	w.add("fixed:96", "", 5, like(0.6))
	w.add("spade", "0.3M", 5, like(0.5))
	w.add("fixed:96", "0.3M", 5, like(0.4))
	w.runs = slices.DeleteFunc(w.runs, func(r Run) bool { return r.Size == "3M" && r.Seed == 1 })
	got := w.verdicts()
	if c := got["the lead"]; c.Verdict != Shown || !strings.Contains(c.Evidence, "over fixed:96 at 0.3M: +1") || !strings.HasSuffix(c.Evidence, ", 4 seeds") {
		t.Errorf("%s: %s", c.Verdict, c.Evidence)
	}
	if c := got["beats the"]; !strings.HasPrefix(c.Evidence, "spade − fixed:96: +2") {
		t.Errorf("claims are of another size: %s", c.Evidence)
	}
	w.runs = slices.DeleteFunc(w.runs, func(r Run) bool { return r.Size == "" })
	if c := w.verdicts()["beats the"]; !strings.HasPrefix(c.Evidence, "spade − fixed:96 at 0.3M: +1") {
		t.Errorf("without the shipped size: %s", c.Evidence)
	}
}

// TestEqualCPU: the dearer arm is taken where the cheaper one ends.
func TestEqualCPU(t *testing.T) {
	w := newWorld()
	dear, cheap := like(0.8), like(0.6)
	dear.cpu, cheap.cpu = 4, 1
	w.add("spade", "", 5, dear)
	w.add("fixed:96", "", 5, cheap)
	r := &results{suite: w.suite, runs: w.runs}
	// The cheap run ends after 1+20 s with 0.6; by then the dear one has 20/80 of its rise from 0.2 to 0.8.
	e := r.crossed(r.atEqualCPU("spade", "fixed:96", ""))
	within(t, e.Mean, 0.35-0.6, 0.02, "difference at equal processor time")
	// The last quarter holds the last measurement of five, at 20 of 20 cycles.
	within(t, r.heldOut("spade", "").Mean, 0.8, 0.02, "late win rate")
	within(t, r.cpuRatio("spade", "fixed:96", ""), 81.0/21, 1e-9, "ratio of processor times")
	run := &w.runs[0]
	within(t, sum(w.suite.atCPU(run, 0))/200, 0.2, 0.05, "before the run")
	within(t, sum(w.suite.atCPU(run, 1e9))/200, 0.8, 0.05, "after the run")
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// TestTrace reads what environments are off sources in the library's manner.
func TestTrace(t *testing.T) {
	source := func(object, opcode, horizon string) string {
		return "import random\nclass " + object + "Env:\n def reset(s,seed=None):\n  r=s.r=random.Random(seed);s.t=0;s.L=" + horizon +
			";s.b=1\n  return f\"" + strings.ToLower(object) + " hoist " + opcode + " \"+s.q(),{}\n"
	}
	odd := strings.Replace(source("Crane", "rank", "9"), " hoist rank", " hoist odd rank", 1)
	var trace Trace
	var p Point
	trace.Read(&p, []Played{
		{Source: source("Crane", "mod", "4")}, {Source: odd, Score: spade.Score{Regret: 0.4, HintedPlays: 6}},
		{Source: odd, Score: spade.Score{Regret: -1}}, {Source: "x = 1", Score: spade.Score{Regret: 1, HintedPlays: 6}},
	})
	if p.Horizon != 22.0/3 || p.Mechanics != 2 || p.Hidden != 2.0/3 || p.HiddenRegret != 0.4 {
		t.Errorf("%+v", p)
	}
	plain := source("Crane", "mod", "3")
	trace.Read(&p, slices.Repeat([]Played{{Source: plain}}, 60))
	if p.Horizon != 3 || p.Mechanics != 1 || p.Hidden != 0 || !math.IsNaN(p.HiddenRegret) {
		t.Errorf("%+v", p)
	}
	m := CountMemory([]spade.Remembered{{Source: plain, WinRate: 0.5}, {Source: plain, WinRate: 1}, {Source: source("Crane", "rank", "2"), WinRate: 0.85}})
	if m != (Memory{Environments: 3, Mechanics: 2, Teachable: 2}) {
		t.Errorf("memory %+v", m)
	}
}

// TestPart takes parts of a run by cycle.
func TestPart(t *testing.T) {
	run := Run{}
	for cycle := range 11 {
		run.Points = append(run.Points, Point{Cycle: cycle, CPU: float64(cycle)})
	}
	cpu := func(p Point) (float64, bool) { return p.CPU, p.Cycle != 4 }
	for _, c := range []struct{ from, to, want float64 }{{0, 0.2, 1.5}, {0.8, 1, 9.5}, {0, 1, 51.0 / 9}} {
		if got, ok := run.part(c.from, c.to, cpu); !ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("(%g, %g]: %g, want %g", c.from, c.to, got, c.want)
		}
	}
	if _, ok := run.part(0.3, 0.4, cpu); ok {
		t.Error("a part without a number has a mean")
	}
}
