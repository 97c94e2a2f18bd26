package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"spade"
	"spade/admit"
	"spade/memory"
	"spade/policy"
	"spade/reward"
	"spade/sandbox"
)

// TestCycle looks at everything that two cycles commit.
func TestCycle(t *testing.T) {
	m := newModel(numbered)
	r, summary := runLoop(t, small(2), m)
	for _, c := range r.cycles[1:] {
		if len(c.Passages) != 4 || len(c.Designs) != 4 || len(c.Environments) != 4 || len(c.Scores) != 4 {
			t.Fatalf("cycle %d: %d passages, %d designs, %d environments, %d scores", c.Number, len(c.Passages),
				len(c.Designs), len(c.Environments), len(c.Scores))
		}
		for slot, d := range c.Designs {
			draw := 4*(c.Number-1) + slot
			skill := []string{"first", "second"}[draw%2]
			if draw%3 == 2 {
				skill = "named"
			}
			env, passage := c.Environments[slot], c.Passages[slot]
			if passage.Text != fmt.Sprint("passage ", draw) || d.PassageID != passage.ID || d.Skill != skill {
				t.Errorf("cycle %d, slot %d: passage %q, skill %s, want %s", c.Number, slot, passage.Text, d.Skill, skill)
			}
			if d.Cycle != c.Number || d.Slot != slot || !d.Verdict.Admit || !d.First.Admit || d.EnvID != env.ID {
				t.Errorf("cycle %d, slot %d: design %+v", c.Number, slot, d)
			}
			want := spade.NewEnvironment(source(draw))
			want.Class, want.Kind, want.Skill, want.Hint = "CopyEnv", spade.Game, skill, "say it again"
			want.PassageID, want.Cycle, want.Slot = passage.ID, c.Number, slot
			if env != want {
				t.Errorf("cycle %d, slot %d: environment %+v, want %+v", c.Number, slot, env, want)
			}
			checkScore(t, c, slot)
		}
		checkEpisodes(t, c)
		checkStats(t, c)
	}
	for i, batch := range m.batches {
		if n := roles(batch); n[spade.Agent] == 0 || n[spade.Designer] == 0 {
			t.Errorf("step %d trains on %v", i+1, n)
		}
	}
	checkSummary(t, r, summary)
}

// checkEpisodes: six blind and three hinted plays of each environment, on common seeds.
func checkEpisodes(t *testing.T, c spade.Cycle) {
	t.Helper()
	seeds := map[int64]bool{}
	for slot := range 4 {
		blind, hinted := c.Episodes[9*slot:9*slot+6], c.Episodes[9*slot+6:9*slot+9]
		for i, e := range blind {
			if e.Arm != spade.Unhinted || e.Index != i || e.Slot != slot || e.Cycle != c.Number || e.Hint != "" || e.EnvID != c.Environments[slot].ID {
				t.Errorf("cycle %d, slot %d, play %d is %s %d of slot %d", c.Number, slot, i, e.Arm, e.Index, e.Slot)
			}
			seeds[e.Seed] = true
		}
		for i, e := range hinted {
			if e.Arm != spade.Hinted || e.Index != i || e.Seed != blind[i].Seed || e.Hint != "say it again" || !e.Won() {
				t.Errorf("cycle %d, slot %d, hinted play %d is %s %d on seed %d with hint %q and return %g", c.Number, slot, i,
					e.Arm, e.Index, e.Seed, e.Hint, e.Return)
			}
		}
	}
	if len(c.Episodes) != 36 || len(seeds) != 24 {
		t.Errorf("cycle %d: %d episodes on %d seeds", c.Number, len(c.Episodes), len(seeds))
	}
}

