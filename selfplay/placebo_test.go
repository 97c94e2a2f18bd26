package selfplay

import (
	"strings"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/policytest"
	"spade/reward"
)

// TestPlacebo: with a share of 1 every environment is also played with a hint that memory holds of another, on the
// seeds of its own, and what that gains is taken from the designer's regret.
func TestPlacebo(t *testing.T) {
	hints := []string{"say it again", "repeat the number", "echo what you read", "the same once more"}
	m := newModel(func(draw int, _ []spade.Message) string {
		return "```python\n" + source(draw) + "```\n<hint>" + hints[draw%4] + "</hint>"
	})
	cfg := small(3)
	cfg.PlaceboShare = 1
	r, _ := runLoop(t, cfg, m)
	for _, c := range r.cycles[1:] {
		placebos, wins := 0, 0
		seeds := map[int]map[int64]bool{}
		for _, e := range c.Episodes {
			switch {
			case e.Arm == spade.Hinted:
				if seeds[e.Slot] == nil {
					seeds[e.Slot] = map[int64]bool{}
				}
				seeds[e.Slot][e.Seed] = true
			case e.Arm == spade.Placebo:
				placebos++
				if own := c.Environments[e.Slot].Hint; e.Hint == own || e.Hint == "" || !seeds[e.Slot][e.Seed] {
					t.Errorf("cycle %d, slot %d: placebo %q beside the hint %q on seed %d", c.Number, e.Slot, e.Hint, own, e.Seed)
				}
				if e.Won() {
					wins++
				}
			}
		}
		if c.Number == 1 { // memory holds nothing yet
			if placebos != 0 || c.Stats.Placebos != 0 {
				t.Errorf("cycle 1 has %d placebo plays, stats %+v", placebos, c.Stats)
			}
			continue
		}
		// The agent of these tests wins with any hint: all of the regret is explained.
		if placebos != 12 || wins != 12 || c.Stats.Placebos != 4 || c.Stats.RegretExplained != 1 {
			t.Errorf("cycle %d: %d placebo plays, %d won, stats %+v", c.Number, placebos, wins, c.Stats)
		}
		for slot, d := range c.Designs {
			score := c.Scores[slot]
			if want := cfg.Reward.PlateauWeight * score.Anchor; d.Raw != want {
				t.Errorf("cycle %d, slot %d: raw %g, want the anchor's part %g; regret %g", c.Number, slot, d.Raw, want, score.Regret)
			}
			if warned := strings.Contains(asJSON(t, d.Verdict.Warnings), "any_hint"); warned != (score.Regret > 0) {
				t.Errorf("cycle %d, slot %d: regret %g, warnings %+v", c.Number, slot, score.Regret, d.Verdict.Warnings)
			}
		}
	}
	again, _ := runLoop(t, cfg, newModel(func(draw int, _ []spade.Message) string {
		return "```python\n" + source(draw) + "```\n<hint>" + hints[draw%4] + "</hint>"
	}))
	if asJSON(t, again.cycles) != asJSON(t, r.cycles) {
		t.Error("two runs with placebos differ")
	}
}

// The share is a share: of many slots about so many are sampled, and none without a hint of its own or at a share of 0.
func TestPlaceboShare(t *testing.T) {
	l := &Loop{Config: small(1)}
	s := &slot{force: &inForce{Env: spade.Environment{Hint: "own hint", Skill: "a"}}, others: []spade.Remembered{
		{Hint: "own hint", Skill: "b"}, {Hint: "", Skill: "b"}, {Hint: "the like", Skill: "a"}, {Hint: "a much longer hint than that", Skill: "b"},
	}}
	count := func(share float64) (n int) {
		l.Config.PlaceboShare = share
		for s.number = range 1000 {
			switch l.placebo(1, s) {
			case "":
			case "a much longer hint than that": // the only one of another skill
				n++
			default:
				t.Fatal("a hint of the same skill was drawn")
			}
		}
		return n
	}
	if none, some, all := count(0), count(0.2), count(1); none != 0 || some < 150 || some > 250 || all != 1000 {
		t.Errorf("%d, %d and %d of 1000 slots at shares of 0, 0.2 and 1", none, some, all)
	}
	s.others = s.others[:3]
	l.Config.PlaceboShare = 1
	if got := l.placebo(1, s); got != "the like" {
		t.Errorf("%q where only the same skill has another hint", got)
	}
	s.replay = true
	if got := l.placebo(1, s); got != "" {
		t.Errorf("%q for a replay", got)
	}
}

