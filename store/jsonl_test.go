package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRepairJSONL(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"empty":             {"", ""},
		"whole":             {"{\"a\":1}\n{}\n", "{\"a\":1}\n{}\n"},
		"torn":              {"{\"a\":1}\n{\"a\":", "{\"a\":1}\n"},
		"torn in a rune":    {"{\"a\":1}\n{\"a\":\"\xc3", "{\"a\":1}\n"},
		"only torn":         {"{\"a\":", ""},
		"only a number":     {"{}\n12", "{}\n"},
		"lacks its end":     {"{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n"},
		"alone, no end":     {"{}", "{}\n"},
		"zeros of the disk": {"{\"a\":1}\n\x00\x00\x00\x00", "{\"a\":1}\n"},
		"torn twice":        {"{\"a\":1}\n{\"b\n{\"c", "{\"a\":1}\n"},
		"earlier lines":     {"not ours\n{\"a\":1}\n{", "not ours\n{\"a\":1}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lines.jsonl")
			if err := os.WriteFile(path, []byte(test.before), 0o644); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				size, err := RepairJSONL(path)
				data, _ := os.ReadFile(path)
				if err != nil || string(data) != test.after || size != int64(len(data)) {
					t.Errorf("got %q, size %d, %v, want %q", data, size, err, test.after)
				}
			}
		})
	}
	if size, err := RepairJSONL(filepath.Join(t.TempDir(), "missing")); size != 0 || err != nil {
		t.Errorf("a missing file: %d, %v", size, err)
	}
}

// TestTornTailCase repairs a file that was reported to lose two records to one torn tail, and appends to it.
func TestTornTailCase(t *testing.T) {
	var want struct {
		Append   map[string]any
		Expected struct {
			Done        []string
			AfterAppend string `json:"after_append"`
		}
	}
	text, err := os.ReadFile("testdata/torn-tail.expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	input, err := os.ReadFile("testdata/torn-tail.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, input, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := RepairJSONL(path); err != nil {
		t.Fatal(err)
	}
	if got := recordsIn(t, readText(t, path)); len(got) != 2 || got[0]["episode"] != want.Expected.Done[0] || got[1]["episode"] != want.Expected.Done[1] {
		t.Errorf("after the repair: %v", got)
	}
	line, err := json.Marshal(want.Append)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	got, expected := recordsIn(t, readText(t, path)), recordsIn(t, want.Expected.AfterAppend)
	if len(got) != len(expected) {
		t.Fatalf("%d lines, want %d", len(got), len(expected))
	}
	for i := range expected {
		if got[i]["episode"] != expected[i]["episode"] || got[i]["reward"] != expected[i]["reward"] {
			t.Errorf("line %d: %v, want %v", i+1, got[i], expected[i])
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// recordsIn parses every line of text as one JSON object.
func recordsIn(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, record)
	}
	return list
}
