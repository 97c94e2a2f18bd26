package library

import (
	"reflect"
	"testing"
)

// TestTuning: the families of the held-out suite in their numbers, and neither an environment nor a seed of it.
func TestTuning(t *testing.T) {
	count := func(suite []SuiteItem) map[string]int {
		families := map[string]int{}
		for _, item := range suite {
			families[item.Family]++
		}
		return families
	}
	reported, tuning := HeldOut(), Tuning()
	want := count(reported)
	delete(want, FamilyForeign)
	if got := count(tuning); !reflect.DeepEqual(got, want) {
		t.Errorf("families %v, want %v", got, want)
	}
	sources, seeds := map[string]bool{}, map[int64]bool{}
	for _, item := range reported {
		sources[item.Source] = true
		for _, seed := range item.Seeds {
			seeds[seed] = true
		}
	}
	for _, item := range tuning {
		if sources[item.Source] {
			t.Errorf("%s is in both suites", item.ID)
		}
		for _, seed := range item.Seeds {
			if seeds[seed] {
				t.Errorf("seed %d is in both suites", seed)
			}
		}
	}
	if !reflect.DeepEqual(tuning, Tuning()) {
		t.Error("it is another suite every time")
	}
}
