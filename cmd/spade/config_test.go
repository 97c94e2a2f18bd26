package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
	"spade/selfplay"
	"spade/serve/trainer"
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
	for _, path := range keyPaths(reflect.TypeFor[selfplay.Config](), "") {
		key := path[strings.LastIndexByte(path, '.')+1:]
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

// TestRangesNameTheLine: a value that makes no sense is found by file, line and key.
func TestRangesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"seed: 3\ncycles: -1\n":                                      "configuration run.yaml, line 2: cycles is -1: ",
		"isolation: none":                                            `configuration run.yaml, line 1: isolation is "none": `,
		"seed: 1\nsuite: held-out":                                   `configuration run.yaml, line 2: suite is "held-out": `,
		"play:\n  top_p: 1\n  max_turns: 0\n":                        "configuration run.yaml, line 3: play.max_turns is 0: ",
		"\nreward:\n  regret_scale: 0\n":                             "configuration run.yaml, line 3: reward.regret_scale must be above 0",
		"reward: {centring: none}":                                   "configuration run.yaml, line 1: reward.centring must be ",
		"# all\nlearn:\n  loss:\n    truncation: 0\n    clip_low: 1": "configuration run.yaml, line 5: learn.loss.clip_low must be below 1",
		"seed: 1\nlearn: {learning_rate: 2}":                         "configuration run.yaml, line 2: learn.learning_rate must be at most 1",
		"sandbox:\n  step: 1us":                                      "configuration run.yaml, line 2: sandbox.step is 1µs: ",
		"admit:\n  min_overlap: -2":                                  "configuration run.yaml, line 2: admit.min_overlap is -2: ",
		"seed: 1\nrace:\n  candidates: 3":                            "configuration run.yaml, line 3: race.candidates is 3: ",
		// What is left out has a default, which need not go with what is there.
		"seed: 1\nplays: 3": "configuration run.yaml, line 2: the default of hinted_plays does not go with this plays: hinted_plays is 6: ",
	} {
		if _, err := decodeConfig("run.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s…", text, err, want)
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
		"<<: {plays: 3}", "learn: &l {<<: *l}", "learn: &l {loss: *l}", "plays: *none", "? plays\n: 3", "plays: !!int 3", "1: 2",
	} {
		_, err := decodeConfig("broken.yaml", []byte(text))
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestConfigShape: a value of the wrong form names its line and key, what belongs there, and what was found.
func TestConfigShape(t *testing.T) {
	for text, want := range map[string]string{
		"cycles: 1.5":                    "line 1: cycles must be a whole number, found 1.5; write for example cycles: 160",
		"seed: 2\ncycles: 1.0":           "line 2: cycles must be a whole number, found 1.0; ",
		"cycles: ten":                    `line 1: cycles must be a whole number, found the text "ten"; `,
		"cycles: 1e3":                    `line 1: cycles must be a whole number, found the text "1e3"; `,
		"cycles: 99999999999999999999":   "line 1: cycles must be a whole number, found ",
		"cycles:":                        "line 1: cycles must be a whole number, found nothing; ",
		"cycles: [3]":                    "line 1: cycles must be a whole number, found a list; ",
		"cycles: true":                   "line 1: cycles must be a whole number, found true; ",
		"cycles: &n 1.5\nplays: *n":      "line 1: cycles must be a whole number, found 1.5; ",
		"seed: -1":                       "line 1: seed must be a whole number from 0, found -1; write for example seed: 1",
		"arm: 3":                         "line 1: arm must be text, found 3; write for example arm: spade",
		"skills: sum":                    `line 1: skills must be a list, found the text "sum"; write for example skills: [table, `,
		"skills:\n- sum\n- [3]":          "line 3: skills[1] must be text, found a list; ",
		"learn: 3":                       "line 1: learn must hold keys with values, found 3; write one key a line, as in: learn: {learning_rate: 0.0003}",
		"learn:\n  learning_rate: fast":  `line 2: learn.learning_rate must be a number, found the text "fast"; write for example learning_rate: 0.0003`,
		"learn: {loss: {clip_low: [1]}}": "line 1: learn.loss.clip_low must be a number, found a list; ",
		"sandbox: {step: 2}":             "line 1: sandbox.step must be a duration with its unit, found 2; write for example step: 2s",
		"- a":                            "line 1: a configuration must hold keys with values, found a list; write one key a line, as in: seed: 1",
		"plays: 3\n---\nplays: 4":        "line 3: a second document begins here; keep one document in a file: ",
		"plays: 3\n# \xff":               "line 2: this is no UTF-8 text; ",
		"hinted-plays: 3":                `line 1: there is no key "hinted-plays"; did you mean "hinted_plays"?`,
		"learning_rate: 1e-3":            `line 1: there is no key "learning_rate"; it belongs elsewhere: "learning_rate" under "learn"`,
		"learn: {cycles: 3}":             `line 1: there is no key "cycles" under learn; it belongs elsewhere: "cycles" at the left margin`,
		"learn: {zzzzzzzz: 3}":           `line 1: there is no key "zzzzzzzz" under learn; leave it out; the keys here are learning_rate, `,
	} {
		_, err := decodeConfig("my run.yaml", []byte(text))
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%v; %s", err, e.Next); !strings.HasPrefix(got, "configuration 'my run.yaml', "+want) {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestConfigForms: what says the same in another way gives the same configuration.
func TestConfigForms(t *testing.T) {
	want := selfplay.Default()
	want.Plays, want.HintedPlays, want.Learn.LearningRate = 8, 8, 1e-3
	for _, text := range []string{
		"plays: 8\nhinted_plays: 8\nlearn: {learning_rate: 1e-3}", "\ufeffplays: 8\r\nhinted_plays: 8\r\nlearn:\r\n  learning_rate: 0.001\r\n",
		"---\nplays: &n 8\nhinted_plays: *n\nlearn: {learning_rate: .001}\n...\n", "%YAML 1.2\n---\nplays: 8\nhinted_plays: 0x8\nlearn: {learning_rate: 1.0e-3}\n",
		"{plays: 8, hinted_plays: +8, learn: {learning_rate: '0.001'}}\n---\n# nothing\n",
		"plays: 8\nhinted_plays: 8\nreward:\nplay: # as it is\n  # temperature: 1\nlearn:\n  loss:\n  learning_rate: 1e-3\n",
	} {
		got, err := decodeConfig("run.yaml", []byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v\n got %+v\nwant %+v", text, err, got, want)
		}
	}
}

// TestTrainersWithoutReference: who trains elsewhere knows no distance to a reference, so no default asks for one.
func TestTrainersWithoutReference(t *testing.T) {
	for policy, held := range map[string]bool{
		"local": true, "local:checkpoints/cycle-00007": true,
		"tinker:http://localhost:8000": false, "tinker:http://localhost:8000#" + trainer.BaseModel: false, "openai:http://localhost:8000#m": false,
	} {
		if cfg := defaultsFor(roles{Policy: policy}); cfg.Learn.DesignerKL > 0 != held || cfg.Learn.AgentKL != 0 || cfg.Learn.DesignerWeight == 0 {
			t.Errorf("%s: %+v", policy, cfg.Learn)
		}
	}
}

// FuzzConfig: whatever stands in the file, it is read or the user is told; what is read is recorded as it was read.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"cycles: 3", "learn: {loss: {clip_low: 1e-1}}", "skills: [a, b]", "sandbox:\n  step: 3s", "a: &a [*a]", "plays: &p 3\nreplays: *p"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := decodeConfig("fuzz.yaml", data)
		if e := (*spade.Error)(nil); err != nil {
			if !errors.As(err, &e) || e.Next == "" {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		recorded, err := encodeConfig(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := decodeConfig("config.yaml", recorded); err != nil || !reflect.DeepEqual(again, cfg) {
			t.Fatalf("%q is recorded as %s, which reads %+v (%v)", data, recorded, again, err)
		}
	})
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
