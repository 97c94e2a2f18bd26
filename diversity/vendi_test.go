package diversity

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spade"
)

// The numbers in testdata are what the Python package vendi-score gives for the same matrix of likenesses, which stands
// beside them where it is small.
func TestVendiAgainstReference(t *testing.T) {
	data, err := os.ReadFile("testdata/vendi.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Cases []struct {
			Name     string      `json:"name"`
			Folder   string      `json:"folder"`
			Items    []Item      `json:"items"`
			Vendi    float64     `json:"vendi"`
			Likeness [][]float64 `json:"likeness"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	if len(reference.Cases) < 10 {
		t.Fatal("cases are missing")
	}
	for _, c := range reference.Cases {
		if c.Folder != "" {
			c.Items = itemsOf(readSources(t, c.Folder))
		}
		if got := Vendi(c.Items); math.Abs(got-c.Vendi) > 1e-9*float64(len(c.Items)) {
			t.Errorf("%s: got %v, want %v", c.Name, got, c.Vendi)
		}
		profiles, _ := profilesOf(c.Items)
		for i, row := range c.Likeness {
			for j, want := range row {
				if got := profiles[i].dot(profiles[j]); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: likeness of %d and %d is %v, want %v", c.Name, i, j, got, want)
				}
			}
		}
	}
}

func itemsOf(sources []string) []Item {
	items := make([]Item, len(sources))
	for i, source := range sources {
		items[i].Source = source
	}
	return items
}

// One maze in 41 dresses is hardly more than one environment; 41 environments on different tasks are nearly that many.
func TestCollapseIsVisible(t *testing.T) {
	variants, different := readSources(t, "variants"), readSources(t, "different")
	if len(variants) != 41 || len(different) != 41 {
		t.Fatalf("%d variants and %d different environments", len(variants), len(different))
	}
	if score := Score(variants); score >= 0.1 {
		t.Errorf("41 variants of one maze score %.3f", score)
	}
	if score := Score(different); score <= 0.6 {
		t.Errorf("41 different environments score %.3f", score)
	}
	var before float64
	for n := range 41 { // the more of a set collapses, the lower it scores
		mixed := append(slices.Clone(different[:41-n]), variants[:n]...)
		if score := Score(mixed); n > 0 && n%8 == 0 {
			if before > 0 && score >= before {
				t.Errorf("with %d variants among 41 the score is %.3f, %.3f before", n, score, before)
			}
			before = score
		}
	}
}

func TestVendiEdges(t *testing.T) {
	tests := []struct {
		name  string
		items []Item
		want  float64
	}{
		{"none", nil, 0},
		{"one", itemsOf([]string{"class A: pass"}), 1},
		{"one empty", make([]Item, 1), 1},
		{"all empty", itemsOf([]string{"", " \n", "# nothing"}), 1},
		{"empty and not", itemsOf([]string{"", "a(b)"}), 2},
		{"layout, names and numbers only", itemsOf([]string{"a = 1", "b\t=  27 # so many"}), 1},
		{"nothing shared", itemsOf([]string{"for a in b: pass", "while not c: break", "lambda: 0"}), 3},
		{"objectives only", []Item{{Objective: "Cross the river."}, {Objective: "Bake bread."}}, 2},
		{"the same objective", []Item{{Objective: "Cross the river."}, {Objective: "cross rivers"}}, 1},
		{"texts are the objective", []Item{{Source: "a('Bake bread')"}, {Source: "b('unsaid')", Objective: "Bake bread."}}, 1},
	}
	for _, test := range tests {
		if got := Vendi(test.items); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func FuzzVendi(f *testing.F) {
	f.Add("a b c|a b d|x(y) z")
	f.Add("||a b")
	f.Add("\xff\xfe a|ß 1 2|…")
	f.Add("if q: 'q'|\"\"\"q|q[(")
	f.Fuzz(func(t *testing.T, joined string) {
		sources := strings.Split(joined, "|")
		if len(sources) > 24 {
			sources = sources[:24]
		}
		n := float64(len(sources))
		items := itemsOf(sources)
		v, score := Vendi(items), Score(sources)
		if !(v >= 1 && v <= n) || !(score > 0 && score <= 1) {
			t.Fatalf("Vendi %v, score %v of %d sources", v, score, len(sources))
		}
		shuffled := slices.Clone(items)
		r := spade.Stream(uint64(len(joined)), 0, 0, "shuffle")
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if w := Vendi(shuffled); math.Abs(w-v) > 1e-7*n {
			t.Errorf("%v in another order, %v before", w, v)
		}
		// Every source twice: the same variety among twice as many.
		if w := Vendi(append(shuffled, items...)); math.Abs(w-v) > 1e-7*n {
			t.Errorf("%v of the doubled set, %v of the set", w, v)
		}
	})
}

// Replacing one of several different environments by a copy of another lowers the score.
func TestDuplicatesLowerTheScore(t *testing.T) {
	sources := readSources(t, "different")[:6]
	before := Score(sources)
	for i := range sources {
		copied := slices.Clone(sources)
		copied[i] = sources[(i+1)%len(sources)]
		if after := Score(copied); !(after < before) {
			t.Errorf("%v with source %d a copy of the next, %v without", after, i, before)
		}
	}
}

// TestEstimate holds the estimate against the eigenvalues, at sizes where both can be had and with several random
// streams, on copies of a few drafts, on different items, and on a set whose eigenvalues are of very
// different sizes: half of it is nearly copies.
func TestEstimate(t *testing.T) {
	for _, set := range []struct {
		name    string
		items   []Item
		streams int
	}{
		{"different", assemble(t, 300, 300, 0), 1},
		{"copied drafts", assemble(t, 200, 30, 0), 1},
		{"half generated", append(generated(200), assemble(t, 200, 20, 8)...), 3},
	} {
		profiles, features := profilesOf(set.items)
		g, exact := newGram(profiles, features), exactEntropy(profiles)
		for stream := range set.streams {
			estimate := estimateEntropy(g, spade.Stream(uint64(stream), 0, 0, "diversity"))
			if off := math.Exp(estimate-exact) - 1; !(math.Abs(off) < 0.01) {
				t.Errorf("%s, stream %d: the score is off by %.2f %%", set.name, stream, 100*off)
			}
		}
	}
}

// Sets in which the estimate has nothing to sum over, or nothing but zeros.
func TestEstimateEdges(t *testing.T) {
	alike, apart := make([]Item, exactUpTo+1), make([]Item, exactUpTo+1)
	for i := range apart {
		apart[i].Objective = strings.Repeat(string(rune('a'+i%26)), 2+i/26)
	}
	if got := Vendi(alike); math.Abs(got-1) > 1e-6 {
		t.Errorf("%v of items that are all alike", got)
	}
	if got, n := Vendi(apart), float64(len(apart)); math.Abs(got/n-1) > 0.01 {
		t.Errorf("%v of %v items that have nothing in common", got, n)
	}
}

func TestVendiIsExactlyRepeatable(t *testing.T) {
	for _, items := range [][]Item{itemsOf(readSources(t, "different")), assemble(t, exactUpTo+1, 40, 4)} {
		var got [2]float64
		for i, processors := range []int{1, 3} {
			before := runtime.GOMAXPROCS(processors)
			got[i] = Vendi(items)
			runtime.GOMAXPROCS(before)
		}
		if got[0] != got[1] {
			t.Errorf("%v on one processor, %v on three", got[0], got[1])
		}
	}
}