// checkScore computes a score again from the episodes.
func checkScore(t *testing.T, c spade.Cycle, slot int) {
	t.Helper()
	score, d := c.Scores[slot], c.Designs[slot]
	wins := 0
	for _, e := range c.Episodes {
		if e.Slot == slot && e.Arm == spade.Unhinted && e.Won() {
			wins++
		}
	}
	if score.Plays != 6 || score.HintedPlays != 3 || score.WinRate != float64(wins)/6 || score.HintedWinRate != 1 || score.Replay {
		t.Errorf("cycle %d, slot %d: %d wins, score %+v", c.Number, slot, wins, score)
	}
	if score.Anchor != reward.Anchor(score.WinRate) || d.Raw != score.Raw || d.Masked {
		t.Errorf("cycle %d, slot %d: anchor %g, raw %g and %g", c.Number, slot, score.Anchor, score.Raw, d.Raw)
	}
	if d.Reward != score.Reward {
		t.Errorf("cycle %d, slot %d: the designer earned %g, its environment's score says %g", c.Number, slot, d.Reward, score.Reward)
	}
}

func checkStats(t *testing.T, c spade.Cycle) {
	t.Helper()
	var want spade.CycleStats
	for _, s := range c.Scores {
		want.WinRate += s.WinRate / 4
		want.HintedWinRate += s.HintedWinRate / 4
		want.Regret += s.Regret / 4
		want.Anchor += s.Anchor / 4
		want.DesignerReward += s.Raw / 4
	}
	for _, e := range c.Episodes {
		if e.Seed < 0 || e.Seed >= spade.TrainingSeeds {
			t.Errorf("cycle %d plays on seed %d, which is kept for held-out suites", c.Number, e.Seed)
		}
		if e.Arm == spade.Unhinted {
			want.Turns += float64(len(e.Turns)) / 24
		}
	}
	got := c.Stats
	for _, pair := range [][2]float64{
		{got.WinRate, want.WinRate}, {got.HintedWinRate, want.HintedWinRate}, {got.Regret, want.Regret},
		{got.Anchor, want.Anchor}, {got.DesignerReward, want.DesignerReward}, {got.Turns, want.Turns},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("cycle %d: stats %+v, want %+v", c.Number, got, want)
		}
	}
	if got.Designed != 4 || got.Admitted != 4 || len(got.Refused) != 0 || got.Episodes != 36 || got.Faults != 0 {
		t.Errorf("cycle %d: stats %+v", c.Number, got)
	}
	if got.Train["loss"] == 0 || got.SampledTokens == 0 || got.TrainedTokens == 0 || got.Vendi <= 0 || got.Vendi > 1 || got.HeldOut != nil {
		t.Errorf("cycle %d: stats %+v", c.Number, got)
	}
}

func checkSummary(t *testing.T, r *recorder, summary Summary) {
	t.Helper()
	if !summary.Done || summary.Cycles != 2 || summary.HeldOut.Episodes != 4 || summary.HeldOutAfter != summary.HeldOut.WinRate {
		t.Errorf("summary %+v", summary)
	}
	if before := r.cycles[0].Stats.HeldOut; before == nil || *before != summary.HeldOutBefore {
		t.Errorf("held-out before: %v and %g", before, summary.HeldOutBefore)
	}
	if got := asJSON(t, summary); string(r.summary) != got {
		t.Errorf("recorded %s, returned %s", r.summary, got)
	}
}

// TestResume stops a run after its second cycle, in another process so to speak, and goes on from what was
// committed: the rest is what it would have been. Windows of three cycles and replays may be open at that moment.
func TestResume(t *testing.T) {
	for every, stops := range map[int][]int{1: {0, 3}, 3: {1, 2, 3}} {
		cfg := small(5)
		cfg.RegenerateEvery, cfg.Replays, cfg.EvalEvery, cfg.Reward.PotentialWeight = every, 1, 2, 1
		whole, want := runLoop(t, cfg, newModel(numbered))
		for _, stop := range stops {
			ctx, cancel := context.WithCancel(t.Context())
			loop, r := newLoop(t, cfg, newModel(numbered))
			loop.OnCycle = func(c spade.Cycle) {
				if c.Number == stop {
					cancel()
				}
			}
			if _, err := loop.Run(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Fatalf("an interrupted run: %v", err)
			}
			last := r.cycles[len(r.cycles)-1]
			if last.Number < stop || r.summary != nil {
				t.Fatalf("the last cycle is %d, summary %s", last.Number, r.summary)
			}
			again, second := newLoop(t, cfg, newModel(numbered))
			if err := again.Policy.(*model).Restore(t.Context(), r.checkpoint(last.Number)); err != nil {
				t.Fatal(err)
			}
			got, err := again.Run(t.Context(), last.State)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := asJSON(t, append(r.cycles, second.cycles...)), asJSON(t, whole.cycles); a != b {
				t.Errorf("windows of %d, stopped after cycle %d: the cycles differ", every, last.Number)
			}
			if a, b := asJSON(t, got), asJSON(t, want); a != b {
				t.Errorf("windows of %d, stopped after cycle %d: %s, want %s", every, last.Number, a, b)
			}
		}
	}
}

