package library

import (
	"fmt"

	"spade"
)

// What the suites of practice are made of: environments and seeds of each family, and the shape of the twisted ones.
const (
	practiceItems = 10
	practiceSeeds = 4
	twistedTurns  = 6
	twistedLives  = 2
)

// practiceHorizons are the lengths that practice measures a mechanic at.
var practiceHorizons = []int{1, 2, 4, 8, 16}

// Practice returns plain environments of every mechanic as the library draws them, with one life. Families are named
// after the mechanic and the number of turns ("sum-04"), so that the win rate of one turn is the accuracy of a step.
func Practice() []SuiteItem {
	var suite []SuiteItem
	for i, m := range mechanics {
		for _, horizon := range practiceHorizons {
			suite = append(suite, practice(fmt.Sprintf("%s-%02d", m.name, horizon), i*100+horizon,
				Options{Mechanic: m.name, Twist: Plain, Horizon: horizon, Lives: 1, Bare: true})...)
		}
	}
	return suite
}

// TwistedPractice returns environments of six turns and two lives for every mechanic and each of its twists. Families
// are named after both ("sum minus"); held-out twists are among them.
func TwistedPractice() []SuiteItem {
	var suite []SuiteItem
	for i, m := range mechanics {
		for j, rule := range m.rules[1:] {
			suite = append(suite, practice(m.name+" "+rule.name, i*100+j,
				Options{Mechanic: m.name, Twist: rule.name, Horizon: twistedTurns, Lives: twistedLives, Bare: true})...)
		}
	}
	return suite
}

func practice(family string, slot int, o Options) []SuiteItem {
	r := spade.Stream(0, 0, slot, "library practice")
	items := make([]SuiteItem, practiceItems)
	for i := range items {
		it := Sample(r, o)
		items[i] = SuiteItem{ID: spade.ContentID(it.Source), Family: family, Source: it.Source, Hint: it.Hint}
		for range practiceSeeds {
			items[i].Seeds = append(items[i].Seeds, r.Int64N(spade.TrainingSeeds))
		}
	}
	return items
}
