package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"spade"
	"spade/play"
	"spade/reward"
	"spade/sandbox"
)

type playCommand struct {
	File    string `arg:"" help:"Python file of the environment. It is jailed, admitted or not."`
	Seed    int64  `help:"Seed of the episode." default:"0"`
	Hint    string `help:"File with a hint to play with." placeholder:"F"`
	Actions string `help:"File of actions, one a line (a JSON string where the line starts with a quote), passed to step as they are; @solution plays the environment's solution()." placeholder:"F"`
	Policy  string `help:"Let a policy play: ${policies}" placeholder:"P"`
	Config  string `help:"Take the settings under play: from this configuration." placeholder:"FILE"`
	Sandbox string `help:"Isolation: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print the episode as one JSON object."`

	actions  []action    // what --actions holds
	settings play.Config // what --config holds, or the defaults
}

// played is an episode as JSON.
type played struct {
	Env    string       `json:"env"`
	Seed   int64        `json:"seed"`
	Reset  playedReset  `json:"reset"`
	Turns  []playedTurn `json:"turns"`
	Return float64      `json:"return"`
	Status string       `json:"status"`
	// HintTurn is the turn before which a person asked for the hint, 0 if nobody did.
	HintTurn int `json:"hint_turn,omitempty"`
}

type playedReset struct {
	Observation string          `json:"observation"`
	Info        json.RawMessage `json:"info"`
}

type playedTurn struct {
	Action      string  `json:"action"`
	Observation string  `json:"observation"`
	Reward      float64 `json:"reward"`
	Terminated  bool    `json:"terminated"`
	Truncated   bool    `json:"truncated"`
}

func (c *playCommand) Run(ctx context.Context, con console) error {
	source, hint, err := c.read()
	if err != nil {
		return err
	}
	jail, err := openSandbox(ctx, c.Sandbox, sandbox.Limits{}, con.teller())
	if err != nil {
		return err
	}
	defer jail.Close()
	if c.Policy == "" && c.Actions == "" {
		return c.session(con, source, hint).run(ctx, jail)
	}
	table := c.table(con, source, c.Seed)
	fault, err := c.episode(ctx, jail, source, table, func(ctx context.Context) (*sandbox.Fault, error) {
		if c.Policy != "" {
			return c.byPolicy(ctx, jail, source, hint, table)
		}
		return c.fromFile(ctx, table)
	})
	if err != nil {
		return err
	}
	return c.end(con, table, fault)
}

// table is where the environment will be played on a seed.
func (c *playCommand) table(con console, source string, seed int64) *table {
	return &table{con: con, quiet: c.JSON, game: played{
		Env: spade.ContentID(source), Seed: seed, Turns: []playedTurn{}, Reset: playedReset{Info: json.RawMessage("{}")},
	}}
}

// end prints how an episode ended; fault is the environment's failure, nil if it had none.
func (c *playCommand) end(con console, t *table, fault *sandbox.Fault) error {
	if fault != nil {
		t.game.Status = string(fault.Outcome)
		fmt.Fprintf(con.err, "spade: the environment failed in %s: %s: %s\n", fault.Phase, fault.Outcome, fault.Message)
		if fault.Trace != "" {
			fmt.Fprintln(con.err, strings.TrimRight(fault.Trace, "\n"))
		}
	}
	var err error
	if c.JSON {
		err = printJSON(con, t.game)
	} else {
		_, err = fmt.Fprintf(con.out, "%s, return %g\n", t.game.Status, t.game.Return)
	}
	if err == nil && fault != nil {
		err = errNo
	}
	return err
}

func (c *playCommand) read() (source, hint string, err error) {
	if c.Actions != "" && c.Policy != "" {
		return "", "", spade.Errorf(spade.ByUser, "leave one of them out", "--actions and --policy exclude each other")
	}
	data, err := readFile(c.File, maxSourceFile)
	if err != nil {
		return "", "", spade.Errorf(spade.ByUser, "name the Python file of an environment", "read the environment: %w", err)
	}
	if c.Actions != "" {
		if c.actions, err = readActions(c.Actions); err != nil {
			return "", "", err
		}
	}
	c.settings = playSettings(promptsOf(c.Policy))
	if c.Config != "" {
		if c.settings, err = readPlay(c.Config, promptsOf(c.Policy)); err != nil {
			return "", "", err
		}
	}
	if c.Hint == "" {
		return string(data), "", nil
	}
	text, err := readFile(c.Hint, maxSourceFile)
	if err != nil {
		return "", "", spade.Errorf(spade.ByUser, "name a text file that holds the hint", "read the hint: %w", err)
	}
	return string(data), strings.TrimSpace(string(text)), nil
}