// TestHeldOutOnce: no state of the weights is measured twice in one go, whatever eval_every is.
func TestHeldOutOnce(t *testing.T) {
	for _, c := range []struct{ cycles, every int }{{0, 0}, {2, 0}, {2, 1}, {3, 2}} {
		cfg := small(c.cycles)
		cfg.EvalEvery = c.every
		loop, r := newLoop(t, cfg, newModel(numbered))
		seen := map[int]int{}
		loop.OnProgress = func(p Progress) {
			if p.Phase == "held-out" {
				seen[p.Cycle]++
			}
		}
		summary, err := loop.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if seen[0] != 1 || seen[c.cycles] != 1 {
			t.Errorf("%+v: measurements after cycles %v", c, seen)
		}
		last := r.cycles[len(r.cycles)-1]
		if rate := last.Stats.HeldOut; (rate != nil) != (c.every == 1 || c.cycles == 0) || rate != nil && *rate != summary.HeldOutAfter {
			t.Errorf("%+v: the last cycle says %v, the summary %v", c, rate, summary.HeldOutAfter)
		}
	}
}

// TestOriginOfARun: a run goes on with the corpus, and the weights, that it began with.
func TestOriginOfARun(t *testing.T) {
	for what, set := range map[string]func(*Loop, string){
		"corpus":  func(l *Loop, id string) { l.CorpusID = id },
		"weights": func(l *Loop, id string) { l.WeightsID = id },
	} {
		loop, r := newLoop(t, small(1), newModel(numbered))
		set(loop, "as it was")
		if _, err := loop.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		last := r.cycles[len(r.cycles)-1]
		for id, same := range map[string]bool{"as it was": true, "": true, "another": false} {
			again, _ := newLoop(t, small(1), newModel(numbered))
			set(again, id)
			_, err := again.Run(t.Context(), last.State)
			var e *spade.Error
			if same && err != nil || !same && (!errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "") {
				t.Errorf("%s: %q: %v", what, id, err)
			}
		}
	}
}

// TestWindow keeps a set of environments for three cycles: its designers hear of it once, with all its plays.
func TestWindow(t *testing.T) {
	cfg := small(6)
	cfg.RegenerateEvery = 3
	m := newModel(numbered)
	r, _ := runLoop(t, cfg, m)
	plays := map[string][]spade.Episode{}
	for _, c := range r.cycles[1:] {
		over, begins := c.Number%3 == 0, c.Number%3 == 1
		if got := roles(m.batches[c.Number-1])[spade.Designer] > 0; got != over {
			t.Errorf("cycle %d trains the designer: %v", c.Number, got)
		}
		if (len(c.Designs) == 4) != over || (len(c.Environments) == 4) != begins || len(c.Episodes) != 36 {
			t.Errorf("cycle %d: %d designs, %d environments, %d episodes", c.Number, len(c.Designs), len(c.Environments), len(c.Episodes))
		}
		if (c.Stats.Designed == 4) != begins {
			t.Errorf("cycle %d: stats say %d designs", c.Number, c.Stats.Designed)
		}
		for _, e := range c.Episodes {
			plays[e.EnvID] = append(plays[e.EnvID], e)
		}
		mean := 0.0
		for _, d := range c.Designs {
			if d.Cycle != c.Number-2 {
				t.Errorf("cycle %d rewards a design of cycle %d", c.Number, d.Cycle)
			}
			score, _ := reward.Score(cfg.Reward, spade.Environment{ID: d.EnvID, Skill: d.Skill}, plays[d.EnvID], false)
			if score.Plays != 18 || d.Raw != score.Raw {
				t.Errorf("cycle %d, slot %d: raw %g, want %g from %d plays", c.Number, d.Slot, d.Raw, score.Raw, score.Plays)
			}
			mean += d.Raw / 4
		}
		if math.Abs(c.Stats.DesignerReward-mean) > 1e-12 {
			t.Errorf("cycle %d: stats give designers %g, they earned %g", c.Number, c.Stats.DesignerReward, mean)
		}
	}
	seeds := map[int64]bool{}
	for _, e := range plays[r.cycles[1].Environments[0].ID] {
		if e.Arm == spade.Unhinted {
			seeds[e.Seed] = true
		}
	}
	if len(seeds) != 18 {
		t.Errorf("an environment was played on %d seeds in three cycles", len(seeds))
	}
}

