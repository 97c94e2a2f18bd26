package selfplay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"spade"
	"spade/admit"
	"spade/design"
	"spade/play"
	"spade/policy"
	"spade/sandbox"
)

// slot is one place in a cycle's schedule: an environment to design and play, or to play again.
type slot struct {
	number int
	// made says that the slot's environment enters the run in this cycle: it is to be designed, or fresh from a ladder.
	made bool
	// draw counts the passages of the run up to this one.
	draw int
	// passage and examples ground a design; passage is nil where there is no corpus.
	passage  *spade.Passage
	examples []spade.Remembered
	// winRate is how often environments of the slot's skill were won of late, nil where nobody knows.
	winRate *float64
	// others is what memory held before the cycle: whose hints are placebos.
	others []spade.Remembered
	// force is what the slot plays, nil in a slot that designs until its design is there.
	force *inForce
	// replay says that the environment comes from memory.
	replay bool
	// process is the admitted environment's process, handed on from admission to play.
	process *sandbox.Process
	// episodes is what was played, in the order of arms and indices.
	episodes []spade.Episode
	// secret is the word through which alone the hinted arm won in this cycle (reward.WithheldSecret), or "".
	secret string
}

// perform takes a slot from its passage to its episodes.
func (l *Loop) perform(ctx context.Context, cycle int, s *slot, seen *claims) error {
	if s.force == nil {
		if err := l.design(ctx, cycle, s, seen); err != nil {
			return err
		}
	}
	if !s.force.inPlay() {
		return nil
	}
	tasks := l.tasks(cycle, s)
	if l.races(s) {
		tasks = tasks[:l.Config.Race.Plays]
	}
	return l.play(ctx, s, tasks)
}

// design samples an environment and judges it, handing it back for repair where the configuration allows.
func (l *Loop) design(ctx context.Context, cycle int, s *slot, seen *claims) error {
	defer seen.pass(s.number) // whatever happens, later slots must not wait for this one
	d := &spade.Design{Cycle: cycle, Slot: s.number, Skill: l.skill(s)}
	if s.passage != nil {
		d.PassageID = s.passage.ID
	}
	s.force = &inForce{Design: d}
	conversation, err := design.Open(ctx, l.sampler(spade.Designer), l.Config.Design,
		design.Request{Passage: s.passage, Examples: s.examples, Skill: d.Skill, WinRate: s.winRate},
		spade.Stream(l.Config.Seed, cycle, s.number, "design"))
	if err != nil {
		return err
	}
	defer conversation.Close()
	d.Prompt = conversation.Prompt
	for _, example := range conversation.Examples {
		d.Examples = append(d.Examples, example.EnvID)
	}
	draft, err := conversation.First(ctx)
	class, failed := failure(ctx, err)
	if failed && draft.Source == "" {
		d.First = spade.Verdict{Stage: spade.StagePolicy, Warnings: []spade.Warning{noReply(class)}}
		d.Verdict = d.First
		return nil
	}
	if err != nil && !failed {
		return err
	}
	d.Reply, d.Trajectory = draft.Reply, draft.Trajectory
	result, err := l.judge(ctx, s, draft, seen)
	if err != nil {
		return err
	}
	d.First = reproducible(result.Verdict)
	if failed { // only the hint is lost
		result.Verdict.Warnings = append(result.Verdict.Warnings, noReply(class))
	}
	draft, result, err = l.repair(ctx, s, conversation, draft, result, seen)
	if err != nil {
		return err
	}
	if result.Verdict.Admit && result.Hint != nil && !result.Hint.Admit {
		if err := l.anotherHint(ctx, s, conversation, &draft, &result, seen); err != nil {
			if result.Process != nil {
				result.Process.Close()
			}
			return err
		}
	}
	l.settleDesign(cycle, s, draft, result)
	return nil
}

// repair hands a refused draft back, as often as the configuration allows, and returns the last one with its result.
func (l *Loop) repair(ctx context.Context, s *slot, conversation *design.Conversation, draft design.Draft, result admit.Result,
	seen *claims) (design.Draft, admit.Result, error) {
	d := s.force.Design
	for range l.Config.Design.Repairs {
		if result.Verdict.Admit {
			break
		}
		verdict := reproducible(result.Verdict)
		fault := explainFault(verdict)
		next, err := conversation.Repair(ctx, fault, verdict)
		class, failed := failure(ctx, err)
		if failed && next.Source == "" {
			result.Verdict.Warnings = append(result.Verdict.Warnings, noReply(class))
			break
		}
		if err != nil && !failed {
			return draft, result, err
		}
		draft = next
		d.Repairs = append(d.Repairs, spade.Repair{Fault: fault, Reply: draft.Reply})
		if result, err = l.judge(ctx, s, draft, seen); err != nil {
			return draft, result, err
		}
		if failed { // only the hint is lost
			result.Verdict.Warnings = append(result.Verdict.Warnings, noReply(class))
		}
	}
	return draft, result, nil
}

// failure reports whether err says that the policy failed for this reply only, and the class of that.
func failure(ctx context.Context, err error) (class string, failed bool) {
	var f *policy.Failure
	if !errors.As(err, &f) || ctx.Err() != nil {
		return "", false
	}
	return f.Class, true
}

// noReply warns that the policy failed for one reply, with the class of that.
func noReply(class string) spade.Warning {
	return spade.Warning{Code: spade.WarnPolicy, Detail: class}
}