// episode begins an episode at a table and has it played to its end, the last action or the environment's first fault.
func (c *playCommand) episode(ctx context.Context, jail *sandbox.Sandbox, source string, t *table,
	act func(context.Context) (*sandbox.Fault, error)) (*sandbox.Fault, error) {
	process, fault, err := jail.Load(ctx, source, sandbox.LoadOptions{})
	if err != nil || fault != nil {
		return fault, err
	}
	defer process.Close()
	budget := c.settings.MaxTurns
	instance, fault, err := process.New(ctx, budget)
	if err != nil || fault != nil {
		return fault, err
	}
	defer instance.Close()
	defer func() { t.printed(process.Printed()) }()
	if own := instance.MaxTurns(); own > 0 && own < budget {
		budget = own
	}
	t.instance, t.kind, t.budget = instance, process.Kind(), budget
	first, fault, err := instance.Reset(ctx, t.game.Seed)
	if err != nil || fault != nil {
		return fault, err
	}
	t.reset(first)
	return act(ctx)
}

// byPolicy lets a policy play the same seed on the one rollout path and takes over its turns.
func (c *playCommand) byPolicy(ctx context.Context, jail *sandbox.Sandbox, source, hint string, t *table) (*sandbox.Fault, error) {
	model, err := openPolicy(ctx, c.Policy)
	if err != nil {
		return nil, err
	}
	env := spade.NewEnvironment(source)
	env.Kind = t.kind
	arm := spade.Unhinted
	if hint != "" {
		arm = spade.Hinted
	}
	program := jail.Program(source, false)
	defer program.Close()
	p := parts{policy: model, sandbox: jail}
	e, err := p.player(c.settings).Episode(ctx, program, play.Task{
		Env: env, Arm: arm, Seed: c.Seed, Hint: hint,
		Rand: func() *rand.Rand { return spade.Stream(uint64(c.Seed), 0, 0, "play") },
	})
	if err != nil {
		return nil, err
	}
	if e.Stop == spade.StopPolicy {
		return nil, spade.Errorf(spade.ByPolicy, "see what is wrong with the server, then play again",
			"%s could not reply: %s", c.Policy, e.Failure)
	}
	failed := e.Stop == spade.StopEnvironment
	if failed && len(e.Turns) > 0 {
		e.Turns = e.Turns[:len(e.Turns)-1] // the environment did not answer the last action
	}
	for i, turn := range e.Turns {
		observation := e.Final
		if i+1 < len(e.Turns) {
			observation = e.Turns[i+1].Observation
		}
		t.take(playedTurn{turn.Action, observation, turn.Reward, turn.Terminated, turn.Truncated})
	}
	if failed {
		message := fmt.Sprintf("after %d turns of the policy", len(e.Turns))
		return &sandbox.Fault{Outcome: e.Outcome, Phase: "play", Message: message}, nil
	}
	if !t.over() {
		t.finish("truncated") // by the budget of the run or the context of the policy
	}
	return nil, nil
}

// action is one line of a file of actions: a text for step, or the order to play solution().
type action struct {
	text     string
	solution bool
}

