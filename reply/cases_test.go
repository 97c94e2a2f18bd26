package reply

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestCases reads the cases of reported failures: the value that Explain gives, as JSON, holds what is expected.
func TestCases(t *testing.T) {
	kinds := map[string]string{
		"action_boxed": "boxed", "answer_equal": "answer", "tool_calls": "tool_calls", "code_extract": "code",
	}
	dirs, err := filepath.Glob("testdata/*-parse-*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c struct {
				Kind, Input string
				Finish      string `json:"finish_reason"`
				Expected    any
				NormalText  *string `json:"normal_text"`
			}
			decodeFile(t, filepath.Join(dir, "expected.json"), &c)
			input, err := os.ReadFile(filepath.Join(dir, c.Input))
			if err != nil {
				t.Fatal(err)
			}
			got := explained(t, kinds[c.Kind], string(input), c.Finish)
			if c.NormalText != nil {
				text := got.(map[string]any)["normal_text"].(string)
				if !reflect.DeepEqual(strings.Fields(text), strings.Fields(*c.NormalText)) {
					t.Errorf("normal text %q, want %q", text, *c.NormalText)
				}
			}
			wantSubset(t, got, c.Expected)
		})
	}
}

func decodeFile(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// explained returns what Explain gives, through JSON.
func explained(t *testing.T, kind, text, finish string) (v any) {
	t.Helper()
	x, err := Explain(kind, text, finish)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// wantSubset compares the expected fields; whether code compiles is for others to say.
func wantSubset(t *testing.T, got, want any) {
	t.Helper()
	fields, isObject := want.(map[string]any)
	if !isObject {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
		return
	}
	for name, w := range fields {
		g := got.(map[string]any)[name]
		if name == "compiles" {
			continue
		}
		if code, isText := w.(string); isText && name == "code" {
			w, g = strings.TrimRight(code, " \n"), strings.TrimRight(g.(string), " \n")
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s: got %v\nwant %v", name, g, w)
		}
	}
}

func TestExplainErrors(t *testing.T) {
	for _, c := range [][2]string{{"box", `\boxed{1}`}, {"answer", `[["1"`}, {"answer", `{"a": 1}`}} {
		if v, err := Explain(c[0], c[1], ""); err == nil {
			t.Errorf("Explain(%q, %q) = %v", c[0], c[1], v)
		}
	}
	if got := explained(t, "boxed", "none", ""); !reflect.DeepEqual(got, map[string]any{"boxed": nil, "normalized": nil}) {
		t.Errorf("no box: %v", got)
	}
	if got := explained(t, "code", "none", ""); !reflect.DeepEqual(got, map[string]any{"code": nil}) {
		t.Errorf("no code: %v", got)
	}
}