// anotherHint asks once for a hint in place of one that was refused. If that is refused too, or there is none, the
// environment plays without.
func (l *Loop) anotherHint(ctx context.Context, s *slot, conversation *design.Conversation, draft *design.Draft, result *admit.Result, seen *claims) error {
	fault := explainFault(*result.Hint)
	again, err := conversation.NewHint(ctx, fault)
	if class, failed := failure(ctx, err); failed {
		result.Verdict.Warnings = append(result.Verdict.Warnings, noReply(class))
		return nil
	}
	if err != nil {
		return err
	}
	d := s.force.Design
	d.Repairs = append(d.Repairs, spade.Repair{Fault: fault, Reply: again.Reply})
	if again.Hint == "" {
		return nil
	}
	draft.Hint = again.Hint
	judged, err := l.judge(ctx, s, *draft, seen)
	if judged.Process != nil {
		judged.Process.Close() // the environment has one already
	}
	result.Hint = judged.Hint
	return err
}

// judge asks admission about a draft. A draft without a source is refused here: there is nothing to look at.
func (l *Loop) judge(ctx context.Context, s *slot, draft design.Draft, seen *claims) (admit.Result, error) {
	if draft.Source == "" {
		return admit.Result{Verdict: noSource()}, nil
	}
	index, err := seen.claim(ctx, s.number, draft.Source)
	if err != nil {
		return admit.Result{}, err
	}
	select {
	case l.judges <- struct{}{}:
		defer func() { <-l.judges }()
	case <-ctx.Done():
		return admit.Result{}, ctx.Err()
	}
	return l.Admission.Judge(ctx, admit.Candidate{Source: draft.Source, Hint: draft.Hint, Passage: s.passage}, index)
}

// judgesAtOnce bounds concurrent admissions. Few at a time let the first environments be played while others are
// still judged. Each holds one jailed process and may wait for a second, so together they must never take up a whole
// sandbox (at least 32 processes).
const judgesAtOnce = 2

// settleDesign writes down what became of a design and makes its environment playable if it was admitted.
func (l *Loop) settleDesign(cycle int, s *slot, draft design.Draft, result admit.Result) {
	d := s.force.Design
	d.Verdict, d.HintVerdict = reproducible(result.Verdict), result.Hint
	if draft.Source == "" {
		return
	}
	env := spade.NewEnvironment(draft.Source)
	env.Class, env.Kind, env.Skill, env.PassageID = result.Class, result.Kind, d.Skill, d.PassageID
	env.Cycle, env.Slot = cycle, s.number
	if result.Hint != nil && result.Hint.Admit {
		env.Hint = draft.Hint
	}
	d.EnvID = env.ID
	s.force.Env, s.force.Packed, s.force.Playable = env, result.Verdict.Packed, result.Verdict.Admit
	s.process = result.Process
}

// reproducible is a verdict without what differs between two equal runs: the transcripts of an environment that
// gives other ones each time.
func reproducible(v spade.Verdict) spade.Verdict {
	reasons := slices.Clone(v.Reasons)
	for i := range reasons {
		if reasons[i].Code == spade.Nondeterministic || reasons[i].Code == spade.UnseededGlobalState {
			reasons[i].Evidence.First, reasons[i].Evidence.Second = nil, nil
		}
	}
	v.Reasons = reasons
	return v
}

// noSource is the verdict on an answer in which no Python block could be found.
func noSource() spade.Verdict {
	return spade.Verdict{Stage: spade.StageReply, Reasons: []spade.Reason{{
		Code: spade.Syntax, Detail: "the answer holds no complete ```python block",
	}}}
}

// skill is the one that the passage names, if any, else one of the configured skills in rotation. What the built-in
// corpus names are the mechanics of the embedded model, which say nothing to others.
func (l *Loop) skill(s *slot) string {
	if s.passage != nil {
		named := s.passage.Skill()
		compact := l.sampler(spade.Designer).Info().Prompts == policy.CompactPrompts
		if named != "" && (compact || slices.Contains(l.Config.Skills, named)) {
			return named
		}
	}
	return l.Config.Skills[s.draw%len(l.Config.Skills)]
}

// play adds episodes of a slot's environment.
func (l *Loop) play(ctx context.Context, s *slot, tasks []play.Task) error {
	program := l.Sandbox.Program(s.force.Env.Source, s.force.Packed)
	defer program.Close()
	if s.process != nil {
		program.Adopt(s.process)
		s.process = nil
	}
	played, err := l.player.Episodes(ctx, program, tasks)
	s.episodes = append(s.episodes, played...)
	return err
}

// tasks are the episodes of a slot: the blind ones, then those of the other arms on the same seeds.
func (l *Loop) tasks(cycle int, s *slot) []play.Task {
	seeds := spade.Stream(l.Config.Seed, cycle, s.number, "seeds")
	hinted := l.Config.HintedPlays
	if s.force.Env.Hint == "" {
		hinted = 0
	}
	tasks := make([]play.Task, 0, l.Config.Plays+hinted)
	add := func(arm spade.Arm, index int, seed int64, hint string) {
		tasks = append(tasks, play.Task{
			Env: s.force.Env, Cycle: cycle, Slot: s.number, Arm: arm, Index: index, Seed: seed, Hint: hint,
			Rand: func() *rand.Rand {
				return spade.Stream(l.Config.Seed, cycle, s.number, fmt.Sprintf("play/%s/%d", arm, index))
			},
		})
	}
	for index := range l.Config.Plays {
		add(spade.Unhinted, index, seeds.Int64N(spade.TrainingSeeds), "")
	}
	for index := range hinted {
		add(spade.Hinted, index, tasks[index].Seed, s.force.Env.Hint)
	}
	if placebo := l.placebo(cycle, s); placebo != "" {
		for index := range hinted {
			add(spade.Placebo, index, tasks[index].Seed, placebo)
		}
	}
	return tasks
}
