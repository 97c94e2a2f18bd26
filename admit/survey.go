package admit

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/sandbox"
)

// playSeeds are the seeds that whole episodes are played on. 0 is among them because it is falsy.
var playSeeds = []int64{0, 1, 7}

// lookSeeds is the number of seeds, from 0, whose first observation and first solution are looked at, and on
// which a suspicion raised on playSeeds is settled.
const lookSeeds = 16

// maxRounds bounds the episodes in which the fuzz player gets through its actions on one seed.
const maxRounds = 6

// evidence is what the survey saw: all that the later stages read.
type evidence struct {
	kind        spade.Kind
	hasSolution bool
	tokens      []token
	tools       []tool
	// plain and alternate are the views of the two processes. alternate is nil or cut short if plain has faults.
	plain, alternate *view
	// process is the plain process, nil if it is gone or worn.
	process *sandbox.Process
	// packed says that interleaved instances gave the episodes of separate ones.
	packed bool
	// blindPlay and randomPlay are what blind and random players won; those who won little are left out of blindPlay.
	blindPlay  []*blindTally
	randomPlay []randomWins
	// disturbed is an episode that another one at the same time changed; nil if there was none.
	disturbed *episode
	// alone is the same episode played once more by itself.
	alone *episode
	// canAsk says that an action other than an answer leaves the episode open.
	canAsk bool
	// slow says that the environment takes so long that only part of the plan was played.
	slow  bool
	costs []Cost
	// known are answers that solution() gave.
	known []string
	// paidAgain is an episode that was won, went on and was won again; nil if there was none. reopened is the turn, from
	// 0, of the idle action that showed it open.
	paidAgain *episode
	reopened  int
	// sound passes on what the plain process has shown once it has broken no contract; told says that it has.
	sound chan heard
	told  bool
}

// gather runs the survey. process is the plain process, which it takes over: e.process is the one that is left.
// The alternate process starts once the plain one has broken no contract, and is gone afterwards.
//
// Costs: about a dozen short episodes in each process, at the same time. Cannot see: what only other seeds than
// the first lookSeeds, longer play or other actions bring out.
func (a *Admission) gather(ctx context.Context, source string, tokens []token, process *sandbox.Process) (*evidence, error) {
	e := &evidence{
		kind:        process.Kind(),
		hasSolution: process.HasSolution(),
		tokens:      tokens,
		tools:       declaredTools(tokens),
		sound:       make(chan heard, 1),
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer close(e.sound)
		e.plain, e.process, err = a.watch(ctx, source, sandbox.LoadOptions{}, process, e.plainPlan)
		return err
	})
	group.Go(func() (err error) {
		h, sound := <-e.sound
		if !sound {
			return nil // the alternate view would not be read
		}
		var other *sandbox.Process
		e.alternate, other, err = a.watch(ctx, source, sandbox.LoadOptions{Alternate: true}, nil, apartInTime(tokens, e.repeatPlan(h)))
		closeProcess(other)
		return err
	})
	if err := group.Wait(); err != nil {
		closeProcess(e.process)
		return nil, err
	}
	return e, nil
}

// plan is what happens in one process.
type plan func(context.Context, *run) error

// watch lets play happen in process, or in a fresh one if that is nil, and returns what showed and the process, nil
// if it is gone or worn. What may have been a busy machine's doing is tried once more from the start.
func (a *Admission) watch(ctx context.Context, source string, options sandbox.LoadOptions, process *sandbox.Process, play plan) (*view, *sandbox.Process, error) {
	apart := false
	for attempt := 1; ; attempt++ {
		if process == nil {
			fresh, fault, err := a.load(ctx, source, options)
			if err != nil {
				return nil, nil, err
			}
			if fault != nil {
				return &view{faults: []seenFault{{fault: fault}}}, nil, nil
			}
			process = fresh
		}
		r := newRun(process, a.config.MaxTurns)
		r.apart = apart
		err := play(ctx, r)
		if err == nil {
			err = r.rest(ctx)
		}
		if errors.Is(err, errTogether) {
			process.Close()
			process, apart, attempt = nil, true, 0
			continue
		}
		if err != nil && !errors.Is(err, errProcessGone) {
			process.Close()
			return nil, nil, fmt.Errorf("probing an environment: %w", err)
		}
		if err == nil {
			return r.view, fit(process), nil
		}
		process.Close()
		process = nil
		if fault := r.view.lastFault(); attempt > 1 || !doubtful(fault) {
			return r.view, nil, certain(fault)
		}
	}
}

// load starts a process with source in it. What may have been a busy machine's doing is tried once more.
func (a *Admission) load(ctx context.Context, source string, options sandbox.LoadOptions) (*sandbox.Process, *sandbox.Fault, error) {
	process, fault, err := a.sandbox.Load(ctx, source, options)
	if err == nil && fault != nil && doubtful(fault) {
		process, fault, err = a.sandbox.Load(ctx, source, options)
	}
	if err == nil && fault != nil {
		err = certain(fault)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("loading an environment for admission: %w", err)
	}
	return process, fault, nil
}

// doubtful reports whether fault may be the machine's doing: our machinery failed, or the clock ran out while the
// process used little processor time (a process that computes without end is a CPULimit).
func doubtful(fault *sandbox.Fault) bool {
	return fault.Outcome == spade.SandboxError || fault.Outcome == spade.WallTimeout
}

// certain returns an error if fault is that of our machinery.
func certain(fault *sandbox.Fault) error {
	if fault.Outcome != spade.SandboxError {
		return nil
	}
	return spade.Errorf(spade.BySandbox, "Run spade doctor to see what the sandbox lacks on this machine.",
		"the sandbox failed twice in a row: %s: %s", fault.Phase, fault.Message)
}

func closeProcess(process *sandbox.Process) {
	if process != nil {
		process.Close()
	}
}
