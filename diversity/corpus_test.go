package diversity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/library"
)

// readSources reads the committed environments of a folder, in the order of their names.
func readSources(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(source))
	}
	return sources
}

// generated are n environments as the embedded model learns to write them.
func generated(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i].Source = library.Sample(spade.Stream(7, 0, i, "vendi"), library.Options{}).Source
	}
	return items
}

// assemble makes n sources out of the lines of the committed environments: each is an edited copy of one of bases
// drafts. It stands for pools that are larger than what can be committed.
func assemble(t testing.TB, n, bases, edits int) []Item {
	t.Helper()
	var lines []string
	for _, source := range readSources(t, "different") {
		lines = append(lines, strings.Split(strings.TrimSpace(source), "\n")...)
	}
	r := spade.Stream(1, n, bases, "assemble")
	drafts := make([][]string, bases)
	for i := range drafts {
		for length := 12 + r.IntN(30); len(drafts[i]) < length; {
			at := r.IntN(len(lines))
			drafts[i] = append(drafts[i], lines[at:min(at+1+r.IntN(4), len(lines))]...)
		}
	}
	items := make([]Item, n)
	for i := range items {
		own := append([]string(nil), drafts[r.IntN(bases)]...)
		for range r.IntN(edits + 1) {
			own[r.IntN(len(own))] = lines[r.IntN(len(lines))]
		}
		items[i].Source = strings.Join(own, "\n")
	}
	return items
}
