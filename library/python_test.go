package library

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"spade"
)

// pythonSeeds are enough for the shortest environment to differ between some of them; 0 is one. The others differ from
// item to item, because an environment without a literal of its own says the same on equal seeds.
func pythonSeeds(item int) []int64 {
	seeds := []int64{0}
	for i := range int64(13) {
		seeds = append(seeds, 1<<31*(i%2)+100*int64(item)+i+1)
	}
	return seeds
}

type pythonItem struct {
	Source string  `json:"source"`
	Seeds  []int64 `json:"seeds"`
}

// transcript holds the observation and action of each turn, and last the final observation.
type transcript [][2]string

// pythonResult holds transcripts by seed: of the environment's solution, and of plays with mistakes.
type pythonResult struct {
	Won      []transcript `json:"won"`
	Mistaken []transcript `json:"mistaken"`
	Error    string       `json:"error"`
}

// inPython plays environments in one real interpreter; see testdata/check.py.
func inPython(t *testing.T, items []pythonItem) []pythonResult {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	in, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/check.py")
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("python3: %v\n%s", err, complaint.String())
	}
	var results []pythonResult
	if err := json.Unmarshal(out.Bytes(), &results); err != nil {
		t.Fatal(err)
	}
	if len(results) != len(items) {
		t.Fatalf("%d results of %d items", len(results), len(items))
	}
	return results
}

var (
	anyWord   = regexp.MustCompile(`[a-z]+`)
	anyNumber = regexp.MustCompile(`\d+`)
	anyList   = regexp.MustCompile(`(?:N W ){2,}|(?:N ){4,}`)
)

// shape is what is said with the object, the theme's words, the ways and the numbers replaced by their kinds.
func shape(it *Item, said string) string {
	said = anyWord.ReplaceAllStringFunc(said, func(w string) string {
		switch {
		case w == it.Theme.Object:
			return "OBJECT"
		case slices.Contains(strings.Fields(winds), w):
			return "WAY"
		case slices.Contains(strings.Fields(hands), w):
			return "HAND"
		case slices.Contains(it.Theme.Words[:], w):
			return "W"
		}
		return w
	})
	return anyList.ReplaceAllString(anyNumber.ReplaceAllString(said, "N"), "LIST ")
}

// tally counts what is said in the episodes of one mechanic under one rule.
type tally struct {
	shapes map[string]int
	// numbers are those in later observations and the depth of piles, means their means by episode.
	numbers, means []float64
}

func (c *tally) add(it *Item, episode transcript, actions bool) {
	depth, start := 0, len(c.numbers)
	for i, turn := range episode {
		kind := "later"
		switch i {
		case 0:
			kind = "first"
		case len(episode) - 1:
			kind = "final"
		}
		c.shapes[kind+": "+shape(it, turn[0])]++
		if kind != "final" && actions {
			c.shapes["action: "+shape(it, turn[1])]++
		}
		if kind == "later" {
			for _, text := range anyNumber.FindAllString(turn[0], -1) {
				n, _ := strconv.Atoi(text)
				c.numbers = append(c.numbers, float64(n))
			}
		}
		depth += strings.Count(turn[0], " push ") - strings.Count(turn[0], " pull")
		if it.Mechanic == "stack" {
			c.numbers = append(c.numbers, float64(depth))
		}
	}
	if said := c.numbers[start:]; len(said) > 0 {
		c.means = append(c.means, stat.Mean(said, nil))
	}
}

