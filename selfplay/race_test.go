package selfplay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"spade"
	"spade/reward"
)

// raced is a small run with a race of ten candidates for three places.
func raced(cycles int) Config {
	cfg := small(cycles)
	cfg.Environments, cfg.Race = 3, Race{Candidates: 10, Plays: 2}
	return cfg
}

// TestRace: who is played to the end, and what becomes of the others.
func TestRace(t *testing.T) {
	m := newModel(func(draw int, messages []spade.Message) string {
		if draw%10 == 4 {
			return "nothing"
		}
		return numbered(draw, messages)
	})
	r, _ := runLoop(t, raced(3), m)
	for _, c := range r.cycles[1:] {
		type candidate struct {
			env      spade.Environment
			expected float64
			episodes int
		}
		var all []candidate
		for _, env := range c.Environments {
			var first []spade.Episode
			k := candidate{env: env}
			for _, e := range c.Episodes {
				if e.EnvID != env.ID {
					continue
				}
				k.episodes++
				if e.Arm == spade.Unhinted && e.Index < 2 {
					first = append(first, e)
				}
			}
			k.expected = expectedAnchor(first)
			if len(first) != 2 {
				t.Errorf("cycle %d: candidate %d has %d plays", c.Number, env.Slot, len(first))
			}
			all = append(all, k)
		}
		if len(c.Designs) != 10 || len(all) != 9 || len(c.Scores) != 3 || c.Stats.Designed != 10 || c.Stats.Admitted != 9 {
			t.Fatalf("cycle %d: %d designs, %d candidates, %d scores", c.Number, len(c.Designs), len(all), len(c.Scores))
		}
		slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.expected, a.expected) })
		for place, k := range all {
			want := 9
			if place >= 3 {
				want = 2
			}
			scored := slices.ContainsFunc(c.Scores, func(s spade.Score) bool { return s.EnvID == k.env.ID && s.Plays == 6 })
			if k.episodes != want || scored != (place < 3) {
				t.Errorf("cycle %d, place %d, slot %d: %d episodes, scored %v", c.Number, place+1, k.env.Slot, k.episodes, scored)
			}
		}
		for i, d := range c.Designs {
			if d.Slot != i || (i == 4) == d.Verdict.Admit {
				t.Errorf("cycle %d, design %d is of slot %d and admitted: %v", c.Number, i, d.Slot, d.Verdict.Admit)
			}
			var own []spade.Episode
			for _, e := range c.Episodes {
				if e.EnvID == d.EnvID {
					own = append(own, e)
				}
			}
			if score, _ := reward.Score(reward.Default(), spade.Environment{}, own, false); d.Raw != score.Raw {
				t.Errorf("cycle %d, design %d: raw %g, its plays say %g", c.Number, i, d.Raw, score.Raw)
			}
		}
	}
	if n := roles(m.batches[0])[spade.Designer]; n < 4 {
		t.Errorf("%d designs are trained on", n)
	}
	var st state
	decode(t, r.cycles[3].State, &st)
	if n := len(st.Memory.All()); n != 9 || len(st.Recent) != 9 {
		t.Errorf("%d environments are remembered and %d recent, of 9 that were played to the end", n, len(st.Recent))
	}
}

// TestRaceResumes: losers stay out for the rest of a window, also after a pause.
func TestRaceResumes(t *testing.T) {
	cfg := raced(4)
	cfg.RegenerateEvery, cfg.Replays = 2, 1
	whole, _ := runLoop(t, cfg, newModel(numbered))
	for _, c := range whole.cycles[1:] {
		fresh := 0
		for _, s := range c.Scores {
			if !s.Replay {
				fresh++
			}
		}
		if fresh != 3 {
			t.Errorf("cycle %d scores %d environments", c.Number, fresh)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	loop, r := newLoop(t, cfg, newModel(numbered))
	loop.OnCycle = func(c spade.Cycle) {
		if c.Number == 1 {
			cancel()
		}
	}
	if _, err := loop.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	last := r.cycles[len(r.cycles)-1]
	again, second := newLoop(t, cfg, newModel(numbered))
	if err := again.Policy.(*model).Restore(t.Context(), r.checkpoint(last.Number)); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Run(t.Context(), last.State); err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, append(r.cycles, second.cycles...)), asJSON(t, whole.cycles); a != b {
		t.Error("the resumed run differs")
	}
}

func TestRaceConfig(t *testing.T) {
	for want, race := range map[string]Race{
		"race.candidates is 3":  {Candidates: 3, Plays: 2},
		"race.candidates is -1": {Candidates: -1},
		"race.plays is 0":       {Candidates: 4},
		"race.plays is 7":       {Candidates: 4, Plays: 7},
	} {
		cfg := small(1)
		cfg.Race = race
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", race, err)
		}
	}
}
