package diversity

import (
	"slices"
	"strings"
	"testing"
)

func TestResemblance(t *testing.T) {
	source := readSources(t, "different")[0]
	tests := []struct {
		name         string
		p, q         Print
		atLeast, max float64
	}{
		{"itself", PrintOf(source, nil), PrintOf(source, nil), 1, 1},
		{"itself, seen to behave alike", PrintOf(source, []string{"a", "b"}), PrintOf(source, []string{"a", "b"}), 1, 1},
		{"half of the probes differ", PrintOf(source, []string{"a", "b"}), PrintOf(source, []string{"a", "c"}), 0.75, 0.75},
		{"one was not seen", PrintOf(source, nil), PrintOf(source, []string{"a"}), 1, 1},
		{"nothing and nothing", PrintOf("", nil), PrintOf("# no code", nil), 1, 1},
		{"nothing and something", PrintOf("", nil), PrintOf(source, nil), 0, 0},
	}
	for _, test := range tests {
		got, back := test.p.Resemblance(test.q), test.q.Resemblance(test.p)
		if got < test.atLeast || got > test.max || got != back {
			t.Errorf("%s: %v and %v, want %v to %v", test.name, got, back, test.atLeast, test.max)
		}
	}
}

// The variants of one maze are near-duplicates by their sources alone; the different environments are far from that.
func TestNearDuplicate(t *testing.T) {
	variants, different := printsOf(readSources(t, "variants")), printsOf(readSources(t, "different"))
	for i := range variants {
		for j := range i {
			if r := variants[i].Resemblance(variants[j]); r < NearDuplicate {
				t.Errorf("variants %d and %d: %v", i, j, r)
			}
			if r := different[i].Resemblance(different[j]); r > NearDuplicate/2 {
				t.Errorf("different %d and %d: %v", i, j, r)
			}
		}
	}
}

// A copy in which a few lines were rewritten is a near-duplicate if it plays as before, and none if it plays otherwise.
func TestRewrittenCopies(t *testing.T) {
	plays, others := []string{"0 0 1", "0 1", "0 -1"}, []string{"0 1", "0 0", "1"}
	for i, source := range readSources(t, "different") {
		lines := strings.Split(source, "\n")
		at := len(lines) / 2
		rewritten := strings.Join(slices.Insert(lines, at, "", "        spare = [w for w in range(9) if w % 2]"), "\n")
		p := PrintOf(source, plays)
		if r := p.Resemblance(PrintOf(rewritten, plays)); r < NearDuplicate {
			t.Errorf("environment %d and its copy: %v", i, r)
		}
		if r := p.Resemblance(PrintOf(rewritten, others)); r >= NearDuplicate {
			t.Errorf("environment %d and a copy that plays otherwise: %v", i, r)
		}
	}
}

func printsOf(sources []string) []Print {
	var prints []Print
	for _, source := range sources {
		prints = append(prints, PrintOf(source, nil))
	}
	return prints
}