// compareShapes reports whether one of two tallies holds what the other lacks.
func compareShapes(t *testing.T, key string, python, simulation *tally) {
	t.Helper()
	a, b := slices.Sorted(maps.Keys(python.shapes)), slices.Sorted(maps.Keys(simulation.shapes))
	if !slices.Equal(a, b) {
		t.Errorf("%s: Python says\n%s\nthe simulation\n%s", key, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// compareCounts reports where two tallies of the same items differ by more than chance.
func compareCounts(t *testing.T, key string, python, simulation *tally) {
	t.Helper()
	for s := range python.shapes {
		p, q := float64(python.shapes[s]), float64(simulation.shapes[s])
		if math.Abs(p-q) > 4*math.Sqrt(p+q) {
			t.Errorf("%s: %q is said %.0f times in Python and %.0f times in the simulation", key, s, p, q)
		}
	}
	if len(python.numbers) > 0 {
		mean, deviation := stat.MeanStdDev(python.means, nil)
		other := stat.Mean(simulation.means, nil)
		if n := float64(len(python.means)); math.Abs(mean-other) > 5*deviation/math.Sqrt(n) {
			t.Errorf("%s: numbers are %.2f on average in Python and %.2f in the simulation", key, mean, other)
		}
		if low, high := slices.Min(python.numbers), slices.Max(python.numbers); low != slices.Min(simulation.numbers) || high != slices.Max(simulation.numbers) {
			t.Errorf("%s: numbers are within %v and %v in Python, not in the simulation", key, low, high)
		}
	}
}

// transcript plays it and writes that down as Python does.
func (p player) transcript(it *Item, seed int) transcript {
	e := p.play(spade.Stream(21, 0, seed, "test"), it)
	var out transcript
	for _, turn := range e.turns {
		out = append(out, [2]string{turn.observation, boxOpen + turn.action + boxClose})
	}
	return append(out, [2]string{e.final, ""})
}

func TestSourcesInPython(t *testing.T) {
	items := everyItem(t)
	r := spade.Stream(20, 0, 0, "test")
	for _, m := range mechanics {
		for n := 0; n < 6; {
			if it := Sample(r, Options{Mechanic: m.name, Twist: Plain, Horizon: 4, Lives: 3}); it.Mute && it.Decoy {
				items = append(items, it)
				n++
			}
		}
	}
	var asked []pythonItem
	for i, it := range items {
		asked = append(asked, pythonItem{it.Source, pythonSeeds(i)})
	}
	tallies := map[string]*[4]tally{} // Python and simulation of right play, then those of mistaken play
	for i, result := range inPython(t, asked) {
		it := items[i]
		if result.Error != "" {
			t.Errorf("%s %s: %s\n%s", it.Mechanic, it.Twist, result.Error, it.Source)
			continue
		}
		key := it.Mechanic + " " + it.Twist
		if it.Mute {
			key += ", mute"
		}
		if tallies[key] == nil {
			tallies[key] = new([4]tally)
			for k := range tallies[key] {
				tallies[key][k].shapes = map[string]int{}
			}
		}
		c := tallies[key]
		for s := range result.Won {
			if turns := len(result.Won[s]) - 1; turns != it.Horizon {
				t.Errorf("%s: won after %d turns with a horizon of %d", key, turns, it.Horizon)
			}
			c[0].add(&it, result.Won[s], true)
			c[1].add(&it, player{hinted: true}.transcript(&it, 100*i+s), true)
			c[2].add(&it, result.Mistaken[s], false)
			c[3].add(&it, player{hinted: true, slip: 0.5}.transcript(&it, 100*i+s), false)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tallies)) {
		c := tallies[key]
		compareShapes(t, key, &c[0], &c[1])
		if !strings.HasSuffix(key, "mute") {
			compareCounts(t, key, &c[0], &c[1])
		}
		compareShapes(t, key+", with mistakes", &c[2], &c[3])
	}
}

func TestHeldOutSuiteInPython(t *testing.T) {
	var asked []pythonItem
	suite := HeldOut()
	for _, item := range suite {
		asked = append(asked, pythonItem{item.Source, slices.Concat(item.Seeds, pythonSeeds(0))})
	}
	for i, result := range inPython(t, asked) {
		if result.Error != "" {
			t.Errorf("%s of family %s: %s", suite[i].ID, suite[i].Family, result.Error)
		}
	}
}
