package diversity

import (
	"errors"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	sources := readSources(t, "different")
	var known []Known
	for i, source := range sources {
		known = append(known, NewKnown(string(rune('A'+i)), source))
	}
	edited := strings.Replace(sources[2], "\n        ", "\n        spare = 1\n        ", 1)
	plays := map[string][]string{edited: {"1", "2", "3"}, sources[2]: {"1", "2", "3"}, sources[0]: {"1", "2", "3"}}
	asked := 0
	behaviour := func(source string) ([]string, error) { asked++; return plays[source], nil }
	if k, r, err := Nearest(edited, known, behaviour); k.ID != "C" || r < NearDuplicate || r >= 1 || err != nil || asked != 2 {
		t.Errorf("%s, %v, %v after %d questions", k.ID, r, err, asked)
	}
	plays[edited] = []string{"4", "5", "3"}
	if k, _, _ := Nearest(edited, known, behaviour); k.ID != "" {
		t.Errorf("one that plays otherwise is near %s", k.ID)
	}
	plays[edited] = nil
	if k, _, _ := Nearest(edited, known, behaviour); k.ID != "" {
		t.Errorf("one that was not seen to play is near %s", k.ID)
	}
	broken := errors.New("broken")
	if _, _, err := Nearest(edited, known, func(string) ([]string, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
