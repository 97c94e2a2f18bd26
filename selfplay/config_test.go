package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"spade"
	"spade/admit"
)

func TestParseArm(t *testing.T) {
	for text, want := range map[string]Arm{
		"spade": {Name: "spade"}, "fixed": {Name: "fixed", Pool: 96}, "fixed:8": {Name: "fixed", Pool: 8},
		"ladder": {Name: "ladder", From: 1, To: 16}, "ladder:3-3": {Name: "ladder", From: 3, To: 3},
		"no-corpus": {Name: "no-corpus"}, "no-memory": {Name: "no-memory"}, "frozen-designer": {Name: "frozen-designer"},
		"regret-only": {Name: "regret-only"}, "solve-rate": {Name: "solve-rate"},
		"learning-potential": {Name: "learning-potential"}, "two-skill": {Name: "two-skill"},
	} {
		if got, err := ParseArm(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "Spade", "spade:3", "fixed:", "fixed:0", "fixed:-1", "fixed:1.5", "fixed:8:8", "nonesuch", "no-corpus:1",
		"ladder:", "ladder:5", "ladder:0-4", "ladder:4-3", "ladder:1-26", "ladder:1-2-3"} {
		got, err := ParseArm(text)
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	var e *spade.Error
	if _, err := ParseArm("nonesuch"); errors.As(err, &e) {
		for _, name := range ArmNames() {
			if !strings.Contains(e.Next, name) {
				t.Errorf("%q does not name %s", e.Next, name)
			}
		}
	}
}

// TestResolve: what each arm sets, and that it sets nothing else.
func TestResolve(t *testing.T) {
	start := Default()
	start.Negatives, start.Reward.FrontierWeight, start.Reward.MicroLPWeight = 1, 0.1, 0.2
	signal := func(plateau, regret, potential float64) map[string]any {
		return map[string]any{"reward.plateau_weight": plateau, "reward.regret_weight": regret, "reward.potential_weight": potential,
			"reward.micro_lp_weight": 0.0, "reward.frontier_weight": 0.0, "reward.regret_target": 0.0}
	}
	want := map[string]map[string]any{
		"spade": {}, "fixed": {}, "fixed:8": {}, "ladder": {}, "ladder:1-8": {},
		"no-corpus":       {"corpus": "none"},
		"no-memory":       {"positives": 0.0, "negatives": 0.0, "replays": 0.0},
		"frozen-designer": {"learn.designer_weight": 0.0},
		"regret-only":     signal(0, 1, 0), "solve-rate": signal(1, 0, 0), "learning-potential": signal(0, 0, 1),
		"two-skill": {"skills": []any{start.Skills[0], start.Skills[1]}, "only_skills": true},
	}
	for arm, changes := range want {
		before := start
		before.Arm = arm
		after, err := before.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		expected := flat(t, before)
		for key, value := range changes {
			expected[key] = value
		}
		if got := flat(t, after); !reflect.DeepEqual(got, expected) {
			t.Errorf("%s: %v, want %v", arm, got, expected)
		}
		if again, _ := after.Resolve(); !reflect.DeepEqual(again, after) {
			t.Errorf("%s is not resolved by resolving it", arm)
		}
	}
	for _, name := range ArmNames() {
		if _, tested := want[name]; !tested {
			t.Errorf("arm %s is not tested", name)
		}
	}
}

// flat is a configuration as one map from dotted keys to values.
func flat(t *testing.T, c Config) map[string]any {
	t.Helper()
	var nested map[string]any
	if err := json.Unmarshal([]byte(asJSON(t, c)), &nested); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for key, value := range m {
			if inner, ok := value.(map[string]any); ok {
				walk(prefix+key+".", inner)
				continue
			}
			out[prefix+key] = value
		}
	}
	walk("", nested)
	return out
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Config){
		`there is no arm "x"`: func(c *Config) { c.Arm = "x" },
		"cycles is -1":        func(c *Config) { c.Cycles = -1 },
		"environments is 0":   func(c *Config) { c.Environments = 0 },
		"plays is 0":          func(c *Config) { c.Plays, c.HintedPlays = 0, 0 },
		"hinted_plays is 13: it must lie in [0, 12]": func(c *Config) { c.HintedPlays = 13 },
		"hinted_plays is -1":                         func(c *Config) { c.HintedPlays = -1 },
		"regenerate_every is 0":                      func(c *Config) { c.RegenerateEvery = 0 },
		"replays is -1":                              func(c *Config) { c.Replays = -1 },
		"positives is -1":                            func(c *Config) { c.Positives = -1 },
		"negatives is 101":                           func(c *Config) { c.Negatives = 101 },
		`arm is "fixed:641": with environments: 16 a pool holds at most 640`: func(c *Config) { c.Arm = "fixed:641" },
		"eval_every is -1":       func(c *Config) { c.EvalEvery = -1 },
		`isolation is "none"`:    func(c *Config) { c.Isolation = "none" },
		`suite is "mechanics"`:   func(c *Config) { c.Suite = "mechanics" },
		"skills is empty":        func(c *Config) { c.Skills = nil },
		"design.max_tokens is 0": func(c *Config) { c.Design.MaxTokens = 0 },
		"play.max_turns is 0":    func(c *Config) { c.Play.MaxTurns = 0 },
		"min_overlap":            func(c *Config) { c.Admit.MinOverlap = -1 },
		"regret_scale":           func(c *Config) { c.Reward.RegretScale = 0 },
		"learning_rate":          func(c *Config) { c.Learn.LearningRate = math.NaN() },
	} {
		c := Default()
		change(&c)
		err := c.Validate()
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestClaims asks for slots from the last to the first: each waits for those before it.
func TestClaims(t *testing.T) {
	known := map[string]string{admit.Fingerprint(source(9)): "remembered"}
	c := newClaims(known, nil, 5)
	sources := []string{source(1), source(2), "# again\n" + source(1), "", source(9)}
	type answer struct {
		slot  int
		index admit.Index
		err   error
	}
	answers := make(chan answer)
	ask := func(slot int) {
		go func() {
			index, err := c.claim(t.Context(), slot, sources[slot])
			answers <- answer{slot, index, err}
		}()
	}
	ask(4)
	ask(2)
	ask(1)
	c.pass(3)
	select {
	case a := <-answers:
		t.Fatalf("slot %d did not wait for slot 0", a.slot)
	case <-time.After(50 * time.Millisecond):
	}
	ask(0)
	want := map[int]string{0: "", 1: "", 2: spade.ContentID(source(1)), 4: "remembered"}
	for range want {
		a := <-answers
		if a.err != nil {
			t.Fatal(a.err)
		}
		id, seen := a.index.Seen(admit.Fingerprint(sources[a.slot]))
		if id != want[a.slot] || seen != (id != "") {
			t.Errorf("slot %d: seen %v as %q, want %q", a.slot, seen, id, want[a.slot])
		}
		if id, seen := a.index.Seen("another"); seen {
			t.Errorf("slot %d: another source is taken by %q", a.slot, id)
		}
	}
	// A repair is judged like a first answer, and moves nobody's claim.
	index, err := c.claim(t.Context(), 1, source(1))
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := index.Seen(admit.Fingerprint(source(1))); id != spade.ContentID(source(1)) {
		t.Errorf("the repair of slot 1 is seen as %q", id)
	}
	c.pass(0) // too late to matter
}

func TestClaimsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newClaims(nil, nil, 2)
	cancel()
	if _, err := c.claim(ctx, 1, source(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCountScores(t *testing.T) {
	var s spade.CycleStats
	countScores(&s, []spade.Score{
		{Plays: 2, HintedPlays: 2, WinRate: 0.5, HintedWinRate: 1, Regret: 0.5, Anchor: 1},
		{Plays: 2, WinRate: 0.15, Anchor: 0},                                                   // no hint, not in the band
		{Plays: 2, HintedPlays: 2, WinRate: 0, HintedWinRate: 0, Regret: 0},                    // hopeless
		{Plays: 0, HintedPlays: 2, HintedWinRate: 1},                                           // nothing counted
		{Plays: 2, HintedPlays: 2, WinRate: 1, HintedWinRate: 1, Regret: 1, Replay: true},      // from memory
		{Plays: 2, HintedPlays: 1, WinRate: 0.85, HintedWinRate: 0.5, Regret: -0.5, Anchor: 0}, // not in the band
	})
	want := spade.CycleStats{WinRate: 0.375, HintedWinRate: 0.5, Regret: 0, Anchor: 0.25, InBand: 0.25}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
	var none spade.CycleStats
	countScores(&none, nil)
	if !reflect.DeepEqual(none, spade.CycleStats{}) {
		t.Errorf("of nothing: %+v", none)
	}
}

func TestCountEpisodes(t *testing.T) {
	turn := func(mask ...bool) spade.Turn { return spade.Turn{Mask: mask} }
	var s spade.CycleStats
	countEpisodes(&s, []spade.Episode{
		{Arm: spade.Unhinted, Stop: spade.StopTerminated, Turns: []spade.Turn{turn(false, true), turn(true, true)}},
		{Arm: spade.Unhinted, Stop: spade.StopContext, Turns: []spade.Turn{turn(true)}},
		{Arm: spade.Unhinted, Stop: spade.StopEnvironment, Turns: []spade.Turn{turn(true), turn(true), turn(true)}},
		{Arm: spade.Hinted, Stop: spade.StopTruncated, Turns: []spade.Turn{turn(false), turn(true)}},
	})
	if want := (spade.CycleStats{SampledTokens: 8, Faults: 1, Turns: 1.5}); !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
}

func TestKeepRecent(t *testing.T) {
	st := &state{}
	for i := range 100 {
		st.keepRecent([]string{source(i)})
	}
	if len(st.Recent) != recentKept || st.Recent[0] != source(40) || st.Recent[recentKept-1] != source(99) {
		t.Errorf("%d sources are kept", len(st.Recent))
	}
}
