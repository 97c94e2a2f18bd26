package library

import (
	"fmt"
	"hash/fnv"
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
	// Mute environments do not tell the right answer after a wrong one.
	Mute bool
	// Decoy environments say a number that means nothing before every question but the first.
	Decoy bool
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
	// Size is the mechanic's own literal.
	Size int
	// Continue is the probability with which a drawn horizon goes on after each turn (0.65 if zero).
	Continue float64
	// Bare environments are neither mute nor do they have decoys.
	Bare bool
	// Reserved draws a source that is kept for the held-out suite. All other sources are never among those.
	Reserved bool
}

const (
	// MaxHorizon is the longest horizon that a demonstration of design asks for, MaxDrawn the longest that is drawn
	// where none is asked for: without an earlier environment to follow, and in every demonstration of play.
	MaxHorizon = 20
	MaxDrawn   = 8
)

// The prior of the library. A drawn horizon is geometric, at most MaxDrawn.
const (
	priorContinue = 0.65
	twistShare    = 0.35
	muteShare     = 0.15
	decoyShare    = 0.15
)

var (
	plainLives = []int{1, 1, 1, 2, 2, 3}
	twistLives = []int{2, 2, 2, 2, 3}
)

// reservedOneIn is the inverse of the share of sources that are kept for the held-out suite.
const reservedOneIn = 16

// reserved says that a source is kept for the held-out suite: a property of its text.
func reserved(source string) bool {
	h := fnv.New64a()
	h.Write([]byte(source))
	return h.Sum64()%reservedOneIn == 0
}

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
	for {
		if it := draw(r, o); reserved(it.Source) == o.Reserved {
			return it
		}
	}
}

func draw(r *rand.Rand, o Options) Item {
	it := Item{Theme: drawTheme(r, o.Topic), Mechanic: o.Mechanic, Size: o.Size}
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
	if mute, decoy := r.Float64() < muteShare, r.Float64() < decoyShare; !o.Bare && it.Horizon > 1 {
		it.Mute, it.Decoy = mute, decoy
	}
	sizes := m.sizes
	if it.Twist != Plain && m.twistSizes != nil {
		sizes = m.twistSizes
	}
	if it.Size == 0 {
		it.Size = sizes[r.IntN(len(sizes))]
	}
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
	unfair := o.Lives == 1 || o.Horizon > 0 && o.Horizon < leastTwisted
	if r.Float64() >= twistShare || unfair {
		return Plain
	}
	return anyTwist(r, m.name)
}

// anyTwist draws a twist of a mechanic that is not held out; every mechanic has some.
func anyTwist(r *rand.Rand, mechanic string) string {
	twists := Twists(mechanic, false)
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
		horizon = drawHorizon(r, goOn, least, MaxDrawn)
	}
	if lives == 0 {
		lives = choices[r.IntN(len(choices))]
	}
	for lives > 1 && !Fair(horizon, lives, false) {
		lives--
	}
	return horizon, lives
}

// drawHorizon draws a geometric number of turns that is in [least, most].
func drawHorizon(r *rand.Rand, goOn float64, least, most int) int {
	for {
		n := 1
		for r.Float64() < goOn {
			n++
		}
		if least <= n && n <= most {
			return n
		}
	}
}
