package library

import (
	"math/rand/v2"

	"spade"
)

// seedsPerItem is how often each environment of the suite is played.
const seedsPerItem = 3

// composed are the pairs of mechanics that environments of the family compose ask from.
var composed = [][2]string{{"table", "tune"}, {"table", "walk"}, {"next", "rank"}, {"sum", "tune"}}

// MakeHeldOut draws the held-out suite. It was called once; HeldOut returns what came out. More than half of
// the suite asks for longer horizons.
func MakeHeldOut() []HeldOutItem {
	r := spade.Stream(0, 0, 0, "library held-out suite")
	var suite []HeldOutItem
	known := map[string]bool{}
	add := func(family string, draw func() Item) {
		it := draw()
		for known[it.Source] {
			it = draw()
		}
		known[it.Source] = true
		suite = append(suite, HeldOutItem{spade.ContentID(it.Source), family, it.Source, it.Hint, drawSeeds(r)})
	}
	for i, m := range mechanics {
		for j, horizon := range []int{14, 16, 18, 20} {
			add(FamilyHorizon, func() Item {
				return Sample(r, Options{Mechanic: m.name, Twist: Plain, Horizon: horizon, Lives: 1 + (i+j)%2})
			})
		}
		for j, twist := range Twists(m.name, false) {
			for _, horizon := range []int{14 + 4*j, 16 + 4*j} {
				add(FamilyHorizon, func() Item {
					return Sample(r, Options{Mechanic: m.name, Twist: twist, Horizon: horizon})
				})
			}
		}
		for _, twist := range Twists(m.name, true) {
			for _, horizon := range []int{4, 6, 8, 10, 12} {
				add(FamilyRule, func() Item {
					return Sample(r, Options{Mechanic: m.name, Twist: twist, Horizon: horizon})
				})
			}
		}
	}
	for i, t := range themesFor(true) {
		for j, horizon := range []int{6, 6, 10, 10} {
			add(FamilyTheme, func() Item {
				m := mechanics[(4*i+j)%len(mechanics)].name
				return Sample(r, Options{Topic: t.Topic, Mechanic: m, Twist: Plain, Horizon: horizon})
			})
		}
	}
	for _, pair := range composed {
		for i, horizon := range []int{4, 6, 8} {
			add(FamilyCompose, func() Item { return compose(r, pair, horizon, 1+i%2) })
		}
	}
	return suite
}

func drawSeeds(r *rand.Rand) []int64 {
	seeds := make([]int64, seedsPerItem)
	for i := range seeds {
		seeds[i] = r.Int64N(1 << 31)
	}
	return seeds
}

// compose draws an environment that asks, turn by turn, from either of two mechanics at random.
func compose(r *rand.Rand, pair [2]string, horizon, lives int) Item {
	it := Sample(r, Options{Mechanic: pair[0], Twist: Plain, Horizon: horizon, Lives: lives})
	other := Sample(r, Options{Mechanic: pair[1], Twist: Plain, Topic: it.Theme.Topic})
	it.Source = inShell(it.Theme, it.Horizon, it.Lives, it.fill(it.mechanic().setup)+other.fill(other.mechanic().setup),
		it.opening()+"+"+other.sayOpening(" "+other.mechanic().opcode),
		"  if s.r.randrange(2):\n"+indent(it.fill(it.mechanic().ask))+other.fill(other.mechanic().ask))
	return it
}
