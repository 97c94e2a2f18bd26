package local

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spade"
)

func TestSizes(t *testing.T) {
	for _, name := range Sizes() {
		c, err := ConfigOfSize(1536, name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewModel(c, spade.Stream(1, 0, 0, name))
		if err != nil {
			t.Fatal(err)
		}
		millions, err := strconv.ParseFloat(strings.TrimSuffix(name, "M"), 64)
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(m.Parameters())/1e6/millions - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s has %d parameters", name, m.Parameters())
		}
	}
	if c, err := ConfigOfSize(700, ""); err != nil || c != DefaultConfig(700) {
		t.Errorf("the shipped size: %+v, %v", c, err)
	}
	if _, err := ConfigOfSize(700, "2M"); err == nil || !strings.Contains(err.Error(), "0.3M, 1M, 3M") {
		t.Errorf("an unknown size: %v", err)
	}
}

func TestBySize(t *testing.T) {
	sizes := []string{"3M", "", "1M", "0.3M"}
	slices.SortFunc(sizes, BySize)
	if want := []string{"0.3M", "", "1M", "3M"}; !slices.Equal(sizes, want) {
		t.Errorf("%q, want %q", sizes, want)
	}
}
