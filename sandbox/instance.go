package sandbox

import (
	"context"
	"math"

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
}

// New constructs the class. Its own max_turns is left as it is, unless it is above maxTurns or the constructor
// insists on being told; maxTurns 0 is no bound.
func (p *Process) New(ctx context.Context, maxTurns int) (*Instance, *Fault, error) {
	p.mu.Lock()
	p.next++
	i := &Instance{process: p, number: p.next}
	p.mu.Unlock()
	value, fault, err := p.do(ctx, "new", i.number, maxTurns, p.sandbox.config.Limits.Load)
	if fault != nil || err != nil {
		return nil, fault, err
	}
	fields, ok := value.([]any)
	if !ok || len(fields) != 1 {
		return nil, p.violate("construct"), nil
	}
	own, ok := fields[0].(float64)
	if !ok || own < 0 || own > math.MaxInt32 || own != math.Trunc(own) {
		return nil, p.violate("construct"), nil
	}
	i.maxTurns = int(own)
	return i, nil, nil
}

// MaxTurns returns the environment's own attribute max_turns, 0 if it has none.
func (i *Instance) MaxTurns() int { return i.maxTurns }

// Process returns the process that the instance lives in.
func (i *Instance) Process() *Process { return i.process }

// Reset starts an episode with the seed.
func (i *Instance) Reset(ctx context.Context, seed int64) (Observation, *Fault, error) {
	fields, fault, err := i.call(ctx, "reset", seed, 2)
	if fault != nil || err != nil {
		return Observation{}, fault, err
	}
	text, ok1 := fields[0].(string)
	info, ok2 := fields[1].(string)
	if !ok1 || !ok2 {
		return Observation{}, i.process.violate("reset"), nil
	}
	if fault := i.check("reset", text, info); fault != nil {
		return Observation{}, fault, nil
	}
	return Observation{Text: text, Info: info}, nil, nil
}

// Step passes an action to the environment as it is.
func (i *Instance) Step(ctx context.Context, action string) (Step, *Fault, error) {
	fields, fault, err := i.call(ctx, "step", action, 5)
	if fault != nil || err != nil {
		return Step{}, fault, err
	}
	text, ok1 := fields[0].(string)
	reward, ok2 := fields[1].(float64)
	terminated, ok3 := fields[2].(bool)
	truncated, ok4 := fields[3].(bool)
	info, ok5 := fields[4].(string)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return Step{}, i.process.violate("step"), nil
	}
	if fault := i.check("step", text, info); fault != nil {
		return Step{}, fault, nil
	}
	return Step{Observation: text, Reward: reward, Terminated: terminated, Truncated: truncated, Info: info}, nil, nil
}

// Solution asks the class for its solution in the present state.
func (i *Instance) Solution(ctx context.Context) (Solution, *Fault, error) {
	fields, fault, err := i.call(ctx, "solution", nil, 2)
	if fault != nil || err != nil {
		return Solution{}, fault, err
	}
	has, ok1 := fields[0].(bool)
	text, ok2 := fields[1].(string)
	if !ok1 || !ok2 {
		return Solution{}, i.process.violate("solution"), nil
	}
	if fault := i.check("solution", text, "{}"); fault != nil {
		return Solution{}, fault, nil
	}
	return Solution{Has: has, Text: text}, nil, nil
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
		i.process.do(context.Background(), "close", i.number, nil, i.process.sandbox.config.Limits.Step)
	}
	return nil
}

// call performs an operation whose answer is a list of n values.
func (i *Instance) call(ctx context.Context, kind string, argument any, n int) ([]any, *Fault, error) {
	limit := i.process.sandbox.config.Limits.Step
	if kind == "reset" {
		limit = i.process.sandbox.config.Limits.Reset
	}
	value, fault, err := i.process.do(ctx, kind, i.number, argument, limit)
	if fault != nil || err != nil {
		return nil, fault, err
	}
	fields, ok := value.([]any)
	if !ok || len(fields) != n {
		return nil, i.process.violate(phases[kind]), nil
	}
	return fields, nil, nil
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
