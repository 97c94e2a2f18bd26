package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
	"spade/selfplay"
)

// TestConfigIsRecordedWhole writes the defaults and reads them back without the help of defaults.
func TestConfigIsRecordedWhole(t *testing.T) {
	want := selfplay.Default()
	data, err := encodeConfig(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeConfig("config.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	for _, key := range configKeys(reflect.TypeFor[selfplay.Config]()) {
		if !strings.Contains("\n"+string(data), "\n"+key+":") && !strings.Contains(string(data), " "+key+":") {
			t.Errorf("%s is not recorded", key)
		}
	}
	for _, unset := range []string{" 0s\n", "memory: 0\n", "observation: 0\n"} {
		if strings.Contains(string(data), unset) {
			t.Errorf("a limit of the sandbox is left to later defaults: %q", unset)
		}
	}
}

func TestEmptyConfigIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "\n \n", "# nothing\n", "{}\n"} {
		got, err := decodeConfig("empty.yaml", []byte(text))
		if err != nil || !reflect.DeepEqual(got, selfplay.Default()) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestOptionsGoOverTheFile: what the command line does not say, the file decides.
func TestOptionsGoOverTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.yaml")
	text := "seed: 3\ncycles: 4\narm: fixed:5\npolicy: local:x\ncorpus: y\nisolation: degraded\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, _, err := (&runCommand{Config: file}).open()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := selfplay.Default() // paths are absolute, so that a run can be resumed from anywhere
	want.Seed, want.Cycles, want.Arm, want.Isolation = 3, 4, "fixed:5", "degraded"
	want.Policy, want.Corpus = "local:"+filepath.Join(here, "x"), filepath.Join(here, "y")
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v\nwant %+v", cfg, want)
	}
	seed, cycles, arm, policy, corpus := uint64(0), 0, "spade", "local", "builtin"
	over := &runCommand{Config: file, Seed: &seed, Cycles: &cycles, Arm: &arm, Policy: &policy, Corpus: &corpus, Sandbox: "full"}
	if cfg, _, err = over.open(); err != nil {
		t.Fatal(err)
	}
	want = selfplay.Default()
	want.Seed, want.Cycles = 0, 0
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v\nwant %+v", cfg, want)
	}
}

// TestBrokenConfigs never panics and always blames the user. What a person reads is tested by the scripts.
func TestBrokenConfigs(t *testing.T) {
	for _, text := range []string{
		"[", "plays", "plays: [1]", "- plays: 1", "reward: 3", "skills: 3", "plays: 1e99", "seed: -1", "play: {temperature: .nan}",
		"learn: {learning_rate: .inf}", "a: &a [*a]", "\x00", "sandbox: {step: fast}", "skills: []", "plays: 1.5",
	} {
		_, err := decodeConfig("broken.yaml", []byte(text))
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"plays", "hinted_plays", "replays", "cycles"}
	for word, want := range map[string]string{
		"plys": "plays", "play": "plays", "hintedplays": "hinted_plays", "cycle": "cycles", "PLAYS": "", "qqqqqqqq": "", "": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}} {
		if got := editDistance(c.a, c.b); got != c.want || editDistance(c.b, c.a) != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 5, ""}, {[]float64{1}, 0, ""}, {[]float64{0, 0.5, 1}, 5, "▁▅█"}, {[]float64{-3, 9}, 5, "▁█"},
		{[]float64{0, 0, 1, 1}, 2, "▁█"}, {[]float64{0, 1, 0, 1, 0, 1}, 3, "▅▅▅"}, {[]float64{0, 0, 1}, 2, "▁▅"},
	} {
		if got := sparkline(c.values, 0, 1, c.width); got != c.want {
			t.Errorf("sparkline(%v, %d) = %q, want %q", c.values, c.width, got, c.want)
		}
	}
	if got := bar(2, 3) + bar(0.5, 4) + bar(-1, 2); got != "█████░░░░" {
		t.Errorf("bars %q", got)
	}
}

func TestRefusals(t *testing.T) {
	if got := refusals(map[string]int{"syntax": 2, "hang": 2, "contract": 5}); got != "contract 5, hang 2, syntax 2" {
		t.Errorf("got %q", got)
	}
	if got := refusals(nil); got != "" {
		t.Errorf("got %q", got)
	}
}