// readActions reads a file of actions before anything is played.
func readActions(file string) ([]action, error) {
	data, err := readFile(file, maxSourceFile)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name a text file with one action a line", "read the actions: %w", err)
	}
	var actions []action
	for line := range strings.Lines(string(data)) {
		a := action{text: strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")}
		a.solution = a.text == "@solution"
		if strings.HasPrefix(a.text, `"`) {
			if err := json.Unmarshal([]byte(a.text), &a.text); err != nil {
				return nil, spade.Errorf(spade.ByUser, "close the JSON string, or begin the line with another character",
					"actions %s, line %d: %w", spade.Quote(file), len(actions)+1, err)
			}
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// fromFile plays the lines of a file.
func (c *playCommand) fromFile(ctx context.Context, t *table) (*sandbox.Fault, error) {
	for _, line := range c.actions {
		if t.over() {
			break
		}
		if line.solution {
			if fault, err := t.solve(ctx); err != nil || fault != nil {
				return fault, err
			}
			continue
		}
		if fault, err := t.step(ctx, line.text); err != nil || fault != nil {
			return fault, err
		}
	}
	if !t.over() {
		t.finish("actions_exhausted")
	}
	return nil, nil
}

// table is where an episode is played by hand or from a file.
type table struct {
	con   console
	quiet bool
	// by is the person who plays, nil if nobody does.
	by       *session
	kind     spade.Kind
	budget   int
	instance *sandbox.Instance
	game     played
}

func (t *table) over() bool { return t.game.Status != "" }

func (t *table) say(format string, args ...any) {
	if !t.quiet {
		fmt.Fprint(t.con.out, visible(fmt.Sprintf(format, args...)))
	}
}

// printed shows what the environment wrote to its standard output and error.
func (t *table) printed(text string) {
	if text != "" && !t.quiet {
		fmt.Fprintf(t.con.err, "the environment printed:\n%s\n", strings.TrimRight(text, "\n"))
	}
}

func (t *table) reset(first sandbox.Observation) {
	t.game.Reset.Observation = first.Text
	if first.Info != "" {
		t.game.Reset.Info = json.RawMessage(first.Info)
	}
	t.observe(first.Text)
}

// observe shows what the environment said: as it is, or, to a person, set apart from what else is on the screen.
func (t *table) observe(text string) {
	if t.by != nil {
		text = t.by.margined(text)
	}
	t.say("%s\n", text)
}

// step passes an action to the environment.
func (t *table) step(ctx context.Context, action string) (*sandbox.Fault, error) {
	step, fault, err := t.instance.Step(ctx, action)
	if err != nil || fault != nil {
		return fault, err
	}
	t.take(playedTurn{action, step.Observation, step.Reward, step.Terminated, step.Truncated})
	return nil, nil
}

// take writes a turn down and notices the end of the episode.
func (t *table) take(turn playedTurn) {
	t.game.Turns = append(t.game.Turns, turn)
	if t.by == nil || !t.by.typed {
		t.say("> %s\n", turn.Action)
	}
	t.observe(turn.Observation)
	switch {
	case turn.Terminated:
		t.finish("lost")
		if t.game.Return >= 1 {
			t.game.Status = "won"
		}
	case turn.Truncated || len(t.game.Turns) >= t.budget:
		t.finish("truncated")
	}
}

func (t *table) finish(status string) {
	rewards := make([]float64, len(t.game.Turns))
	for i, turn := range t.game.Turns {
		rewards[i] = turn.Reward
	}
	ended := len(rewards) > 0 && t.game.Turns[len(rewards)-1].Terminated
	t.game.Return, t.game.Status = reward.Return(rewards, ended), status
}

// solve plays what solution() says: for games the next action, asked again after every step; for tool use its
// lines in order.
func (t *table) solve(ctx context.Context) (*sandbox.Fault, error) {
	for !t.over() {
		solution, fault, err := t.instance.Solution(ctx)
		if err != nil || fault != nil {
			return fault, err
		}
		if !solution.Has {
			return nil, spade.Errorf(spade.ByUser, "write the actions themselves", "@solution: the environment has no solution()")
		}
		if t.kind != spade.ToolUse {
			if fault, err := t.step(ctx, boxed(solution.Text)); err != nil || fault != nil {
				return fault, err
			}
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(solution.Text), "\n") {
			if fault, err := t.step(ctx, line); err != nil || fault != nil || t.over() {
				return fault, err
			}
		}
		return nil, nil
	}
	return nil, nil
}

// boxed wraps an action as a game expects it, unless it is wrapped already.
func boxed(action string) string {
	if strings.Contains(action, `\boxed{`) {
		return action
	}
	return `\boxed{` + action + `}`
}
