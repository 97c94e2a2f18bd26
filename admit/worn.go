package admit

import (
	"context"
	"errors"
	"slices"

	"spade/sandbox"
)

// A process has so much processor time for its whole life, and what admission asks of it may use that up, though every
// answer comes in time. That is no fault of the environment: it is slow.

// wornShare is the share of the processor time of a process from which on it is spared: what has begun by then can still
// be played to its end.
const wornShare = 0.5

// errWornOut ends a plan whose process has used up its processor time, or most of it, after enough was seen to judge.
var errWornOut = errors.New("the processor time of the process is used up")

func worn(process *sandbox.Process) bool { return process.Spent() >= wornShare }

// spare returns errWornOut if the plan has come to what can be left out, and the process is worn.
func (r *run) spare() error {
	if r.sparing && worn(r.process) {
		return errWornOut
	}
	return nil
}

// lost is what follows from fault where it ended the process; several says that more than one thing was asked of it.
func (r *run) lost(fault *sandbox.Fault, several bool) error {
	switch {
	case fault == nil || survivable(fault.Outcome):
		return nil
	case r.enough && fault.WornOut:
		return errWornOut
	case several:
		return errTogether
	}
	return nil
}

// forget drops what a part that was cut short has played, from the n-th episode on: all of it where what it looks for
// shows in the whole only, else the episode that did not end.
func (r *run) forget(n int) {
	v, played := r.view, r.view.order[n:]
	v.order = slices.Clone(v.order[:n])
	for _, ep := range played {
		if r.sparing || ep.fault != nil {
			delete(v.episodes, ep.episodeKey)
		} else {
			v.order = append(v.order, ep)
		}
	}
}

// asFarAsItGoes plays p until the process is worn out, if it is.
func asFarAsItGoes(ctx context.Context, r *run, p plan) error {
	r.enough = true
	err := p(ctx, r)
	if errors.Is(err, errWornOut) {
		r.forget(0)
		return nil
	}
	return err
}

// fit returns process if whoever comes next can use it, and otherwise closes it and returns nil.
func fit(process *sandbox.Process) *sandbox.Process {
	if process.Alive() && !worn(process) {
		return process
	}
	process.Close()
	return nil
}
