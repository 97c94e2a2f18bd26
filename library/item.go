package library

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Item is one environment of the library.
type Item struct {
	// Source is its Python file, without a line end at its end; Hint is the twist, or Plain.
	Source, Hint string
	Theme        Theme
	Mechanic     string
	// Horizon is the number of turns to survive, in [1, 25]; Lives of them minus one may be answered wrong.
	Horizon, Lives int
	// Twist is the rule that holds, Plain or one of Twists.
	Twist string
	// Words are the words of the theme that it uses, in the order of the source: at least one.
	Words []string
	// Size is the mechanic's own literal: a modulus, a range, the length of a ring, a depth; 0 if it has none.
	Size int
}

// Options fix what Sample would draw. The zero value of a field leaves it to be drawn.
type Options struct {
	// Topic is that of the theme. Only themes and twists that are not held out are drawn.
	Topic    string
	Mechanic string
	Twist    string
	// Horizon is at most 25.
	Horizon int
	// Lives is lowered where it would be unfair for the horizon.
	Lives int
	// Continue is the probability with which a drawn horizon goes on after each turn (0.65 if zero).
	Continue float64
}

// The prior of the library. A drawn horizon is geometric, at most MaxHorizon.
const (
	MaxHorizon    = 12
	priorContinue = 0.65
	twistShare    = 0.35
)

var (
	plainLives = []int{1, 1, 1, 2, 2, 3}
	twistLives = []int{2, 2, 2, 2, 3}
)

// Fair reports whether an environment can be won by inference rather than by luck: a twist that has to be
// found out takes a life, and lives that cannot be lost within the horizon decide nothing.
func Fair(horizon, lives int, twisted bool) bool {
	return lives >= 1 && (!twisted || lives >= 2) && (lives == 1 || horizon > lives)
}

// leastTwisted is the shortest horizon that is fair with a twist.
const leastTwisted = 3

// Sample draws an environment. It panics if the options name what does not exist, or a twist with a
// horizon or lives that make it unfair.
func Sample(r *rand.Rand, o Options) Item {
	it := Item{Theme: drawTheme(r, o.Topic), Mechanic: o.Mechanic}
	if it.Mechanic == "" {
		it.Mechanic = mechanics[r.IntN(len(mechanics))].name
	}
	m := mechanicNamed(it.Mechanic)
	if m == nil {
		panic(fmt.Sprintf("library: no mechanic %q", it.Mechanic))
	}
	it.Twist = drawTwist(r, m, o)
	it.Hint = it.Twist
	it.Horizon, it.Lives = drawDifficulty(r, it.Twist != Plain, o)
	if !Fair(it.Horizon, it.Lives, it.Twist != Plain) {
		panic(fmt.Sprintf("library: twist %q is unfair with %d turns and %d lives", it.Twist, it.Horizon, it.Lives))
	}
	sizes := m.sizes
	if it.Twist != Plain && m.twistSizes != nil {
		sizes = m.twistSizes
	}
	it.Size = sizes[r.IntN(len(sizes))]
	words := slices.Clone(it.Theme.Words[:])
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	it.Words = words[:m.minWords+r.IntN(m.maxWords-m.minWords+1)]
	it.Source = it.source()
	return it
}

func drawTheme(r *rand.Rand, topic string) Theme {
	if topic == "" {
		open := themesFor(false)
		return open[r.IntN(len(open))]
	}
	t, ok := ThemeOf(topic)
	if !ok {
		panic(fmt.Sprintf("library: no topic %q", topic))
	}
	return t
}

func drawTwist(r *rand.Rand, m *mechanic, o Options) string {
	if o.Twist != "" {
		if m.ruleNamed(o.Twist) < 0 {
			panic(fmt.Sprintf("library: %s has no twist %q", m.name, o.Twist))
		}
		return o.Twist
	}
	twists := Twists(m.name, false)
	unfair := o.Lives == 1 || o.Horizon > 0 && o.Horizon < leastTwisted
	if r.Float64() >= twistShare || len(twists) == 0 || unfair {
		return Plain
	}
	return twists[r.IntN(len(twists))]
}

func drawDifficulty(r *rand.Rand, twisted bool, o Options) (horizon, lives int) {
	choices, least := plainLives, 1
	if twisted {
		choices, least = twistLives, leastTwisted
	}
	horizon, lives = o.Horizon, o.Lives
	if horizon == 0 {
		goOn := o.Continue
		if goOn == 0 {
			goOn = priorContinue
		}
		horizon = drawHorizon(r, goOn, least)
	}
	if lives == 0 {
		lives = choices[r.IntN(len(choices))]
	}
	for lives > 1 && !Fair(horizon, lives, false) {
		lives--
	}
	return horizon, lives
}

// drawHorizon draws a geometric number of turns that is at least least and at most MaxHorizon.
func drawHorizon(r *rand.Rand, goOn float64, least int) int {
	for {
		n := 1
		for r.Float64() < goOn {
			n++
		}
		if least <= n && n <= MaxHorizon {
			return n
		}
	}
}
