package sandbox

import (
	"context"
	"math"
	"time"

	"spade"
)

// An Instance is one object of an environment's class, for one episode after the other. It is used by one
// goroutine at a time; instances of one process may be used at the same time.
type Instance struct {
	process  *Process
	number   int
	maxTurns int
	// program is set if the process was made for this instance alone and ends with it.
	program *Program
	closed  bool
	request request
	// spent is the time that the steps of the episode have taken.
	spent time.Duration
	// broken says why a batch could not make it; nil otherwise.
	broken *Fault
}

// New constructs the class. Its own max_turns is left as it is, unless it is above maxTurns or the constructor
// insists on being told; maxTurns 0 is no bound.
func (p *Process) New(ctx context.Context, maxTurns int) (*Instance, *Fault, error) {
	i := p.instance()
	if _, _, err := i.call(ctx, opNew, "", int64(maxTurns), p.sandbox.config.Limits.Load); err != nil {
		return nil, nil, err
	}
	if fault := i.made(&i.request); fault != nil {
		return nil, fault, nil
	}
	return i, nil, nil
}

// instance returns one that is yet to be made.
func (p *Process) instance() *Instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	i := &Instance{process: p, number: p.next}
	i.request.number, i.request.turn = i.number, make(chan bool, 1)
	return i
}

// made takes note of what the process says about the instance that r has made.
func (i *Instance) made(r *request) *Fault {
	if r.fault != nil {
		return r.fault
	}
	own := r.answer.number
	if own < 0 || own > math.MaxInt32 || own != math.Trunc(own) {
		return i.process.violate("construct")
	}
	i.maxTurns = int(own)
	return nil
}

// failure returns what kept r from being answered, nil if nothing did.
func (i *Instance) failure(r *request) *Fault {
	if i.broken != nil {
		return i.broken
	}
	return r.fault
}

// MaxTurns returns the environment's own attribute max_turns, 0 if it has none.
func (i *Instance) MaxTurns() int { return i.maxTurns }

// Process returns the process that the instance lives in.
func (i *Instance) Process() *Process { return i.process }

// Reset starts an episode with the seed.
func (i *Instance) Reset(ctx context.Context, seed int64) (Observation, *Fault, error) {
	i.spent = 0
	answer, fault, err := i.call(ctx, opReset, "", seed, i.limits().Reset)
	if fault != nil || err != nil {
		return Observation{}, fault, err
	}
	first, fault := i.observation(answer)
	return first, fault, nil
}

// observation reads the answer to a reset.
func (i *Instance) observation(a *answer) (Observation, *Fault) {
	text, info := a.texts[0], a.texts[1]
	if fault := i.check("reset", text, info); fault != nil {
		return Observation{}, fault
	}
	return Observation{Text: text, Info: info}, nil
}

// Step passes an action to the environment as it is.
func (i *Instance) Step(ctx context.Context, action string) (Step, *Fault, error) {
	answer, fault, err := i.play(ctx, opStep, action)
	if fault != nil || err != nil {
		return Step{}, fault, err
	}
	step, fault := i.step(answer)
	return step, fault, nil
}

// step reads the answer to a step.
func (i *Instance) step(a *answer) (Step, *Fault) {
	text, info := a.texts[0], a.texts[1]
	if fault := i.check("step", text, info); fault != nil {
		return Step{}, fault
	}
	return Step{Observation: text, Reward: a.number, Terminated: a.flags[0], Truncated: a.flags[1], Info: info}, nil
}

// Solution asks the class for its solution in the present state.
func (i *Instance) Solution(ctx context.Context) (Solution, *Fault, error) {
	answer, fault, err := i.play(ctx, opSolution, "")
	if fault != nil || err != nil {
		return Solution{}, fault, err
	}
	solution, fault := i.solution(answer)
	return solution, fault, nil
}

// solution reads the answer to a question for the solution.
func (i *Instance) solution(a *answer) (Solution, *Fault) {
	if fault := i.check("solution", a.texts[0], "{}"); fault != nil {
		return Solution{}, fault
	}
	return Solution{Has: a.flags[0], Text: a.texts[0]}, nil
}

// Close forgets the instance, and ends its process if that was made for it alone.
func (i *Instance) Close() error {
	if i.closed {
		return nil
	}
	i.closed = true
	if i.program != nil {
		i.program.drop(i.process)
		return nil
	}
	if i.process.Alive() {
		i.call(context.Background(), opClose, "", 0, i.limits().Step)
	}
	return nil
}

func (i *Instance) limits() *Limits { return &i.process.sandbox.config.Limits }

// play performs an operation that counts as time of the episode.
func (i *Instance) play(ctx context.Context, k kind, text string) (*answer, *Fault, error) {
	if fault := i.overdue(k); fault != nil {
		return nil, fault, nil
	}
	limit, left := i.limits().Step, i.limits().Episode-i.spent
	i.request.last = left < limit
	answer, fault, err := i.call(ctx, k, text, 0, min(limit, left))
	i.request.last = false
	i.spent += i.request.took
	return answer, fault, err
}

// overdue returns the fault of an episode whose time is used up, nil while it is not.
func (i *Instance) overdue(k kind) *Fault {
	if i.spent < i.limits().Episode {
		return nil
	}
	return &Fault{Outcome: spade.WallTimeout, Phase: operations[k].phase, Message: i.limits().episodeOver()}
}

// call performs an operation with the argument that its kind has. The answer is valid until the next call.
func (i *Instance) call(ctx context.Context, k kind, text string, value int64, limit time.Duration) (*answer, *Fault, error) {
	r := &i.request
	r.kind, r.text, r.value, r.limit = k, text, value, limit
	err := i.process.do(ctx, r)
	return &r.answer, r.fault, err
}

// check applies on our side what the harness has promised to check.
func (i *Instance) check(phase, text, info string) *Fault {
	limit := i.process.sandbox.config.Limits.Observation
	if len(text) > limit || len(info) > limit {
		return &Fault{Outcome: spade.OutputLimit, Phase: phase, Message: "an observation or info is too large"}
	}
	if info == "{}" {
		return nil
	}
	value, err := decodeStrict([]byte(info))
	if err != nil {
		return &Fault{Outcome: spade.InvalidObservation, Phase: phase, Message: oneLine("info is not plain JSON: " + err.Error())}
	}
	if _, ok := value.(map[string]any); !ok {
		return i.process.violate(phase)
	}
	return nil
}
