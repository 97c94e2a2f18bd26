package diversity

import (
	"fmt"
	"math"
	"testing"
)

// TestProject checks that distances in the plane are bounded by unlikeness, that copies fall together, and that what
// has nothing in common is kept apart.
func TestProject(t *testing.T) {
	var items []Item
	for kind := range 3 {
		for copied := range 6 {
			source := fmt.Sprintf("class A:\n def reset(s, seed=None):\n  return 'theme %d'\n", copied)
			for line := range 8 {
				source += fmt.Sprintf(" def f%d(s, x):\n  return %s\n", line,
					[]string{"[y for y in x if y]", "x if x > 3 else max(x, 9) - 1", "{a: b for a, b in zip(x, x[1:])}"}[kind])
			}
			items = append(items, Item{Source: source})
		}
	}
	points := Project(items)
	distance := func(a, b int) float64 {
		return math.Hypot(points[a][0]-points[b][0], points[a][1]-points[b][1])
	}
	profiles, _ := profilesOf(items)
	for a := range items {
		for b := range items {
			if bound := math.Sqrt(max(0, 2*(1-profiles[a].dot(profiles[b])))); distance(a, b) > bound+1e-6 {
				t.Errorf("%d and %d are %.3f apart, at most %.3f was expected", a, b, distance(a, b), bound)
			}
			if same := a/6 == b/6; same == (distance(a, b) > 0.3) {
				t.Errorf("%d and %d are %.3f apart, of the same kind: %v", a, b, distance(a, b), same)
			}
		}
	}
	again := Project(items)
	for i := range points {
		if points[i] != again[i] {
			t.Fatalf("the projection changed from %v to %v", points[i], again[i])
		}
	}
}

func TestProjectOfFew(t *testing.T) {
	for _, items := range [][]Item{nil, {{Source: "a"}}, {{Source: "a"}, {Source: "a"}}, {{Source: ""}, {Source: "b = 1"}, {Source: ""}}} {
		for _, p := range Project(items) {
			if math.IsNaN(p[0]) || math.IsNaN(p[1]) || math.Hypot(p[0], p[1]) > 1 {
				t.Errorf("%d items: %v", len(items), p)
			}
		}
	}
}