// TestRefused: what is refused is recorded with its reason, earns nothing and is not played.
func TestRefused(t *testing.T) {
	m := newModel(func(draw int, _ []spade.Message) string {
		switch draw {
		case 0:
			return "I cannot."
		case 1:
			return written("class BrokenEnv(:\n")
		case 2:
			return written("class StuckEnv:\n def reset(self, seed=None):\n  while True: pass\n def step(self, action):\n  return '', 0.0, True, False, {}\n")
		}
		return written(source(draw))
	})
	hasty, err := sandbox.Open(t.Context(), sandbox.Config{Limits: sandbox.Limits{Reset: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	loop, r := newLoop(t, small(1), m)
	loop.Sandbox, loop.Admission = hasty, admit.New(hasty, admit.Config{MaxTurns: 25})
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c := r.cycles[1]
	if len(c.Environments) != 1 || len(c.Scores) != 1 || len(c.Episodes) != 9 || c.Episodes[0].Slot != 3 {
		t.Errorf("%d environments, %d scores, %d episodes", len(c.Environments), len(c.Scores), len(c.Episodes))
	}
	codes := []spade.Code{spade.Syntax, spade.Syntax, spade.Hang}
	for slot, code := range codes {
		d := c.Designs[slot]
		if d.Verdict.Admit || !d.Verdict.Has(code) || (d.EnvID == "") != (slot == 0) {
			t.Errorf("slot %d: verdict %+v, environment %q", slot, d.Verdict, d.EnvID)
		}
		if want := map[bool]float64{true: reward.HangRaw}[code == spade.Hang]; d.Raw != want {
			t.Errorf("slot %d: raw %g, want %g", slot, d.Raw, want)
		}
	}
	want := map[string]int{"no_source": 1, "syntax": 1, "hang": 1}
	if got := c.Stats; asJSON(t, got.Refused) != asJSON(t, want) || got.Designed != 4 || got.Admitted != 1 {
		t.Errorf("stats %+v", got)
	}
	if n := roles(m.batches[0])[spade.Designer]; n == 0 {
		t.Error("nothing was learnt from refusals")
	}
}

// TestRepair: a repaired environment is played, and its designer is trained on the answer that was refused.
func TestRepair(t *testing.T) {
	cfg := small(1)
	cfg.Environments, cfg.Design.Repairs = 2, 2
	broken := written("class BrokenEnv(:\n")
	m := newModel(func(draw int, messages []spade.Message) string {
		if last := messages[len(messages)-1]; draw == 0 && strings.Contains(last.Content, "syntax: ") {
			return written(source(0))
		}
		return broken
	})
	r, _ := runLoop(t, cfg, m)
	c := r.cycles[1]
	d := c.Designs[0]
	if d.First.Admit || !d.Verdict.Admit || d.Reply != broken || d.Raw != 0 || len(d.Repairs) != 1 {
		t.Errorf("repaired: %+v", d)
	}
	if len(d.Repairs) == 1 && (d.Repairs[0].Reply != written(source(0)) || !strings.HasPrefix(d.Repairs[0].Fault, "syntax: ")) {
		t.Errorf("the repair was %+v", d.Repairs[0])
	}
	if len(c.Environments) != 1 || c.Environments[0].Source != source(0) || len(c.Episodes) != 9 {
		t.Errorf("environments %+v, %d episodes", c.Environments, len(c.Episodes))
	}
	if d := c.Designs[1]; len(d.Repairs) != 2 || d.Verdict.Admit {
		t.Errorf("not repaired: %+v", d)
	}
	var sampled []byte
	for i, token := range d.Trajectory.Tokens {
		if d.Trajectory.Mask[i] {
			sampled = append(sampled, byte(token))
		}
	}
	if string(sampled) != broken {
		t.Errorf("the trajectory is that of %q", sampled)
	}
}

// TestDuplicates: of equal sources in one cycle the one in the earliest slot enters, however slow its designer
// is; what memory holds does not enter again.
func TestDuplicates(t *testing.T) {
	m := newModel(func(draw int, _ []spade.Message) string {
		switch draw {
		case 1:
			time.Sleep(200 * time.Millisecond) // slots 2 and 3 are faster
			return written(source(0))
		case 2:
			return written("# the same\n" + source(0))
		}
		return written(source(draw % 4))
	})
	r, _ := runLoop(t, small(2), m)
	first, second := r.cycles[1], r.cycles[2]
	admitted := func(c spade.Cycle) (slots []int) {
		for _, d := range c.Designs {
			if d.Verdict.Admit {
				slots = append(slots, d.Slot)
			} else if !d.Verdict.Has(spade.Duplicate) {
				t.Errorf("cycle %d, slot %d: %+v", c.Number, d.Slot, d.Verdict)
			}
		}
		return slots
	}
	if got := admitted(first); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("cycle 1 admits the slots %v", got)
	}
	if got := admitted(second); !slices.Equal(got, []int{1, 2}) { // their environments are new
		t.Errorf("cycle 2 admits the slots %v", got)
	}
	for _, score := range first.Scores { // the refused ones have the same environment, and earned something else
		for _, d := range first.Designs {
			if d.Verdict.Admit && d.EnvID == score.EnvID && (score.Reward != d.Reward || score.Raw != d.Raw) {
				t.Errorf("slot %d earned %g, %g, its score says %g, %g", d.Slot, d.Raw, d.Reward, score.Raw, score.Reward)
			}
		}
	}
}

// TestReplays plays what memory holds again, to measure it, and rewards nobody for it.
func TestReplays(t *testing.T) {
	cfg := small(4)
	cfg.Replays = 2
	m := newModel(numbered)
	m.version = 1000 // always right: everything is mastered
	r, _ := runLoop(t, cfg, m)
	for _, c := range r.cycles[1:] {
		replays := 0
		for _, s := range c.Scores {
			if s.Replay {
				replays++
				if s.Reward != 0 || slices.ContainsFunc(c.Environments, func(e spade.Environment) bool { return e.ID == s.EnvID }) {
					t.Errorf("cycle %d: %+v", c.Number, s)
				}
			}
		}
		want := map[int]int{1: 0, 2: 0, 3: 2, 4: 2}[c.Number] // what was measured last is not played again at once
		if replays != want || len(c.Episodes) != (4+want)*9 || len(c.Designs) != 4 || c.Stats.Designed != 4 {
			t.Errorf("cycle %d: %d replays, %d episodes, %d designs", c.Number, replays, len(c.Episodes), len(c.Designs))
		}
	}
	var st struct{ Memory memory.Memory }
	if err := json.Unmarshal(r.cycles[4].State, &st); err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, e := range st.Memory.All() {
		if e.Plays == 12 {
			again++
		}
	}
	if len(st.Memory.All()) != 16 || again != 4 {
		t.Errorf("%d environments are remembered, %d of them were played twice", len(st.Memory.All()), again)
	}
}

// TestExamples shows the designer what memory holds, and records what was shown.
func TestExamples(t *testing.T) {
	cfg := small(2)
	cfg.Positives, cfg.Negatives = 1, 1
	r, _ := runLoop(t, cfg, newModel(numbered))
	if d := r.cycles[1].Designs[0]; len(d.Examples) != 0 || len(d.Prompt) != 1 {
		t.Errorf("the first cycle shows %v", d.Examples)
	}
	shown := 0
	for _, d := range r.cycles[2].Designs {
		shown += len(d.Examples)
		if len(d.Prompt) != len(d.Examples)+1 || d.Prompt[len(d.Prompt)-1].Name != spade.NamePassage {
			t.Errorf("slot %d: %d examples, prompt %+v", d.Slot, len(d.Examples), d.Prompt)
		}
	}
	if shown == 0 {
		t.Error("the second cycle shows no example")
	}
}

// TestFixed plays a frozen pool: its environments were made before the first cycle, and no designer learns.
func TestFixed(t *testing.T) {
	cfg := small(3)
	cfg.Arm = "fixed:5"
	m := newModel(numbered)
	r, _ := runLoop(t, cfg, m)
	pool := map[string]bool{}
	for _, e := range r.cycles[0].Environments {
		pool[e.ID] = true
		if e.Cycle != 0 {
			t.Errorf("an environment of the pool says cycle %d", e.Cycle)
		}
	}
	if len(pool) != 5 {
		t.Fatalf("the pool holds %d environments", len(pool))
	}
	checkPoolRecord(t, r.cycles[0])
	chosen := map[string]bool{}
	for _, c := range r.cycles[1:] {
		if len(c.Designs) != 0 || len(c.Environments) != 0 || len(c.Scores) != 4 || len(c.Episodes) != 36 {
			t.Errorf("cycle %d: %d designs, %d environments, %d scores", c.Number, len(c.Designs), len(c.Environments), len(c.Scores))
		}
		ids := ""
		for _, s := range c.Scores {
			ids += s.EnvID
			if !pool[s.EnvID] {
				t.Errorf("cycle %d plays %s, which is not in the pool", c.Number, s.EnvID)
			}
		}
		chosen[ids] = true
		if n := roles(m.batches[c.Number-1]); n[spade.Designer] != 0 || n[spade.Agent] == 0 {
			t.Errorf("cycle %d trains on %v", c.Number, n)
		}
	}
	if len(chosen) == 1 {
		t.Error("every cycle plays the same part of the pool")
	}
}

// checkPoolRecord: every environment of a pool has its passage and its design, none of which trains.
func checkPoolRecord(t *testing.T, c spade.Cycle) {
	t.Helper()
	passages, designs, slots := map[string]bool{}, map[string]int{}, map[int]bool{}
	for _, p := range c.Passages {
		passages[p.ID] = true
	}
	for i, d := range c.Designs {
		designs[d.EnvID] = d.Slot
		if slots[d.Slot] || d.Cycle != 0 || !d.Masked || d.Earned() {
			t.Errorf("design %d of the pool: %+v", i, d)
		}
		slots[d.Slot] = true
	}
	for _, e := range c.Environments {
		if slot, known := designs[e.ID]; !passages[e.PassageID] || !known || slot != e.Slot {
			t.Errorf("environment %s of slot %d: passage %v, design %v of slot %d", e.ID, e.Slot, passages[e.PassageID], known, slot)
		}
	}
}

// TestFixedPoolKeepsRefusals: what the pool's designer wrote in vain is on record too, with its reason.
func TestFixedPoolKeepsRefusals(t *testing.T) {
	cfg := small(0)
	cfg.Arm = "fixed:5"
	r, _ := runLoop(t, cfg, newModel(func(draw int, _ []spade.Message) string {
		if draw%2 == 1 {
			return "I would rather not."
		}
		return written(source(draw))
	}))
	refused := 0
	for _, d := range r.cycles[0].Designs {
		if !d.Verdict.Admit && d.Verdict.Has(spade.Syntax) {
			refused++
		}
	}
	if refused < 4 {
		t.Errorf("%d refused designs are on record", refused)
	}
	checkPoolRecord(t, r.cycles[0])
}

// TestFixedPoolNeedsFewProcesses makes a pool in rounds of more designs than the sandbox has processes.
func TestFixedPoolNeedsFewProcesses(t *testing.T) {
	narrow, err := sandbox.Open(t.Context(), sandbox.Config{MaxProcesses: 32})
	if err != nil {
		t.Fatal(err)
	}
	defer narrow.Close()
	cfg := small(0)
	cfg.Arm, cfg.Environments = "fixed:40", 40
	loop, r := newLoop(t, cfg, newModel(numbered))
	loop.Sandbox, loop.Admission = narrow, admit.New(narrow, admit.Config{MaxTurns: 25})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := loop.Run(ctx, nil); err != nil || len(r.cycles[0].Environments) != 40 {
		t.Fatalf("%v", err)
	}
}

// TestFixedPoolStaysShort gives up where the designer cannot fill the pool.
func TestFixedPoolStaysShort(t *testing.T) {
	cfg := small(1)
	cfg.Arm = "fixed:3"
	loop, r := newLoop(t, cfg, newModel(func(draw int, _ []spade.Message) string { return written(source(draw % 2)) }))
	_, err := loop.Run(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "make the pool of arm fixed:3: ") || !strings.Contains(err.Error(), "gave 2 of 3") {
		t.Errorf("got %v", err)
	}
	if len(r.cycles) != 0 {
		t.Errorf("%d cycles were committed", len(r.cycles))
	}
}

// interrupting is a recorder that is interrupted while it commits a cycle.
type interrupting struct {
	*recorder
	cancel context.CancelFunc
}

func (r interrupting) Commit(ctx context.Context, c spade.Cycle, save func(context.Context, string) error) error {
	if c.Number == 1 {
		r.cancel()
		time.Sleep(100 * time.Millisecond) // long enough for a run that does not wait to be over
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.recorder.Commit(ctx, c, save)
}

// TestInterruptedCommit: a cycle that is finished is kept, and the run ends after it is.
func TestInterruptedCommit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	loop, r := newLoop(t, small(3), newModel(numbered))
	loop.Recorder = interrupting{r, cancel}
	if _, err := loop.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(r.cycles) != 2 {
		t.Errorf("%d records, want the start and cycle 1", len(r.cycles))
	}
}

var (
	errBroken = errors.New("it is broken")
	errFull   = errors.New("the disk is full")
)

// TestErrors: a failure of the machinery ends the run; the cycles before it are committed.
func TestErrors(t *testing.T) {
	t.Run("trainer", func(t *testing.T) {
		loop, r := newLoop(t, small(3), newModel(numbered))
		loop.OnCycle = func(c spade.Cycle) {
			if c.Number == 1 {
				m := loop.Policy.(*model)
				m.mu.Lock()
				m.err = errBroken
				m.mu.Unlock()
			}
		}
		if _, err := loop.Run(t.Context(), nil); !errors.Is(err, errBroken) || len(r.cycles) != 2 {
			t.Errorf("%v after %d records", err, len(r.cycles))
		}
	})
	t.Run("recorder", func(t *testing.T) {
		m := newModel(numbered)
		loop, r := newLoop(t, small(3), m)
		r.err = errBroken
		if _, err := loop.Run(t.Context(), nil); !errors.Is(err, errBroken) {
			t.Errorf("%v", err)
		}
		if len(m.batches) > 0 {
			t.Error("a cycle was trained before the one before it was on disk")
		}
	})
	t.Run("recorder and policy", func(t *testing.T) { // neither hides the other
		m := newModel(numbered)
		loop, r := newLoop(t, small(1), m)
		r.err = errFull
		m.Sampler = broken{m.Sampler}
		if _, err := loop.Run(t.Context(), nil); !errors.Is(err, errBroken) || !errors.Is(err, errFull) {
			t.Errorf("%v", err)
		}
	})
	t.Run("policy", func(t *testing.T) {
		m := newModel(numbered)
		loop, _ := newLoop(t, small(1), m)
		m.Sampler = broken{m.Sampler}
		if _, err := loop.Run(t.Context(), nil); !errors.Is(err, errBroken) {
			t.Errorf("%v", err)
		}
	})
	t.Run("state", func(t *testing.T) {
		loop, _ := newLoop(t, small(1), newModel(numbered))
		var e *spade.Error
		if _, err := loop.Run(t.Context(), []byte("{")); !errors.As(err, &e) || e.Boundary != spade.ByStore || e.Next == "" {
			t.Errorf("%v", err)
		}
	})
}

// broken is a policy that plays held-out suites and designs nothing.
type broken struct{ policy.Sampler }

func (b broken) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	if spec.Role == spade.Designer {
		return nil, errBroken
	}
	return b.Sampler.Open(ctx, spec)
}
