package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestCases reads the cases of reported failures: what Explain gives holds what is expected.
func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*-server-*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c struct {
				Kind     string
				Now      string
				Expected any
			}
			decode(t, filepath.Join(dir, "expected.json"), &c)
			input, err := filepath.Glob(filepath.Join(dir, "input.*"))
			if err != nil || len(input) != 1 || c.Kind != "server_reply" {
				t.Fatal(dir, "holds no case", err)
			}
			data, err := os.ReadFile(input[0])
			if err != nil {
				t.Fatal(err)
			}
			request, err := os.ReadFile(filepath.Join(dir, "request.json"))
			if err != nil {
				request = nil
			}
			now := time.Unix(0, 0)
			if c.Now != "" {
				if now, err = time.Parse(time.RFC1123, c.Now); err != nil {
					t.Fatal(err)
				}
			}
			check(t, data, request, now, c.Expected)
			if request != nil { // most of it can be told without the request
				check(t, data, nil, now, c.Expected)
			}
		})
	}
}

func check(t *testing.T, data, request []byte, now time.Time, want any) {
	t.Helper()
	explained, err := Explain(data, request, now)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "", throughJSON(t, explained), want)
}

// notes are the keys of a case that say why, not what.
var caseNotes = map[string]bool{"note": true, "also": true}

// holds compares what is expected, member by member.
func holds(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for key, value := range want {
			if !caseNotes[key] {
				holds(t, at+"."+key, object[key], value)
			}
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			t.Errorf("%s: got %v, want %v", at, got, want)
			return
		}
		for i := range want {
			holds(t, at+"[]", list[i], want[i])
		}
	default:
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
	}
}

func throughJSON(t *testing.T, x any) (v any) {
	t.Helper()
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func decode(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}