// secretive is an environment that is won by a password that only the hint tells.
const secretive = `import random
class VaultEnv:
    def reset(self, seed=None):
        self.n, self.left = random.Random(seed).randrange(10**6), 3
        return f"A vault with number {self.n} wants a password", {}
    def solution(self):
        return "quince"
    def step(self, action):
        self.left -= 1
        if action == "\\boxed{quince}":
            return "It opens", 1.0, True, False, {}
        return "It stays shut", 0.0, self.left == 0, False, {}
`

// TestSecret: regret that rests on what only the hint tells is recorded, explained and earns nothing.
func TestSecret(t *testing.T) {
	m := newModel(nil)
	m.Sampler = policytest.NewScript(func(_ policy.Spec, messages []spade.Message) string {
		if messages[len(messages)-1].Name == spade.NameHint {
			return `\boxed{quince}`
		}
		return `\boxed{apple}`
	})
	cfg := small(1)
	cfg.Plays, cfg.HintedPlays = 4, 2
	l, _ := newLoop(t, cfg, m)
	if _, err := l.begin(nil); err != nil {
		t.Fatal(err)
	}
	env := spade.NewEnvironment(secretive)
	env.Kind, env.Hint = spade.Game, "The password is quince."
	s := &slot{force: &inForce{Env: env, Playable: true, Design: &spade.Design{First: spade.Verdict{Admit: true}, Verdict: spade.Verdict{Admit: true}}}}
	if err := l.play(t.Context(), s, l.tasks(1, s)); err != nil {
		t.Fatal(err)
	}
	slots := []*slot{s}
	findSecrets(slots)
	if s.secret != "quince" {
		t.Fatalf("secret %q", s.secret)
	}
	st := &state{Baseline: reward.Baseline{}}
	scores := l.score(st, slots)
	var stats spade.CycleStats
	countExplained(&stats, slots, scores)
	l.collect(st, slots)
	l.earn(st)
	d := st.Window[0].Design
	if scores[0].Regret != 1 || scores[0].Raw != 0 || d.Raw != 0 || stats.Secrets != 1 {
		t.Errorf("score %+v, raw %g, stats %+v", scores[0], d.Raw, stats)
	}
	if w := asJSON(t, d.Verdict.Warnings); !strings.Contains(w, `"withheld_secret"`) || !strings.Contains(w, "quince") {
		t.Errorf("warnings %s", w)
	}
}

// TestBlindWinEndsSecret: a secret of an early cycle of a window does not stand once blind play wins without it.
func TestBlindWinEndsSecret(t *testing.T) {
	episode := func(arm spade.Arm, said string, won bool) spade.Episode {
		e := spade.Episode{Arm: arm, Stop: spade.StopTerminated, Turns: []spade.Turn{{Observation: "guess", Action: said}}}
		if arm == spade.Hinted {
			e.Hint = "The password is quince."
		}
		if won {
			e.Return = 1
		}
		return e
	}
	hinted := episode(spade.Hinted, "quince", true)
	s := &slot{force: &inForce{}, episodes: []spade.Episode{episode(spade.Unhinted, "apple", false), hinted}}
	findSecrets([]*slot{s})
	if s.force.secret() != "quince" {
		t.Fatalf("secrets %q", s.force.Secrets)
	}
	s.episodes = []spade.Episode{episode(spade.Unhinted, "pear", true), hinted}
	if findSecrets([]*slot{s}); s.force.secret() != "" {
		t.Errorf("secrets %q", s.force.Secrets)
	}
}

// TestWindowSecret: one cycle in which the hinted arm won otherwise is enough.
func TestWindowSecret(t *testing.T) {
	for _, test := range []struct {
		found []string
		want  string
	}{{nil, ""}, {[]string{"quince", "quince"}, "quince"}, {[]string{"quince", ""}, ""}} {
		if got := (&inForce{Secrets: test.found}).secret(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.found, got, test.want)
		}
	}
}
