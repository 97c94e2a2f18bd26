package lab

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is what the runs say of a claim. The set is closed.
type Verdict string

const (
	Shown   Verdict = "shown"
	Refuted Verdict = "refuted"
	// Open: measured on as many seeds as were asked for, and the interval holds both sides.
	Open Verdict = "open"
	// NotYet: an arm or seeds are missing.
	NotYet Verdict = "not enough data"
)

// Claim is one claim of the paper, in miniature.
type Claim struct {
	Claim string `json:"claim"`
	// Criterion says when it counts as shown.
	Criterion string  `json:"criterion"`
	Verdict   Verdict `json:"verdict"`
	// Evidence says in words what was found, or what is missing.
	Evidence string `json:"evidence"`
}

// fewestSeeds is the number of seeds below which no claim is decided: one says nothing of what another would do.
const fewestSeeds = 2

// headlineSeeds is the number of seeds that the first claim asks for, and headlineLead its lead.
const (
	headlineSeeds = 5
	headlineLead  = 0.053
)

// tolerance is the difference below which two arms count as level.
const tolerance = 0.01

// claims decides every claim, at the shipped size or, where there is no run of it, the smallest one that has runs.
func (r *results) claims() []Claim {
	size := ""
	if sizes := r.sizes(); len(sizes) > 0 && !slices.Contains(sizes, size) {
		size = sizes[0]
	}
	return []Claim{
		r.beatsFixed(size), r.designerLearns(size), r.needsNoRange(size), r.grounding(size), r.signals(size),
		r.curriculum(size), r.growsWithSize(),
	}
}

// above judges that an estimate of at least so many seeds is at least lead, and above 0.
func above(e *Estimate, lead float64, seeds int) Verdict {
	switch {
	case e == nil || e.Seeds < seeds:
		return NotYet
	case e.High < lead:
		return Refuted
	case e.Low > 0 && e.Mean >= lead:
		return Shown
	}
	return Open
}

// notBelow judges that an estimate is not below -tolerance.
func notBelow(e *Estimate) Verdict {
	switch {
	case e == nil || e.Seeds < fewestSeeds:
		return NotYet
	case e.High < -tolerance:
		return Refuted
	case e.Low > -tolerance:
		return Shown
	}
	return Open
}

// side judges by where the interval of an estimate lies: above a bound, or below it.
func side(e *Estimate, bound float64, above, below Verdict) Verdict {
	switch {
	case e.Seeds < fewestSeeds:
		return NotYet
	case e.Low >= bound:
		return above
	case e.High < bound:
		return below
	}
	return Open
}

// all is Shown if every verdict is, else the worst of them: Refuted, then NotYet, then Open.
func all(verdicts ...Verdict) Verdict {
	for _, worst := range []Verdict{Refuted, NotYet, Open} {
		if slices.Contains(verdicts, worst) {
			return worst
		}
	}
	return Shown
}

func points(e *Estimate) string {
	if e == nil {
		return "not measured"
	}
	seeds := "seeds"
	if e.Seeds == 1 {
		seeds = "seed"
	}
	return fmt.Sprintf("%+.1f points [%+.1f, %+.1f], %d %s", 100*e.Mean, 100*e.Low, 100*e.High, e.Seeds, seeds)
}

// versus says how arm spade compares with another.
func (r *results) versus(other, size string) (*Estimate, string) {
	e := r.crossed(r.difference("spade", other, size))
	if size != "" {
		return e, fmt.Sprintf("spade − %s at %s: %s", other, size, points(e))
	}
	return e, fmt.Sprintf("spade − %s: %s", other, points(e))
}

func missing(arms ...string) string { return "no runs of " + strings.Join(arms, ", ") }

func (r *results) beatsFixed(size string) Claim {
	c := Claim{
		Claim:     "beats the strongest fixed-environment baseline",
		Criterion: fmt.Sprintf("spade − best fixed ≥ %+.1f points, interval above 0, at equal updates, %d seeds", 100*headlineLead, headlineSeeds),
	}
	other := r.best(r.arms(size, "fixed"), size)
	if other == "" {
		c.Verdict, c.Evidence = NotYet, missing("a fixed arm")
		return c
	}
	e, text := r.versus(other, size)
	c.Verdict = above(e, headlineLead, headlineSeeds)
	c.Evidence = text + "; at equal processor time " + points(r.crossed(r.atEqualCPU("spade", other, size)))
	return c
}

func (r *results) designerLearns(size string) Claim {
	e, text := r.versus("frozen-designer", size)
	return Claim{
		Claim: "the designer must learn", Criterion: "spade − frozen-designer, interval above 0",
		Verdict: above(e, 0, fewestSeeds), Evidence: text,
	}
}

func (r *results) needsNoRange(size string) Claim {
	c := Claim{
		Claim:     "no hand-tuned range of difficulty is needed (beyond the paper)",
		Criterion: "spade − best ladder ≥ −1 point and above the ladders of wrong ranges, intervals included; three ladders",
	}
	ladders := r.arms(size, "ladder")
	best := r.best(ladders, size)
	if best == "" {
		c.Verdict, c.Evidence = NotYet, missing("a ladder")
		return c
	}
	e, text := r.versus(best, size)
	verdicts, words := []Verdict{notBelow(e)}, []string{text + " (the best)"}
	for _, ladder := range ladders {
		if ladder == best {
			continue
		}
		e, text := r.versus(ladder, size)
		verdicts, words = append(verdicts, above(e, 0, fewestSeeds)), append(words, text)
	}
	if len(ladders) < 3 && all(verdicts...) != Refuted {
		verdicts, words = append(verdicts, NotYet), append(words, fmt.Sprintf("%d of 3 ranges were run", len(ladders)))
	}
	c.Verdict, c.Evidence = all(verdicts...), strings.Join(words, "; ")
	return c
}

