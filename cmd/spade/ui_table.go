package main

import (
	"context"
	"sync"

	"spade"
	"spade/reward"
	"spade/sandbox"
	"spade/web"
)

// jailTable is where the dashboard's games are played. A jail has one set of limits, that of the runs whose games are
// played in it, and is opened with the first of these.
type jailTable struct {
	isolation string
	tell      teller

	mu    sync.Mutex
	jails map[sandbox.Limits]*sandbox.Sandbox
}

func (t *jailTable) open(limits sandbox.Limits) (*sandbox.Sandbox, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if jail := t.jails[limits]; jail != nil {
		return jail, nil
	}
	jail, err := openSandbox(context.Background(), t.isolation, limits, t.tell)
	if err != nil {
		return nil, err
	}
	if t.jails == nil {
		t.jails = map[sandbox.Limits]*sandbox.Sandbox{}
	}
	t.jails[limits] = jail
	return jail, nil
}

func (t *jailTable) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, jail := range t.jails {
		jail.Close()
	}
}

// Deal begins a game in a process of its own, under what the configuration of its run, a uiRun, allows the agent.
func (t *jailTable) Deal(ctx context.Context, run web.Run, env spade.Environment, seed int64) (web.Game, error) {
	cfg := run.(*uiRun).config
	jail, err := t.open(cfg.Sandbox)
	if err != nil {
		return nil, err
	}
	g := &jailGame{program: jail.Program(env.Source, false), kind: env.Kind, state: web.GameState{Status: "playing", Budget: cfg.Play.MaxTurns}}
	if err := g.begin(ctx, seed); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// jailGame is a game in the jail.
type jailGame struct {
	program  *sandbox.Program
	kind     spade.Kind
	instance *sandbox.Instance
	rewards  []float64
	state    web.GameState
}

func (g *jailGame) begin(ctx context.Context, seed int64) error {
	var fault *sandbox.Fault
	var err error
	g.instance, fault, err = g.program.Instance(ctx, g.state.Budget)
	if err != nil {
		return err
	}
	if fault != nil {
		g.fault(fault)
		return nil
	}
	if own := g.instance.MaxTurns(); own > 0 {
		g.state.Budget = min(own, g.state.Budget)
	}
	first, fault, err := g.instance.Reset(ctx, seed)
	if err != nil {
		return err
	}
	if fault != nil {
		g.fault(fault)
		return nil
	}
	g.state.Observation = first.Text
	return nil
}

func (g *jailGame) fault(f *sandbox.Fault) {
	g.state.Status, g.state.Fault = string(f.Outcome), f.String()
}

func (g *jailGame) State() web.GameState { return g.state }

// Step passes an action on as the agent's would be: boxed in games, as it is in tool use.
func (g *jailGame) Step(ctx context.Context, action string) (web.GameState, error) {
	if g.state.Status != "playing" {
		return g.state, nil
	}
	if g.kind != spade.ToolUse {
		action = boxed(action)
	}
	step, fault, err := g.instance.Step(ctx, action)
	if err != nil {
		return g.state, err
	}
	if fault != nil {
		g.fault(fault)
		return g.state, nil
	}
	g.rewards = append(g.rewards, step.Reward)
	g.state.Observation, g.state.Reward = step.Observation, step.Reward
	g.state.Turn++
	switch {
	case step.Terminated:
		g.state.Return, g.state.Status = reward.Return(g.rewards, true), "lost"
		if g.state.Return >= 1 {
			g.state.Status = "won"
		}
	case step.Truncated || g.state.Turn >= g.state.Budget:
		g.state.Return, g.state.Status = reward.Return(g.rewards, false), "truncated"
	}
	return g.state, nil
}

func (g *jailGame) Close() error {
	if g.instance != nil {
		g.instance.Close()
	}
	return g.program.Close()
}
