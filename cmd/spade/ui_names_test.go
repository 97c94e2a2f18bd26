package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRunNames: every run that a dashboard shows can be told from the others, however alike their folders are called.
func TestRunNames(t *testing.T) {
	for _, test := range []struct{ dirs, want []string }{
		{[]string{"/x/a/seed1"}, []string{"seed1"}},
		{[]string{"/x/a/seed1", "/x/b/seed2"}, []string{"seed1", "seed2"}},
		{[]string{"/x/a/seed1", "/x/b/seed1", "/x/b/seed2"}, []string{"a/seed1", "b/seed1", "seed2"}},
		{[]string{"/x/a/runs/r", "/x/b/runs/r", "/x/c/r"}, []string{"a/runs/r", "b/runs/r", "c/r"}},
		{[]string{"/r", "/x/r"}, []string{"/r", "x/r"}},
		{[]string{"/x/r", "/x/y/../r/"}, []string{"r", "r"}}, // one run
	} {
		if got := uiNames(test.dirs); !slices.Equal(got, test.want) {
			t.Errorf("%v are called %v, want %v", test.dirs, got, test.want)
		}
	}
}

// TestRunsBeside: the runs in the folder of the first one are offered once each, also where others bear their names.
func TestRunsBeside(t *testing.T) {
	root := t.TempDir()
	for _, run := range []string{"a/seed1", "a/seed2", "a/seed3", "b/seed1", "b/seed2"} {
		for _, name := range []string{"config.yaml", "spade.db"} {
			path := filepath.Join(root, run, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var names []string
	for _, n := range neighbours([]string{filepath.Join(root, "a/seed1"), filepath.Join(root, "b/seed1"), filepath.Join(root, "b/seed2")}) {
		names = append(names, n.Name)
	}
	if want := []string{"a/seed2", "seed3"}; !slices.Equal(names, want) {
		t.Errorf("beside a/seed1 there are %v, want %v", names, want)
	}
}
