package selfplay

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"spade"
	"spade/design"
	"spade/eval"
	"spade/policy"
)

// text is a model that tells no tokens and whose designer fails in the slots that a test names.
type text struct {
	policy.Sampler
	fails func(messages []spade.Message) bool
}

func (s text) Info() policy.Info {
	info := s.Sampler.Info()
	info.TextOnly, info.Notes = true, []string{"text alone"}
	return info
}

func (s text) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	session, err := s.Sampler.Open(ctx, spec)
	return textSession{session, s.fails}, err
}

type textSession struct {
	policy.Session
	fails func(messages []spade.Message) bool
}

func (s textSession) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	if s.fails != nil && s.fails(messages) {
		return policy.Reply{}, &policy.Failure{Class: "timeout", Err: errors.New("late")}
	}
	r, err := s.Session.Reply(ctx, messages...)
	r.Tokens, r.LogProbs, r.Mask = nil, nil, nil
	return r, err
}

// TestNothingMeasured: a run without a suite trains, and states no held-out win rate anywhere.
func TestNothingMeasured(t *testing.T) {
	cfg := small(2)
	cfg.EvalEvery = 1
	loop, r := newLoop(t, cfg, newModel(numbered))
	loop.HeldOut = eval.Suite{}
	summary, err := loop.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !summary.Trained || summary.HeldOut.Episodes != 0 {
		t.Errorf("summary %+v", summary)
	}
	for _, c := range r.cycles {
		if c.Stats.HeldOut != nil || c.Stats.HeldOutWins != nil {
			t.Errorf("cycle %d: held-out %v, %v", c.Number, c.Stats.HeldOut, c.Stats.HeldOutWins)
		}
	}
}

// TestNothingTrains: the loop works with a model whose weights nobody can change, and commits no checkpoint. A design that
// the policy could not give is nobody's fault: it is counted, and earns nothing.
func TestNothingTrains(t *testing.T) {
	loop, r := newLoop(t, small(2), newModel(numbered))
	loop.Policy = text{newModel(numbered).Sampler, func(messages []spade.Message) bool { return drawOf(messages) == 1 }}
	summary, err := loop.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if summary.Trained || summary.HeldOut.Episodes != 0 || r.cycles[0].Stats.HeldOut != nil {
		t.Errorf("summary %+v", summary)
	}
	if !slices.Equal(r.cycles[0].Stats.Notes, []string{"text alone"}) || r.cycles[1].Stats.Notes != nil {
		t.Errorf("notes %q, %q", r.cycles[0].Stats.Notes, r.cycles[1].Stats.Notes)
	}
	c := r.cycles[1]
	if d := c.Designs[1]; d.First.Stage != spade.StagePolicy || !d.Masked || d.Raw != 0 || d.Advantage != 0 {
		t.Errorf("the design that failed: %+v", d)
	}
	raw := (c.Designs[0].Raw + c.Designs[2].Raw + c.Designs[3].Raw) / 3
	if got := c.Stats; math.Abs(got.DesignerReward-raw) > 1e-12 || got.Unanswered != 1 || got.Samples.Rewarded != 3 {
		t.Errorf("the design that failed is in the statistics: %+v, %+v", got, got.Samples)
	}
	if got := c.Metrics(); got["env_validator/games_produced"] != 3 || got["env_validator/rejected"] != 0 || got["env_validator/rejection_rate"] != 0 {
		t.Errorf("metrics %v", got)
	}
	if got := c.Stats; got.Designed != 4 || got.Admitted != 3 || got.Failures["timeout"] != 1 || len(got.Refused) != 0 || got.Train != nil || got.TrainedTokens != 0 {
		t.Errorf("stats %+v", got)
	}
	if len(c.Episodes) != 27 || len(c.Scores) != 3 {
		t.Errorf("%d episodes, %d scores", len(c.Episodes), len(c.Scores))
	}
}

