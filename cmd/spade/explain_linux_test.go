package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// explain runs spade explain in this process and returns the object that it prints.
func explain(t *testing.T, args ...string) (v any) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(append([]string{"explain"}, args...), strings.NewReader(""), &stdout, &stderr); status != exitDone {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return v
}

// aCase is one reported failure with what is expected instead.
type aCase struct {
	dir          string
	Kind         string  `json:"kind"`
	Input        string  `json:"input"`
	FinishReason string  `json:"finish_reason"`
	Tolerance    float64 `json:"tolerance"`
	Expected     any     `json:"expected"`
}

func (c aCase) file() string { return filepath.Join(c.dir, c.Input) }

// cases reads the cases of another package that lie in folders that match pattern.
func cases(t *testing.T, pattern string) []aCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern, "expected.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s", pattern)
	}
	all := make([]aCase, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &all[i]); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[i].dir = filepath.Dir(file)
	}
	return all
}

// holds reports whether got is want: numbers within a tolerance, and of objects the fields that want has.
func holds(got, want any, tolerance float64) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, field := range w {
			ok = ok && holds(g[key], field, tolerance)
		}
		return ok
	case []any:
		g, ok := got.([]any)
		ok = ok && len(g) == len(w)
		for i := 0; ok && i < len(w); i++ {
			ok = holds(g[i], w[i], tolerance)
		}
		return ok
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(g-w) <= tolerance
	}
	return reflect.DeepEqual(got, want)
}

func TestExplainReply(t *testing.T) {
	kinds := map[string]string{
		"action_boxed": "boxed", "answer_equal": "answer", "tool_calls": "tool_calls", "code_extract": "code",
	}
	for _, c := range cases(t, "../../reply/testdata/*") {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			got := explain(t, "reply", c.file(), "--kind", kinds[c.Kind], "--finish-reason", c.FinishReason)
			if c.Kind == "code_extract" { // compared without the end of the text
				trimCode(got)
				trimCode(c.Expected)
			}
			if !holds(got, c.Expected, 0) {
				t.Errorf("got %v, want %v", got, c.Expected)
			}
		})
	}
}

func trimCode(v any) {
	if fields, ok := v.(map[string]any); ok {
		if code, ok := fields["code"].(string); ok {
			fields["code"] = strings.TrimRight(code, " \n")
		}
	}
}

func TestExplainCorpus(t *testing.T) {
	for _, c := range cases(t, "../../corpus/testdata/*") {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			if got := explain(t, "corpus", c.file(), "--json"); !holds(got, c.Expected, 0) {
				t.Errorf("got %v, want %v", got, c.Expected)
			}
		})
	}
}

func TestExplainAdvantages(t *testing.T) {
	all := append(cases(t, "../../reward/testdata/cases/*"), cases(t, "../../learn/testdata/*")...)
	for _, c := range all {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			if got := explain(t, "advantages", c.file()); !holds(got, c.Expected, c.Tolerance) {
				t.Errorf("got %v, want %v", got, c.Expected)
			}
		})
	}
}

// TestExplainReward takes the derived fields out of the published rewards and has them filled in again.
func TestExplainReward(t *testing.T) {
	data, err := os.ReadFile("../../reward/testdata/reward_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Blends []map[string]any `json:"designer_blend"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.Blends) == 0 {
		t.Fatal("no vectors", err)
	}
	derived := []string{"regret", "win_rate", "plateau", "micro_lp", "raw", "masked", "reward"}
	for i, want := range vectors.Blends {
		environments := []map[string]any{}
		for _, e := range want["environments"].([]any) {
			given := maps.Clone(e.(map[string]any))
			for _, key := range derived {
				delete(given, key)
			}
			environments = append(environments, given)
		}
		input, err := json.Marshal(map[string]any{"config": want["config"], "environments": environments})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "input.json")
		if err := os.WriteFile(file, input, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := explain(t, "reward", file); !holds(got, want, 1e-9) {
			t.Errorf("vector %d: got %v\nwant %v", i, got, want)
		}
	}
}

func TestExplainBadInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(file, []byte(`{"groups": [`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"reply", "nowhere.txt"}, {"reply", file, "--kind", "answer"}, {"reward", file}, {"reward", "nowhere.json"},
		{"advantages", file}, {"advantages", "nowhere.json"}, {"corpus", "nowhere.jsonl"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"explain"}, args...), strings.NewReader(""), &stdout, &stderr)
		if status != exitUsage || stdout.Len() > 0 {
			t.Errorf("explain %v: status %d, %s", args, status, stdout.String())
		}
		if named := args[1]; !strings.Contains(stderr.String(), named) || !strings.Contains(stderr.String(), "\nnext: ") {
			t.Errorf("explain %v: %q names no file or no next step", args, stderr.String())
		}
	}
}

// TestExplainServer reads what servers sent in reported failures.
func TestExplainServer(t *testing.T) {
	inputs, err := filepath.Glob("../../policy/openai/testdata/*-server-*/input.*")
	if err != nil || len(inputs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, input := range inputs {
		if got := explain(t, "reply", input, "--kind", "server", "--json"); got == nil {
			t.Errorf("%s: nothing is said", input)
		}
	}
}
