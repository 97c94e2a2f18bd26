package diversity

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spade"
)

// The numbers in testdata are what the Python package vendi-score gives for the same likeness.
func TestVendiAgainstReference(t *testing.T) {
	data, err := os.ReadFile("testdata/vendi.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Cases []struct {
			Name    string   `json:"name"`
			Sources []string `json:"sources"`
			Vendi   float64  `json:"vendi"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	if len(reference.Cases) < 8 {
		t.Fatal("cases are missing")
	}
	for _, c := range reference.Cases {
		if got := Vendi(c.Sources); math.Abs(got-c.Vendi) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.Name, got, c.Vendi)
		}
	}
}

func TestVendiEdges(t *testing.T) {
	tests := []struct {
		name    string
		sources []string
		want    float64
	}{
		{"none", nil, 0},
		{"one", []string{"class A: pass"}, 1},
		{"one empty", []string{""}, 1},
		{"all empty", []string{"", " \n", "x"}, 1},
		{"empty and not", []string{"", "a b"}, 2},
		{"layout only", []string{"a = 1", "a\n\t=  1"}, 1},
		{"nothing shared", []string{"a b", "b a", "a a"}, 3},
	}
	for _, test := range tests {
		if got := Vendi(test.sources); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestTokens(t *testing.T) {
	got := token.FindAllString("s.r_1=größe(20)+3.5\n  # é\u00a0\"x\"", -1)
	want := strings.Split("s|.|r_1|=|größe|(|20|)|+|3|.|5|#|é|\u00a0|\"|x|\"", "|")
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzVendi(f *testing.F) {
	f.Add("a b c|a b d|x y z")
	f.Add("||a b")
	f.Add("\xff\xfe a|ß 1 2|…")
	f.Add("q q q q|q q|q q q")
	f.Fuzz(func(t *testing.T, joined string) {
		sources := strings.Split(joined, "|")
		if len(sources) > 24 {
			sources = sources[:24]
		}
		n := float64(len(sources))
		v, score := Vendi(sources), Score(sources)
		if !(v >= 1 && v <= n) || !(score > 0 && score <= 1) {
			t.Fatalf("Vendi %v, score %v of %d sources", v, score, len(sources))
		}

		shuffled := slices.Clone(sources)
		r := spade.Stream(uint64(len(joined)), 0, 0, "shuffle")
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if w := Vendi(shuffled); math.Abs(w-v) > 1e-9*n {
			t.Errorf("%v in another order, %v before", w, v)
		}
		// Every source twice: the same variety among twice as many.
		if w := Vendi(append(shuffled, sources...)); math.Abs(w-v) > 1e-9*n {
			t.Errorf("%v of the doubled set, %v of the set", w, v)
		}
	})
}

// Replacing one of several different sources by a copy of another lowers the score.
func TestDuplicatesLowerTheScore(t *testing.T) {
	sources := []string{
		"x = 1 + 2", "for i in range ( 3 ) : print ( i )", "def f ( a ) : return a * a", "while True : break",
	}
	before := Score(sources)
	for i := range sources {
		for j := range sources {
			if i == j {
				continue
			}
			copied := slices.Clone(sources)
			copied[i] = sources[j]
			if after := Score(copied); !(after < before) {
				t.Errorf("%v with source %d a copy of %d, %v without", after, i, j, before)
			}
			whole, more := Vendi(sources), Vendi(append(slices.Clone(sources), sources[j]))
			if !(more < whole+1) || !(more/5 < whole/4) {
				t.Errorf("adding a copy of %d: %v of 5 after %v of 4", j, more, whole)
			}
		}
	}
}

func TestVendiIsExactlyRepeatable(t *testing.T) {
	sources := []string{"x = 1 + 2 ; y = x", "x = 1 ; y = 2 + x", "def f ( x ) : y = x", "y = x"}
	want := Vendi(sources)
	for range 20 {
		if got := Vendi(sources); got != want {
			t.Fatalf("got %v, then %v", want, got)
		}
	}
}