// TestNothingPlayed: where the agent's policy fails in every play of an environment, its designer is neither rewarded nor
// blamed.
func TestNothingPlayed(t *testing.T) {
	loop, r := newLoop(t, small(1), newModel(func(draw int, _ []spade.Message) string {
		if draw == 1 {
			return written(strings.ReplaceAll(source(draw), "Remember", "Recall"))
		}
		return written(source(draw))
	}))
	loop.Agent = text{newModel(numbered).Sampler, func(messages []spade.Message) bool {
		return slices.ContainsFunc(messages, func(m spade.Message) bool { return strings.Contains(m.Content, "Recall ") })
	}}
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c := r.cycles[1]
	for _, d := range c.Designs {
		plays := 0
		for _, score := range c.Scores {
			if score.EnvID == d.EnvID {
				plays = score.Plays
			}
		}
		if played := plays > 0; played == (d.Slot == 1) || d.Masked == played || d.Earned() != played || d.Advantage != 0 && !played {
			t.Errorf("slot %d with %d plays: %+v", d.Slot, plays, d)
		}
	}
}

// TestNoRoom: a design whose prompt fills the context is not the designer's fault, and the run says what it was.
func TestNoRoom(t *testing.T) {
	loop, r := newLoop(t, small(1), newModel(numbered))
	loop.Policy = full{newModel(numbered).Sampler}
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c := r.cycles[1]
	if c.Stats.Failures["context"] != 1 || c.Stats.Unanswered != 1 || c.Designs[1].Earned() || !c.Designs[0].Earned() {
		t.Errorf("stats %+v, designs %+v", c.Stats, c.Designs[:2])
	}
	passage, err := passages{}.At(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	one, err := design.Open(t.Context(), loop.Policy, loop.Config.Design, design.Request{Passage: &passage}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var known *spade.Error
	if _, err := one.First(t.Context()); !errors.As(err, &known) || known.Boundary != spade.ByUser || known.Next == "" {
		t.Errorf("a design alone: %v", err)
	}
}

// full is a model in whose context passage 1 leaves no room.
type full struct{ policy.Sampler }

func (s full) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	session, err := s.Sampler.Open(ctx, spec)
	return fullSession{session}, err
}

type fullSession struct{ policy.Session }

func (s fullSession) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	if drawOf(messages) == 1 {
		return policy.Reply{Stop: policy.StopContext}, nil
	}
	return s.Session.Reply(ctx, messages...)
}

// TestLostHint: a follow-up about a hint that the policy cannot answer takes no complete environment with it.
func TestLostHint(t *testing.T) {
	m := newModel(func(draw int, _ []spade.Message) string { return strings.Split(written(source(draw)), "<hint>")[0] })
	loop, r := newLoop(t, small(1), m)
	loop.Policy = text{m.Sampler, func(messages []spade.Message) bool {
		return len(messages) == 1 && drawOf(messages) < 0 && messages[0].Name == ""
	}}
	if _, err := loop.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, d := range r.cycles[1].Designs {
		if !d.First.Admit || !d.Verdict.Admit || d.Reply == "" || d.Masked || len(d.Verdict.Warnings) == 0 || d.Verdict.Warnings[0].Code != spade.WarnPolicy {
			t.Errorf("slot %d: %+v", d.Slot, d)
		}
	}
}

// TestRoles: what another model did is not trained on.
func TestRoles(t *testing.T) {
	for _, external := range []spade.Role{spade.Designer, spade.Agent} {
		m := newModel(numbered)
		loop, r := newLoop(t, small(1), m)
		if external == spade.Designer {
			loop.Designer = newModel(numbered).Sampler
		} else {
			loop.Agent = newModel(numbered).Sampler
		}
		summary, err := loop.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := roles(m.batches[0])
		if n[external] != 0 || n[spade.Designer]+n[spade.Agent] == 0 || summary.Trained != (external == spade.Designer) {
			t.Errorf("%s is another model: trained on %v, summary %+v", external, n, summary)
		}
		if s := r.cycles[1].Stats.Samples; s.AgentSequences != n[spade.Agent] || s.DesignerSequences != n[spade.Designer] {
			t.Errorf("%s is another model: stats %+v, trained on %v", external, s, n)
		}
		if notes := r.cycles[0].Stats.Notes; len(notes) != 1 {
			t.Errorf("notes %q", notes)
		}
	}
}
