package sandbox

import (
	"context"
	"time"
)

// A Look is what a seed shows before anything is done.
type Look struct {
	First Observation
	// Solution is empty where the class has no method solution.
	Solution Solution
}

// Look resets the instance to each of seeds in turn and asks for its solution there; with an action it also takes that
// step before it goes on to the next seed. It does what as many calls of Reset, Solution and Step do, in the same
// order, but in as few exchanges as can be, which as a whole have the time of one step.
//
// A fault is the first that there was. It is on seeds[n] if n looks are returned, with its Phase; what follows it was
// performed all the same if the process survived. A process that is ended may have failed in any of the operations.
func (i *Instance) Look(ctx context.Context, seeds []int64, action *string) ([]Look, *Fault, error) {
	var requests []*request
	add := func(k kind, text string, value int64) {
		requests = append(requests, &request{kind: k, number: i.number, text: text, value: value, turn: make(chan bool, 1)})
	}
	for _, seed := range seeds {
		add(opReset, "", seed)
		if i.process.solution {
			add(opSolution, "", 0)
		}
		if action != nil {
			add(opStep, *action, 0)
		}
	}
	for _, r := range requests {
		r.limit = i.limits().Step / time.Duration(len(requests))
	}
	if err := i.process.do(ctx, requests...); err != nil {
		return nil, nil, err
	}
	looks := make([]Look, 0, len(seeds))
	each := len(requests) / max(1, len(seeds))
	for n := range seeds {
		var look Look
		for _, r := range requests[n*each : (n+1)*each] {
			if fault := i.took(&look, r); fault != nil {
				return looks, fault, nil
			}
		}
		looks = append(looks, look)
	}
	return looks, nil, nil
}

// took puts an answer into the look that it belongs to, or returns what is wrong with it.
func (i *Instance) took(look *Look, r *request) *Fault {
	if r.fault != nil {
		return r.fault
	}
	a := &r.answer
	switch r.kind {
	case opReset:
		look.First = Observation{Text: a.texts[0], Info: a.texts[1]}
		return i.check("reset", a.texts[0], a.texts[1])
	case opSolution:
		look.Solution = Solution{Has: a.flags[0], Text: a.texts[0]}
		return i.check("solution", a.texts[0], "{}")
	}
	return i.check("step", a.texts[0], a.texts[1])
}
