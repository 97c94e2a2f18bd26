package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"spade"
	"spade/admit"
	"spade/eval"
	"spade/memory"
	"spade/play"
	"spade/policy"
	"spade/reward"
	"spade/sandbox"
)

// Recorder keeps what a run commits.
type Recorder interface {
	// Commit stores a cycle and a checkpoint, which save writes into the folder it is given, wholly or not at
	// all.
	Commit(ctx context.Context, cycle spade.Cycle, save func(ctx context.Context, dir string) error) error
	// Finish stores the summary of a run that has reached its last cycle.
	Finish(ctx context.Context, summary []byte) error
}

// Passages is the corpus as the loop sees it.
type Passages interface {
	// At returns the draw-th passage of a run with the given seed, without replacement until the corpus is
	// used up.
	At(seed uint64, draw int) (spade.Passage, error)
}

// Loop runs self-play. Its fields are set before Run and left alone afterwards.
type Loop struct {
	Config Config
	// Policy plays both roles, and trains on both if it is a policy.Trainer.
	Policy policy.Sampler
	// Designer and Agent play their roles instead of Policy where they are not nil; such a role does not train.
	Designer  policy.Sampler
	Agent     policy.Sampler
	Sandbox   *sandbox.Sandbox
	Admission *admit.Admission
	// Corpus is not used where Config.Corpus is NoCorpus.
	Corpus Passages
	// CorpusID identifies what is in the corpus (see corpus.Corpus.ID): a run goes on with the passages that it began
	// with, or not at all. "" is not looked at.
	CorpusID string
	// WeightsID identifies the weights that the policy had before the run, where they are not the program's own: what is held
	// to them must find them again. "" is not looked at.
	WeightsID string
	// Ladder draws an environment of the given horizon, with what admission would have found out about it, for arm
	// ladder; other arms do not use it. Its result must depend on its arguments only.
	Ladder   func(r *rand.Rand, horizon int) spade.Environment
	Recorder Recorder
	// HeldOut is measured before the first cycle and after the last one, if the agent trains and there is anything to
	// measure.
	HeldOut eval.Suite
	// OnCycle is told of every committed cycle, in order; OnProgress of what is being done. Either may be nil.
	// Both are called from one goroutine at a time.
	OnCycle    func(spade.Cycle)
	OnProgress func(Progress)

	arm    Arm
	player *play.Player
	// judges holds one token for each admission in work.
	judges chan struct{}
	// prints keeps the fingerprints of remembered environments, by id.
	prints map[string]string
	// pending is the commit of the previous cycle, still being written.
	pending chan error
	// stated says that this process has committed what its policies state.
	stated bool
	// measured is the last held-out measurement, and measuredAt the cycle after which it was made; -1 before any.
	measured   eval.Result
	measuredAt int
}

// Progress says what the loop is doing, for a live view.
type Progress struct {
	Cycle int
	// Phase is "held-out", "pool", "self-play" or "training".
	Phase string
	// Done and Total count environments within the phase.
	Done, Total int
}

// Summary is what a finished run came to.
type Summary struct {
	Done   bool `json:"done"`
	Cycles int  `json:"cycles"`
	// HeldOutBefore and HeldOutAfter are win rates in [0, 1] on the held-out suite.
	HeldOutBefore float64     `json:"heldout_before"`
	HeldOutAfter  float64     `json:"heldout_after"`
	HeldOut       eval.Result `json:"heldout"`
	// Trained says that the agent's weights could change; only then is anything held out measured, and only with a suite.
	Trained bool `json:"trained"`
	// MostTeachable is the remembered environment with the largest regret among those neither mastered nor
	// hopeless, nil if there is none.
	MostTeachable *spade.Remembered `json:"most_teachable,omitempty"`
}

// Run plays all cycles of the configuration that are not behind it. resume is the State of the last committed
// cycle, or nil for a new run; the policy must already hold the weights of that cycle.
func (l *Loop) Run(ctx context.Context, resume []byte) (Summary, error) {
	st, err := l.begin(resume)
	if err != nil {
		return Summary{}, err
	}
	if resume == nil {
		if err := l.start(ctx, st); err != nil {
			return Summary{}, err
		}
	}
	for st.Cycle < l.Config.Cycles {
		number := st.Cycle + 1
		if err := l.cycle(ctx, st); err != nil {
			// The previous cycle is complete: let its commit end before giving up this one, and say so if it cannot.
			return Summary{}, fmt.Errorf("cycle %d: %w", number, errors.Join(err, l.settle()))
		}
	}
	if err := l.settle(); err != nil {
		return Summary{}, err
	}
	return l.finish(ctx, st)
}

// Resumable reports why Run would not go on from the state resume, nil if it would.
func (l *Loop) Resumable(resume []byte) error {
	_, err := l.begin(resume)
	return err
}

