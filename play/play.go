// Package play is the one path on which episodes are played: by the loop, by evaluation and from the command
// line.
//
// It owns the turns of an episode, the arms, the budget of turns and the reasons for which episodes end. It
// owns neither the environment's process (sandbox), nor the model (policy), nor what a win is worth (reward).
// It runs after admission, for every environment of a cycle, and again for held-out suites.
package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/policy"
	"spade/reply"
	"spade/sandbox"
)

// Config says how the agent plays.
type Config struct {
	// MaxTurns is the run's budget of turns; an environment's own max_turns counts where it is smaller.
	MaxTurns int `yaml:"max_turns" json:"max_turns"`
	// MaxTokens bounds one reply of the agent, in tokens.
	MaxTokens int `yaml:"max_tokens" json:"max_tokens"`
	// Temperature is > 0; TopP in (0, 1] and TopK >= 0 narrow the distribution, 0 leaves either off.
	Temperature float64 `yaml:"temperature" json:"temperature"`
	TopP        float64 `yaml:"top_p" json:"top_p"`
	TopK        int     `yaml:"top_k" json:"top_k"`
}

// Default is the configuration for the embedded model: actions of a few tokens, sampled from its own
// distribution.
func Default() Config { return Config{MaxTurns: 25, MaxTokens: 8, Temperature: 1} }

// Validate reports the first setting that makes no sense.
func (c Config) Validate() error {
	switch {
	case c.MaxTurns < 1:
		return fmt.Errorf("play.max_turns is %d: at least 1 is needed", c.MaxTurns)
	case c.MaxTokens < 1:
		return fmt.Errorf("play.max_tokens is %d: at least 1 is needed", c.MaxTokens)
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 1): // NaN is neither above nor below anything
		return fmt.Errorf("play.temperature is %g: it must be a number above 0", c.Temperature)
	case !(c.TopP >= 0 && c.TopP <= 1):
		return fmt.Errorf("play.top_p is %g: it must lie in [0, 1]", c.TopP)
	case c.TopK < 0:
		return fmt.Errorf("play.top_k is %d: it must not be negative", c.TopK)
	}
	return nil
}

// Task is one episode to play.
type Task struct {
	Env   spade.Environment
	Cycle int
	Slot  int
	Arm   spade.Arm
	// Index numbers the episodes of an arm; tasks of equal Env and Index should have equal Seed.
	Index int
	Seed  int64
	// Hint is shown unless the arm is unhinted.
	Hint string
	// Rand returns the stream of the agent's draws. It is called once for each attempt, so that an attempt
	// that is repeated in a process of its own draws the same.
	Rand func() *rand.Rand
}

// Player plays episodes. It is safe for concurrent use.
type Player struct {
	Policy  policy.Sampler
	Sandbox *sandbox.Sandbox
	Config  Config
	// Return turns the rewards of an episode into its return (reward.Return).
	Return func(rewards []float64, terminated bool) float64
}

