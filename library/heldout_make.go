package library

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"spade"
)

// seedsPerItem is how often each environment of the suite is played.
const seedsPerItem = 4

// heldOutHorizons are the lengths that the family of horizons reports one by one.
var heldOutHorizons = []int{6, 8, 10, 12, 14, 16, 20}

// composed are the pairs of mechanics that environments of the family compose ask from.
var composed = [][2]string{{"table", "tune"}, {"table", "walk"}, {"next", "rank"}, {"sum", "tune"}, {"gap", "duel"}, {"face", "rank"}}

// twoAtATime are the mechanics whose question can be asked twice before an answer, which then is to both.
var twoAtATime = []string{"sum", "tank", "face", "wheel", "lag", "bounce", "cell", "gap"}

// suiteMaker gathers the environments of a held-out suite, none of them twice.
type suiteMaker struct {
	r     *rand.Rand
	items []SuiteItem
	known map[string]bool
}

func (s *suiteMaker) add(family string, draw func() Item) {
	it := draw()
	for s.known[it.Source] {
		it = draw()
	}
	s.known[it.Source] = true
	seeds := make([]int64, seedsPerItem)
	for i := range seeds {
		seeds[i] = spade.TrainingSeeds + s.r.Int64N(spade.TrainingSeeds)
	}
	s.items = append(s.items, SuiteItem{spade.ContentID(it.Source), family, it.Source, it.Hint, seeds})
}

// MakeHeldOut draws the held-out suite. It was called once; HeldOut returns what came out.
func MakeHeldOut() []SuiteItem {
	s := &suiteMaker{r: spade.Stream(0, 0, 0, "library held-out suite"), known: map[string]bool{}}
	s.own()
	s.foreign()
	return s.items
}

// Tuning returns a suite on which settings can be chosen: other environments and seeds of the families of the held-out
// suite, but for FamilyForeign, whose questions are the same wherever they are asked.
func Tuning() []SuiteItem {
	s := &suiteMaker{r: spade.Stream(0, 0, 0, "library tuning suite"), known: map[string]bool{}}
	for _, item := range HeldOut() {
		s.known[item.Source] = true
	}
	s.own()
	return s.items
}

// own draws the families that are made of the library's own mechanics.
func (s *suiteMaker) own() {
	for i, m := range mechanics {
		for j, horizon := range heldOutHorizons {
			s.add(fmt.Sprintf("%s-%02d", FamilyHorizon, horizon), func() Item {
				return Sample(s.r, Options{Mechanic: m.name, Twist: Plain, Horizon: horizon, Lives: 1 + (i+j)%2, Bare: true, Reserved: true})
			})
		}
	}
	s.rules()
	s.themes()
	for i, pair := range composed {
		for j, horizon := range []int{4, 6, 8} {
			s.add(FamilyCompose, func() Item { return compose(s.r, pair, horizon, 1+(i+j)%2) })
		}
	}
	s.wordings()
	s.ranges()
	s.distractors()
	s.partial()
}

func (s *suiteMaker) rules() {
	for _, m := range mechanics {
		for _, twist := range Twists(m.name, true) {
			for _, horizon := range []int{3, 4, 5, 6, 8} {
				s.add(FamilyRule, func() Item {
					return Sample(s.r, Options{Mechanic: m.name, Twist: twist, Horizon: horizon, Lives: 2, Bare: true})
				})
			}
		}
	}
}

func (s *suiteMaker) themes() {
	for i, t := range themesFor(true) {
		for j, m := range mechanics {
			if (i+j)%2 == 0 {
				s.add(FamilyTheme, func() Item {
					return Sample(s.r, Options{Topic: t.Topic, Mechanic: m.name, Twist: Plain, Horizon: 4 + 2*(j%3), Bare: true})
				})
			}
		}
	}
}

func (s *suiteMaker) ranges() {
	for _, m := range mechanics {
		for _, horizon := range []int{4, 6, 8} {
			if m.largeSize > 0 {
				s.add(FamilyRange, func() Item {
					return Sample(s.r, Options{Mechanic: m.name, Twist: Plain, Horizon: horizon, Size: m.largeSize, Bare: true})
				})
			}
		}
	}
}

func (s *suiteMaker) distractors() {
	for i, m := range mechanics {
		for j, call := range []string{`+f" get {s.r.choice('<words>'.split())}"`, `+f" set {s.r.choice('<words>'.split())} {s.r.randrange(9)}"`} {
			s.add(FamilyTools, func() Item {
				it := Sample(s.r, Options{Mechanic: m.name, Twist: Plain, Horizon: 4 + 2*((i+j)%3), Bare: true})
				aside := strings.Replace(call, "<words>", strings.Join(it.Theme.Words[:3], " "), 1)
				return it.edited(`"no "+c)+s.q()`, `"no "+c)`+aside+`+s.q()`)
			})
		}
	}
}

func (s *suiteMaker) partial() {
	for i, m := range mechanics {
		s.add(FamilyPartial, func() Item {
			it := Sample(s.r, Options{Mechanic: m.name, Twist: Plain, Horizon: 4 + 2*(i%3), Bare: true})
			return it.edited("("+fullVerdict+")", `"see"`)
		})
	}
	for i, name := range twoAtATime {
		for j := range 2 {
			s.add(FamilyPartial, func() Item {
				it := Sample(s.r, Options{Mechanic: name, Twist: Plain, Horizon: 4 + 2*((i+j)%3), Bare: true})
				return it.edited(`"no "+c)+s.q()`, `"no "+c)+s.q()+s.q()`)
			})
		}
	}
}

// edited is the item with one part of its source replaced by another, which must occur once.
func (it Item) edited(old, new string) Item {
	if strings.Count(it.Source, old) != 1 {
		panic(fmt.Sprintf("library: %q is to be replaced once in\n%s", old, it.Source))
	}
	it.Source = strings.Replace(it.Source, old, new, 1)
	return it
}

// compose draws an environment that asks, turn by turn, from either of two mechanics at random.
func compose(r *rand.Rand, pair [2]string, horizon, lives int) Item {
	it := Sample(r, Options{Mechanic: pair[0], Twist: Plain, Horizon: horizon, Lives: lives, Bare: true})
	other := Sample(r, Options{Mechanic: pair[1], Twist: Plain, Topic: it.Theme.Topic, Bare: true})
	it.Source = it.inShell(it.fill(it.mechanic().setup)+other.fill(other.mechanic().setup),
		it.opening()+"+"+other.sayOpening(" "+other.mechanic().opcode),
		"  if s.r.randrange(2):\n"+indent(it.fill(it.mechanic().ask))+other.fill(other.mechanic().ask))
	return it
}