// vendi is the mean diversity of a part of a run.
func vendi(r *Run, from, to float64) (float64, bool) {
	return r.part(from, to, func(p Point) (float64, bool) { return p.Stats.Vendi, p.Stats.Vendi > 0 })
}

func (r *results) grounding(size string) Claim {
	c := Claim{
		Claim:     "grounding keeps diversity",
		Criterion: "Vendi/n over consecutive environments: at least 0.9 of its first fifth with the corpus, below half of that arm's without, in the last fifth",
	}
	kept := r.ratios(size, "spade", "spade", 0, 0.2)
	without := r.ratios(size, "no-corpus", "spade", 0.8, 1)
	if kept == nil || without == nil {
		c.Verdict, c.Evidence = NotYet, missing("spade and no-corpus with equal seeds, of five cycles or more")
		return c
	}
	c.Verdict = all(side(kept, 0.9, Shown, Refuted), side(without, 0.5, Refuted, Shown))
	c.Evidence = fmt.Sprintf("with corpus the last fifth keeps %.2f [%.2f, %.2f] of the first; without, it has %.2f [%.2f, %.2f] of what it is with, %d seeds",
		kept.Mean, kept.Low, kept.High, without.Mean, without.Low, without.High, without.Seeds)
	return c
}

// ratios is the diversity of arm a in the last fifth over that of arm b in a part, by seed.
func (r *results) ratios(size, a, b string, from, to float64) *Estimate {
	var values []float64
	r.pairs(a, b, size, func(x, y *Run) {
		late, ok := vendi(x, 0.8, 1)
		base, known := vendi(y, from, to)
		if ok && known {
			values = append(values, late/base)
		}
	})
	return overSeeds(values)
}

func overSeeds(values []float64) *Estimate {
	if len(values) == 0 {
		return nil
	}
	e := OverSeeds(values)
	return &e
}

func (r *results) signals(size string) Claim {
	c := Claim{
		Claim:     "regret and anchor together beat the other signals",
		Criterion: "spade − each of solve-rate, regret-only, learning-potential ≥ −1 point, intervals included",
	}
	var verdicts []Verdict
	var words []string
	for _, other := range []string{"solve-rate", "regret-only", "learning-potential"} {
		e, text := r.versus(other, size)
		verdicts, words = append(verdicts, notBelow(e)), append(words, text)
	}
	c.Verdict, c.Evidence = all(verdicts...), strings.Join(words, "; ")
	return c
}

// The band in which the unhinted win rate of a curriculum that moves must stay, in blocks of a tenth of the run.
const (
	bandFrom, bandTo = 0.35, 0.75
	blocks           = 10
)

func (r *results) curriculum(size string) Claim {
	c := Claim{
		Claim:     "the curriculum moves",
		Criterion: "designed horizon rises from the first to the last fifth, interval above 0, and the unhinted win rate, over tenths of a run, stays in 0.35–0.75 after the first fifth",
	}
	var rises []float64
	low, high := 1.0, 0.0
	for _, run := range r.of("spade", size) {
		horizon := func(p Point) (float64, bool) { return p.Horizon, p.Horizon > 0 }
		first, ok := run.part(0, 0.2, horizon)
		last, known := run.part(0.8, 1, horizon)
		if ok && known {
			rises = append(rises, last-first)
		}
		for b := 2; b < blocks; b++ {
			rate, ok := run.part(float64(b)/blocks, float64(b+1)/blocks, func(p Point) (float64, bool) { return p.Stats.WinRate, p.Stats.Episodes > 0 })
			if ok {
				low, high = min(low, rate), max(high, rate)
			}
		}
	}
	rise := overSeeds(rises)
	if rise == nil {
		c.Verdict, c.Evidence = NotYet, missing("spade with five cycles or more")
		return c
	}
	inside := Shown
	if low < bandFrom || high > bandTo {
		inside = Refuted
	}
	if rise.Seeds < fewestSeeds {
		inside = NotYet
	}
	c.Verdict = all(above(rise, 0, fewestSeeds), inside)
	c.Evidence = fmt.Sprintf("horizon %+.1f turns [%+.1f, %+.1f], %d seeds; win rate between %.2f and %.2f", rise.Mean, rise.Low, rise.High, rise.Seeds, low, high)
	return c
}

func (r *results) growsWithSize() Claim {
	c := Claim{Claim: "the lead grows with size", Criterion: "spade − best fixed, at the largest size minus at the smallest, interval above 0"}
	sizes := r.sizes()
	if len(sizes) < 2 {
		c.Verdict, c.Evidence = NotYet, "one size was run"
		return c
	}
	small, large := sizes[0], sizes[len(sizes)-1]
	low, high := r.best(r.arms(small, "fixed"), small), r.best(r.arms(large, "fixed"), large)
	if low == "" || high == "" {
		c.Verdict, c.Evidence = NotYet, missing("a fixed arm at both sizes")
		return c
	}
	e := r.crossed(r.growth(small, low, large, high))
	c.Verdict = above(e, 0, fewestSeeds)
	c.Evidence = fmt.Sprintf("over %s at %s: %s; over %s at %s: %s; difference %s", low, sizeName(small), points(r.crossed(r.difference("spade", low, small))),
		high, sizeName(large), points(r.crossed(r.difference("spade", high, large))), points(e))
	return c
}

func sizeName(size string) string {
	if size == "" {
		return "the shipped size"
	}
	return size
}
