package library

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"spade"
)

// builtin reads the built-in corpus, which documents are grounded on.
func builtin(t testing.TB) []spade.Passage {
	t.Helper()
	f, err := os.Open("../corpus/builtin.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var passages []spade.Passage
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var meta map[string]any
		if err := json.Unmarshal(lines.Bytes(), &meta); err != nil {
			t.Fatal(err)
		}
		passages = append(passages, spade.Passage{Text: meta["text"].(string), Meta: meta})
	}
	return passages
}

// everyItem returns an item of every mechanic under every rule, held out or not, in several sizes and themes.
func everyItem(t testing.TB) []Item {
	t.Helper()
	var items []Item
	r := spade.Stream(1, 0, 0, "test")
	for _, m := range mechanics {
		for _, rule := range m.rules {
			for _, horizon := range []int{3, 7, 12, 20} {
				for lives := 1; lives <= 3; lives++ {
					if Fair(horizon, lives, rule.name != Plain) {
						items = append(items, Sample(r, Options{Mechanic: m.name, Twist: rule.name, Horizon: horizon, Lives: lives, Bare: true}))
					}
				}
			}
		}
	}
	return items
}

func TestThemesAndMechanicsAreComplete(t *testing.T) {
	open, held := themesFor(false), themesFor(true)
	if len(open) != 24 || len(held) != 4 || len(mechanics) != 16 {
		t.Errorf("%d themes, %d held out, %d mechanics", len(open), len(held), len(mechanics))
	}
	seen := map[string]string{}
	for _, theme := range Themes() {
		for _, w := range append([]string{theme.Topic, theme.Object}, theme.Words[:]...) {
			if other, twice := seen[w]; twice {
				t.Errorf("%q is of %s and of %s", w, other, theme.Topic)
			}
			seen[w] = theme.Topic
		}
	}
	for _, p := range builtin(t) {
		topic, _ := p.Meta["topic"].(string)
		theme, ok := ThemeOf(topic)
		if !ok || theme.HeldOut || mechanicNamed(p.Skill()) == nil {
			t.Errorf("passage %q has topic %q and skill %q", p.Text, topic, p.Skill())
		}
		for _, w := range append([]string{theme.Object}, theme.Words[:]...) {
			if !slices.Contains(strings.FieldsFunc(p.Text, func(r rune) bool { return r < 'A' }), w) {
				t.Errorf("passage %q lacks %q", p.Text, w)
			}
		}
	}
}

// known says of every mechanic what share of right answers drawing among the possible ones gives at most, and whether an
// answer depends on earlier turns.
var known = map[string]struct {
	chance  float64
	carried bool
}{
	"table":  {0.3, false},
	"next":   {0.2, true},
	"sum":    {0.15, true},
	"rank":   {1. / 3, false},
	"stack":  {0.25, true},
	"alt":    {0.5, true},
	"walk":   {0.5, false},
	"lag":    {0.25, true},
	"tune":   {0.1, false},
	"tank":   {0.15, true},
	"face":   {0.25, true},
	"cell":   {0.2, true},
	"bounce": {0.2, true},
	"duel":   {1. / 3, false},
	"wheel":  {0.25, true},
	"gap":    {0.2, true},
}

func TestMechanicsMakeASmallWorld(t *testing.T) {
	carried, trained, words := 0, map[string]int{}, map[string]bool{}
	for _, m := range mechanics {
		if words[m.opcode] || m.rules[0].name != Plain || known[m.name].chance == 0 || known[m.name].chance > 0.5 {
			t.Errorf("%s: opcode %q is taken, or it has no plain rule first, or guessing wins half of the time", m.name, m.opcode)
		}
		words[m.opcode] = true
		if n := len(Twists(m.name, false)); n < 2 {
			t.Errorf("%s has %d twists: with one, its mark alone says which", m.name, n)
		}
		for _, twist := range Twists(m.name, false) {
			trained[twist]++
		}
		if known[m.name].carried {
			carried++
		}
	}
	for _, m := range mechanics {
		for _, twist := range Twists(m.name, true) {
			if trained[twist] < 2 {
				t.Errorf("%s of %s is held out, and known from %d other mechanics only", twist, m.name, trained[twist])
			}
		}
	}
	if carried < 10 {
		t.Errorf("answers depend on earlier turns in %d of %d mechanics", carried, len(mechanics))
	}
}