// Episodes plays the tasks concurrently; all must be of the environment that program holds. The result is in
// the order of tasks.
func (p *Player) Episodes(ctx context.Context, program *sandbox.Program, tasks []Task) ([]spade.Episode, error) {
	episodes := make([]spade.Episode, len(tasks))
	group, ctx := errgroup.WithContext(ctx)
	for i, task := range tasks {
		group.Go(func() error {
			var err error
			episodes[i], err = p.Episode(ctx, program, task)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return episodes, nil
}

// Episode plays one task on an instance of program. If it fails for a reason that a neighbour in the same
// process may have caused, or because our own machinery failed, it is played again alone. An error means that our machinery or the policy failed,
// not that the environment misbehaved.
func (p *Player) Episode(ctx context.Context, program *sandbox.Program, task Task) (spade.Episode, error) {
	episode, err := p.attempt(ctx, program, task)
	ours := episode.Outcome == spade.SandboxError
	if err != nil || !ours && !(program.Packed() && neighbourly(episode.Outcome)) {
		return episode, err
	}
	alone := program.Alone()
	defer alone.Close()
	return p.attempt(ctx, alone, task)
}

// neighbourly reports whether an outcome may be the doing of another episode in the same process.
func neighbourly(o spade.Outcome) bool {
	switch o {
	case spade.EnvExit, spade.WallTimeout, spade.CPULimit, spade.MemoryLimit, spade.ProtocolViolation, spade.SandboxError:
		return true
	}
	return false
}

func (p *Player) attempt(ctx context.Context, program *sandbox.Program, task Task) (spade.Episode, error) {
	e := spade.Episode{
		EnvID: task.Env.ID, Cycle: task.Cycle, Slot: task.Slot, Arm: task.Arm, Index: task.Index, Seed: task.Seed,
		Outcome: spade.OK,
	}
	if task.Arm != spade.Unhinted {
		e.Hint = task.Hint
	}
	instance, fault, err := program.Instance(ctx, p.Config.MaxTurns)
	if err != nil {
		return e, fmt.Errorf("play %s: %w", task.Env.ID, err)
	}
	if fault != nil {
		return failed(e, fault), nil
	}
	defer instance.Close()
	first, fault, err := instance.Reset(ctx, task.Seed)
	if err != nil {
		return e, fmt.Errorf("play %s: %w", task.Env.ID, err)
	}
	if fault != nil {
		return failed(e, fault), nil
	}
	session, err := p.Policy.Open(ctx, policy.Spec{
		Role: spade.Agent, Rand: task.Rand(), Temperature: p.Config.Temperature, TopP: p.Config.TopP,
		TopK: p.Config.TopK, MaxTokens: p.Config.MaxTokens,
	})
	if err != nil {
		return e, fmt.Errorf("play %s: %w", task.Env.ID, err)
	}
	defer session.Close()
	e, err = p.turns(ctx, e, task.Env.Kind, instance, session, first.Text)
	if err != nil {
		return e, fmt.Errorf("play %s: %w", task.Env.ID, err)
	}
	return e, nil
}

// turns plays from the first observation to the end.
func (p *Player) turns(ctx context.Context, e spade.Episode, kind spade.Kind, instance *sandbox.Instance,
	session policy.Session, observation string) (spade.Episode, error) {
	budget := p.Config.MaxTurns
	if own := instance.MaxTurns(); own > 0 && own < budget {
		budget = own
	}
	var rewards []float64
	e.Final = observation
	e.Stop = spade.StopTruncated
	for len(e.Turns) < budget {
		said, err := session.Reply(ctx, p.messages(kind, budget, observation, e.Hint, len(e.Turns) == 0)...)
		if failure := (*policy.Failure)(nil); errors.As(err, &failure) && ctx.Err() == nil {
			e.Stop, e.Failure = spade.StopPolicy, failure.Class
			return e, nil
		}
		if err != nil {
			return e, err
		}
		if said.Stop == policy.StopContext {
			e.Stop = spade.StopContext
			break
		}
		turn := spade.Turn{
			Observation: observation, Reply: said.Text, Action: action(kind, said.Text),
			Tokens: said.Tokens, LogProbs: said.LogProbs, Mask: said.Mask, Version: said.Version,
		}
		step, fault, err := instance.Step(ctx, turn.Action)
		if err != nil {
			return e, err
		}
		if fault != nil {
			e.Turns = append(e.Turns, turn)
			return failed(e, fault), nil
		}
		turn.Reward, turn.Terminated, turn.Truncated = step.Reward, step.Terminated, step.Truncated
		e.Turns = append(e.Turns, turn)
		rewards = append(rewards, step.Reward)
		observation, e.Final = step.Observation, step.Observation
		if step.Terminated {
			e.Stop = spade.StopTerminated
			break
		}
		if step.Truncated {
			break
		}
	}
	e.Return = p.Return(rewards, e.Stop == spade.StopTerminated)
	return e, nil
}

// action is what an environment of the given kind is passed for a reply: the boxed action of a game ("" where
// the reply has none), and for tool use everything after the thinking part.
func action(kind spade.Kind, text string) string {
	if kind == spade.ToolUse {
		_, rest, _ := reply.Thinking(text)
		return rest
	}
	return reply.Action(text)
}

func failed(e spade.Episode, fault *sandbox.Fault) spade.Episode {
	e.Stop = spade.StopEnvironment
	e.Outcome = fault.Outcome
	e.Return = 0
	return e
}