func (l *Loop) begin(resume []byte) (*state, error) {
	if err := l.Config.Validate(); err != nil {
		return nil, err
	}
	if resolved, _ := l.Config.Resolve(); configID(resolved) != configID(l.Config) {
		return nil, userError("arm %s sets other values: resolve the configuration first", l.Config.Arm)
	}
	arm, err := ParseArm(l.Config.Arm)
	if err != nil {
		return nil, err
	}
	l.arm = arm
	l.judges = make(chan struct{}, judgesAtOnce)
	l.prints = map[string]string{}
	l.measuredAt = -1
	l.player = &play.Player{Policy: l.sampler(spade.Agent), Sandbox: l.Sandbox, Config: l.Config.Play, Return: reward.Return}
	st := &state{Memory: memory.New(), Config: configID(l.Config), Corpus: l.CorpusID, Weights: l.WeightsID}
	if resume == nil {
		return st, nil
	}
	if err := json.Unmarshal(resume, st); err != nil {
		return nil, spade.Errorf(spade.ByStore, "start a new run in another folder", "read the state of the run: %w", err)
	}
	if st.Config != configID(l.Config) {
		return nil, spade.Errorf(spade.ByUser, "put config.yaml back as it was, or start a new run in another folder",
			"the configuration of this run was changed since its last cycle; only its length may be")
	}
	if st.Corpus != "" && l.CorpusID != "" && st.Corpus != l.CorpusID {
		return nil, spade.Errorf(spade.ByUser, "put the corpus back as it was, or start a new run in another folder",
			"the corpus %s was changed since this run began: it would go on with other passages", spade.Quote(l.Config.Corpus))
	}
	if st.Weights != "" && l.WeightsID != "" && st.Weights != l.WeightsID {
		return nil, spade.Errorf(spade.ByUser, "put the checkpoint back as it was, or start a new run in another folder",
			"the weights of %s were changed since this run began, and it is held to them", spade.Quote(l.Config.Policy))
	}
	return st, nil
}

// start measures the model before any training, makes the pool of arms that have one, and commits both as
// cycle 0.
func (l *Loop) start(ctx context.Context, st *state) error {
	before, err := l.heldOut(ctx, 0)
	if err != nil {
		return err
	}
	st.HeldOutBefore = before.WinRate
	zero := spade.Cycle{}
	if l.measures() {
		zero.Stats.HeldOut, zero.Stats.HeldOutWins = &st.HeldOutBefore, before.Wins
	}
	if l.arm.Name == armFixed {
		if err := l.makePool(ctx, st, &zero); err != nil {
			return fmt.Errorf("make the pool of arm %s: %w", l.Config.Arm, err)
		}
	}
	return l.commit(ctx, st, zero)
}

// measures reports whether the run has held-out win rates.
func (l *Loop) measures() bool {
	return l.trains(spade.Agent) && len(l.HeldOut.Items) > 0
}

// heldOut measures the model after a cycle, once.
func (l *Loop) heldOut(ctx context.Context, cycle int) (eval.Result, error) {
	if l.measuredAt == cycle || !l.measures() {
		return l.measured, nil
	}
	l.progress(Progress{Cycle: cycle, Phase: "held-out", Total: len(l.HeldOut.Items)})
	measured, err := eval.Run(ctx, l.player, l.HeldOut.First(l.Config.HeldOutSeeds))
	if err != nil {
		return eval.Result{}, err
	}
	l.measured, l.measuredAt = measured, cycle
	return measured, nil
}

func (l *Loop) finish(ctx context.Context, st *state) (Summary, error) {
	after, err := l.heldOut(ctx, st.Cycle)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{
		Done: true, Trained: l.trains(spade.Agent), Cycles: st.Cycle, HeldOutBefore: st.HeldOutBefore, HeldOutAfter: after.WinRate, HeldOut: after,
		MostTeachable: st.Memory.MostTeachable(),
	}
	data, err := json.Marshal(s)
	if err != nil {
		return Summary{}, fmt.Errorf("write the summary: %w", err)
	}
	return s, l.Recorder.Finish(ctx, data)
}

// commit hands a finished cycle to the recorder in the background; settle waits for it.
func (l *Loop) commit(ctx context.Context, st *state, cycle spade.Cycle) error {
	data, err := json.Marshal(st)
	if err != nil {
		return fmt.Errorf("write the state of cycle %d: %w", cycle.Number, err)
	}
	cycle.State = data
	if !l.stated {
		l.stated, cycle.Stats.Notes = true, l.Notes()
	}
	var save func(context.Context, string) error
	if trainer := l.trainer(); trainer != nil {
		save = trainer.Save
	}
	done := make(chan error, 1)
	l.pending = done
	go func() {
		// What is finished is kept even if the run is being interrupted.
		err := l.Recorder.Commit(context.WithoutCancel(ctx), cycle, save)
		if err == nil && l.OnCycle != nil {
			l.OnCycle(cycle)
		}
		done <- err
	}()
	return nil
}

// settle waits until the previous cycle is on disk. It must come before the weights change again.
func (l *Loop) settle() error {
	if l.pending == nil {
		return nil
	}
	err := <-l.pending
	l.pending = nil
	return err
}

func (l *Loop) progress(p Progress) {
	if l.OnProgress != nil {
		l.OnProgress(p)
	}
}