func TestSampleKeepsThePrior(t *testing.T) {
	r := spade.Stream(2, 0, 0, "test")
	const n = 20000
	twisted, turns, mute, decoy := 0, 0, 0, 0
	for range n {
		it := Sample(r, Options{})
		if !Fair(it.Horizon, it.Lives, it.Twist != Plain) || it.Horizon > MaxDrawn || it.Theme.HeldOut || reserved(it.Source) {
			t.Fatalf("unfair or held out: %+v", it)
		}
		if slices.Contains(Twists(it.Mechanic, true), it.Twist) {
			t.Fatalf("drew the held-out twist %q", it.Twist)
		}
		if it.Twist != Plain {
			twisted++
		} else {
			turns += it.Horizon
		}
		if it.Mute {
			mute++
		}
		if it.Decoy {
			decoy++
		}
		got, ok := Inspect(it.Source)
		want := Traits{it.Theme.Topic, it.Mechanic, it.Horizon, it.Lives, it.Twist != Plain, it.Mute, it.Decoy}
		if !ok || got != want {
			t.Fatalf("Inspect = %+v, %v, want %+v", got, ok, want)
		}
	}
	if share := float64(twisted) / n; share < 0.33 || share > 0.37 {
		t.Errorf("share of twists %.3f, want about %.2f", share, twistShare)
	}
	// The mean of a geometric number with 0.65, cut at 8, is 2.59.
	if mean := float64(turns) / float64(n-twisted); mean < 2.5 || mean > 2.7 {
		t.Errorf("mean plain horizon %.2f, want about 2.59", mean)
	}
	// Environments of one turn are never mute and have no decoys.
	if mute < n/12 || mute > n/6 || decoy < n/12 || decoy > n/6 {
		t.Errorf("%d mute, %d with decoys of %d", mute, decoy, n)
	}
}

func TestReservedSourcesAreApart(t *testing.T) {
	r := spade.Stream(7, 0, 0, "test")
	for range 200 {
		if it := Sample(r, Options{Horizon: 6, Reserved: true}); !reserved(it.Source) {
			t.Fatalf("drew what is not reserved:\n%s", it.Source)
		}
	}
}

func TestSampleObeysOptions(t *testing.T) {
	r := spade.Stream(3, 0, 0, "test")
	for range 500 {
		o := Options{Topic: "rail", Mechanic: "sum", Horizon: 1 + r.IntN(25), Lives: 1 + r.IntN(3)}
		it := Sample(r, o)
		if it.Theme.Topic != o.Topic || it.Mechanic != o.Mechanic || it.Horizon != o.Horizon || it.Lives > o.Lives {
			t.Fatalf("%+v from %+v", it, o)
		}
	}
	for _, o := range []Options{{Topic: "x"}, {Mechanic: "x"}, {Mechanic: "sum", Twist: "late"}, {Mechanic: "sum", Twist: "minus", Horizon: 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is no environment and was drawn", o)
				}
			}()
			Sample(r, o)
		}()
	}
}

func TestInspectRefusesOtherSources(t *testing.T) {
	source := Sample(spade.Stream(4, 0, 0, "test"), Options{Mechanic: "rank"}).Source
	for _, change := range [][2]string{{"Env:", "Game:"}, {"s.L=", "s.turns="}, {" rank\"", " sort\""}, {"class ", "class X"}} {
		if _, ok := Inspect(strings.Replace(source, change[0], change[1], 1)); ok {
			t.Errorf("Inspect knows the source with %q for %q", change[1], change[0])
		}
	}
}

// winRate is the share of n simulated plays of it that p wins.
func winRate(it Item, p player, n int) float64 {
	r := spade.Stream(5, 0, 0, "test")
	won := 0
	for range n {
		if p.play(r, &it).final == "won" {
			won++
		}
	}
	return float64(won) / float64(n)
}

func TestPerfectPlayWins(t *testing.T) {
	for _, it := range everyItem(t) {
		if rate := winRate(it, player{hinted: true}, 50); rate != 1 {
			t.Errorf("%s %s of %d turns: win rate %.2f with the rule known and no slips", it.Mechanic, it.Twist, it.Horizon, rate)
		}
	}
}

func TestGuessingLoses(t *testing.T) {
	r := spade.Stream(8, 0, 0, "test")
	for _, m := range mechanics {
		won, n := 0.0, 200
		for range n {
			it := Sample(r, Options{Mechanic: m.name, Twist: Plain, Horizon: 1})
			won += winRate(it, player{slip: 1}, 10)
		}
		if rate := won / float64(n); rate > known[m.name].chance+0.2 {
			t.Errorf("%s: a player that draws among the possible answers wins %.2f of one turn, %.2f is stated", m.name, rate, known[m.name].chance)
		}
		if rate := winRate(Sample(r, Options{Mechanic: m.name, Horizon: 8, Lives: 1}), player{slip: 1}, 400); rate > 0.05 {
			t.Errorf("%s: it wins %.2f of eight turns", m.name, rate)
		}
	}
}

func TestPlayersAreAsGoodAsTheirKnowledge(t *testing.T) {
	r := spade.Stream(6, 0, 0, "test")
	it := Sample(r, Options{Mechanic: "duel", Twist: "lose", Horizon: 8, Lives: 2, Bare: true})
	// The wrong one of two twists costs one life, in the first turn that tells them apart: never the game.
	if rate := winRate(it, player{}, 200); rate != 1 {
		t.Errorf("win rate %.2f without the hint and two lives", rate)
	}
	it.Lives = 1
	if rate := winRate(it, player{}, 2000); rate < 0.45 || rate > 0.55 {
		t.Errorf("win rate %.2f without the hint and one life, want about one half", rate)
	}
	if clean, noisy := winRate(it, player{hinted: true}, 300), winRate(it, player{hinted: true, slip: 0.2}, 300); clean != 1 || noisy > 0.45 {
		t.Errorf("win rates %.2f without and %.2f with slips", clean, noisy)
	}
}
