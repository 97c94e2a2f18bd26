package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/policytest"
	"spade/reward"
)

// counting is won by three times "up" and lost by "down"; "quit" gives up.
const counting = `
class CountingEnv:
    def reset(self, seed=None):
        self.n = 0
        return f"seed {seed}", {}
    def step(self, action):
        self.n += 1
        if action == "\\boxed{quit}":
            return "gave up", 0.5, False, True, {}
        if action != "\\boxed{up}":
            return "fell at " + action, -0.5, True, False, {}
        return f"at {self.n}", 1.0 if self.n == 3 else 0.25, self.n == 3, False, {}
`

// player returns a player with a scripted agent.
func player(maxTurns int, answer func(spec policy.Spec, messages []spade.Message) string) *Player {
	return &Player{
		Policy: policytest.NewScript(answer), Sandbox: jail, Return: reward.Return,
		Config: Config{MaxTurns: maxTurns, MaxTokens: 1000, Temperature: 0.5, TopP: 0.9, TopK: 7},
	}
}

// always answers with one text.
func always(text string) func(policy.Spec, []spade.Message) string {
	return func(policy.Spec, []spade.Message) string { return text }
}

func task(source string, seed int64) Task {
	env := spade.NewEnvironment(source)
	env.Kind = spade.Game
	return Task{
		Env: env, Cycle: 3, Slot: 2, Arm: spade.Unhinted, Index: int(seed), Seed: seed,
		Rand: func() *rand.Rand { return spade.Stream(1, 3, 2, fmt.Sprint("play/", seed)) },
	}
}

// one plays a task in a process of its own.
func one(t *testing.T, p *Player, task Task) spade.Episode {
	t.Helper()
	program := jail.Program(task.Env.Source, false)
	defer program.Close()
	e, err := p.Episode(t.Context(), program, task)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEpisode(t *testing.T) {
	e := one(t, player(25, always(`<think>\boxed{down}?</think> \boxed{ up }`)), task(counting, 5))
	want := spade.Episode{
		EnvID: spade.ContentID(counting), Cycle: 3, Slot: 2, Arm: spade.Unhinted, Index: 5, Seed: 5,
		Final: "at 3", Stop: spade.StopTerminated, Outcome: spade.OK, Return: 1,
	}
	var observations, sampled, fed []string
	for _, turn := range e.Turns {
		observations = append(observations, turn.Observation)
		if turn.Action != `\boxed{up}` {
			t.Errorf("the action is %q", turn.Action)
		}
		var in, out []byte
		for i, token := range turn.Tokens {
			if turn.Mask[i] {
				out = append(out, byte(token))
			} else {
				in = append(in, byte(token))
			}
		}
		fed, sampled = append(fed, string(in)), append(sampled, string(out))
		if sampled[len(sampled)-1] != turn.Reply {
			t.Errorf("the reply is %q, its tokens %q", turn.Reply, out)
		}
	}
	if want := []string{"seed 5", "at 1", "at 2"}; !reflect.DeepEqual(observations, want) || !reflect.DeepEqual(fed, want) {
		t.Errorf("observations %q, fed %q, want %q", observations, fed, want)
	}
	e.Turns = nil
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v\nwant %+v", e, want)
	}
}

func TestEnds(t *testing.T) {
	endless := "class EndlessEnv:\n def reset(self, seed=None):\n  return 'go', {}\n def step(self, action):\n  return 'on', 1.0, False, False, {}\n"
	paced := strings.Replace(endless, "class EndlessEnv:\n", "class EndlessEnv:\n max_turns = 2\n", 1)
	slow := strings.Replace(endless, "class EndlessEnv:\n", "class EndlessEnv:\n max_turns = 50\n", 1)
	long := strings.Replace(endless, "'on'", "'on' * 20000", 1)
	for _, test := range []struct {
		name, source, reply string
		turns               int
		stop                spade.StopReason
		result              float64
		final               string
	}{
		{"won", counting, `\boxed{up}`, 3, spade.StopTerminated, 1, "at 3"},
		{"lost", counting, `\boxed{down}`, 1, spade.StopTerminated, -0.5, `fell at \boxed{down}`},
		{"no box is an empty action", counting, "up", 1, spade.StopTerminated, -0.5, "fell at "},
		{"truncation earns nothing", counting, `\boxed{quit}`, 1, spade.StopTruncated, 0, "gave up"},
		{"the run's budget", endless, `\boxed{up}`, 4, spade.StopTruncated, 0, "on"},
		{"the environment's budget where it is smaller", paced, `\boxed{up}`, 2, spade.StopTruncated, 0, "on"},
		{"the run's budget where that is smaller", slow, `\boxed{up}`, 4, spade.StopTruncated, 0, "on"},
		{"the context is full", long, `\boxed{up}`, 2, spade.StopContext, 0, strings.Repeat("on", 20000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := one(t, player(4, always(test.reply)), task(test.source, 1))
			if len(e.Turns) != test.turns || e.Stop != test.stop || e.Return != test.result || e.Final != test.final {
				t.Errorf("%d turns, stop %s, return %g, final %.40q", len(e.Turns), e.Stop, e.Return, e.Final)
			}
			if e.Outcome != spade.OK || !e.Counts() || e.Won() != (test.result == 1) {
				t.Errorf("outcome %s, counts %v, won %v", e.Outcome, e.Counts(), e.Won())
			}
		})
	}
}

// TestFaults: an environment that misbehaves ends its episode, which does not count, and is no error.
func TestFaults(t *testing.T) {
	env := func(reset, step string) string {
		return "import os\nclass FaultyEnv:\n def reset(self, seed=None):\n  " + reset + "\n def step(self, action):\n  " + step + "\n"
	}
	const go_ = "return 'go', {}"
	for _, test := range []struct {
		name, source string
		outcome      spade.Outcome
		turns        int
	}{
		{"syntax", "class FaultyEnv(:", spade.EnvError, 0},
		{"load", "raise ValueError\n" + env(go_, "pass"), spade.EnvError, 0},
		{"construct", "class FaultyEnv:\n def __init__(self):\n  1/0\n def reset(self, seed=None):\n  pass\n def step(self, action):\n  pass\n", spade.EnvError, 0},
		{"reset", env("1/0", "pass"), spade.EnvError, 0},
		{"step", env(go_, "1/0"), spade.EnvError, 1},
		{"wrong shape", env(go_, "return 'x', 1.0"), spade.InvalidObservation, 1},
		{"NaN", env(go_, "return 'x', float('nan'), True, False, {}"), spade.InvalidReward, 1},
		{"too long", env(go_, "return 'x' * 10**6, 0.0, False, False, {}"), spade.OutputLimit, 1},
		{"exit", env(go_, "os._exit(1)"), spade.EnvExit, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := one(t, player(4, always(`\boxed{up}`)), task(test.source, 1))
			if e.Stop != spade.StopEnvironment || e.Outcome != test.outcome || len(e.Turns) != test.turns {
				t.Errorf("stop %s, outcome %s, %d turns", e.Stop, e.Outcome, len(e.Turns))
			}
			if e.Counts() || e.Return != 0 {
				t.Errorf("it counts: %v, with return %g", e.Counts(), e.Return)
			}
		})
	}
}

// TestHint: the hint stands beside the first observation, once, in every arm but the unhinted.
func TestHint(t *testing.T) {
	for _, arm := range []spade.Arm{spade.Unhinted, spade.Hinted, spade.Placebo} {
		var last []spade.Message
		p := player(25, func(spec policy.Spec, messages []spade.Message) string {
			if spec.Role != spade.Agent || spec.Temperature != 0.5 || spec.TopP != 0.9 || spec.TopK != 7 || spec.MaxTokens != 1000 {
				t.Errorf("the agent is sampled with %+v", spec)
			}
			last = messages
			return `\boxed{up}`
		})
		task := task(counting, 1)
		task.Arm, task.Hint = arm, "go up"
		e := one(t, p, task)
		user := func(name, content string) spade.Message {
			return spade.Message{Speaker: spade.User, Name: name, Content: content}
		}
		said := spade.Message{Speaker: spade.Assistant, Content: `\boxed{up}`}
		want := []spade.Message{
			user(spade.NameObservation, "seed 1"), user(spade.NameHint, "go up"), said,
			user(spade.NameObservation, "at 1"), said, user(spade.NameObservation, "at 2"),
		}
		hint := "go up"
		if arm == spade.Unhinted {
			want, hint = append(want[:1:1], want[2:]...), ""
		}
		if !reflect.DeepEqual(last, want) {
			t.Errorf("%s: the agent read %+v, want %+v", arm, last, want)
		}
		if e.Hint != hint || e.Turns[0].Observation != "seed 1" {
			t.Errorf("%s: hint %q, first observation %q", arm, e.Hint, e.Turns[0].Observation)
		}
	}
}

// TestToolUse: what is not thinking is passed on as it is.
func TestToolUse(t *testing.T) {
	source := `
class DeskEnv(ToolUseBaseEnv):
    def reset(self, seed=None):
        return "Call.", {}
    def step(self, action):
        return "called", float(action.strip() == '<tool_call>{"name": "a"}</tool_call> \\boxed{1}'), True, False, {}
`
	task := task(source, 1)
	task.Env.Kind = spade.ToolUse
	e := one(t, player(4, always(`<think>or <answer>1</answer>?</think><tool_call>{"name": "a"}</tool_call> \boxed{1}`)), task)
	if !e.Won() {
		t.Errorf("stop %s, outcome %s, turns %+v", e.Stop, e.Outcome, e.Turns)
	}
}

// TestNeighbours packs episodes into one process that one of them ends: the others are played again alone, and
// are what they would have been without that neighbour.
func TestNeighbours(t *testing.T) {
	source := `
import os
class SharedEnv:
    def reset(self, seed=None):
        self.seed, self.n = seed, 0
        return f"seed {seed}", {}
    def step(self, action):
        self.n += 1
        if self.seed == 0:
            os._exit(1)
        return action, float(self.n == 4), self.n == 4, False, {}
`
	var opened atomic.Int64
	p := player(25, func(spec policy.Spec, messages []spade.Message) string {
		if len(messages) == 1 {
			opened.Add(1)
		}
		return fmt.Sprintf(`\boxed{%d}`, spec.Rand.IntN(1000))
	})
	tasks := make([]Task, 6)
	for i := range tasks {
		tasks[i] = task(source, int64(i))
	}
	program := jail.Program(source, true)
	defer program.Close()
	episodes, err := p.Episodes(t.Context(), program, tasks)
	if err != nil {
		t.Fatal(err)
	}
	if episodes[0].Outcome != spade.EnvExit {
		t.Errorf("the episode that ends its process: outcome %s", episodes[0].Outcome)
	}
	if opened.Load() <= int64(len(tasks)) {
		t.Error("nothing was played again")
	}
	for i, e := range episodes {
		if alone := one(t, p, tasks[i]); !reflect.DeepEqual(e, alone) {
			t.Errorf("episode %d among others: %+v\nalone: %+v", i, e, alone)
		}
		if i > 0 && !e.Won() {
			t.Errorf("episode %d: stop %s, outcome %s", i, e.Stop, e.Outcome)
		}
	}
}

// TestOrder: episodes come in the order of tasks, and are the same whether they share a process or not.
func TestOrder(t *testing.T) {
	p := player(25, func(spec policy.Spec, _ []spade.Message) string {
		return []string{`\boxed{up}`, `\boxed{up}`, `\boxed{down}`}[spec.Rand.IntN(3)]
	})
	tasks := make([]Task, 12)
	for i := range tasks {
		tasks[i] = task(counting, int64(100-i))
	}
	var played [2][]spade.Episode
	for i, packed := range []bool{true, false} {
		program := jail.Program(counting, packed)
		defer program.Close()
		var err error
		if played[i], err = p.Episodes(t.Context(), program, tasks); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(played[0], played[1]) {
		t.Error("packed and unpacked episodes differ")
	}
	for i, e := range played[0] {
		if e.Seed != int64(100-i) {
			t.Errorf("episode %d has seed %d", i, e.Seed)
		}
	}
}

// broken is a policy that cannot be asked.
type broken struct{ policy.Sampler }

var errServer = errors.New("the server is gone")

func (broken) Open(context.Context, policy.Spec) (policy.Session, error) { return nil, errServer }

func TestErrors(t *testing.T) {
	p := player(4, always(`\boxed{up}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	program := jail.Program(counting, false)
	defer program.Close()
	if _, err := p.Episodes(ctx, program, []Task{task(counting, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	p.Policy = broken{}
	if _, err := p.Episodes(t.Context(), program, []Task{task(counting, 1)}); !errors.Is(err, errServer) {
		t.Errorf("a broken policy: %v", err)
	}
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		key string
		Config
	}{
		{"play.max_turns", Config{MaxTurns: 0, MaxTokens: 1, Temperature: 1}},
		{"play.max_tokens", Config{MaxTurns: 1, MaxTokens: 0, Temperature: 1}},
		{"play.temperature", Config{MaxTurns: 1, MaxTokens: 1, Temperature: 0}},
		{"play.temperature", Config{MaxTurns: 1, MaxTokens: 1, Temperature: math.NaN()}},
		{"play.temperature", Config{MaxTurns: 1, MaxTokens: 1, Temperature: math.Inf(1)}},
		{"play.top_p", Config{MaxTurns: 1, MaxTokens: 1, Temperature: 1, TopP: 1.5}},
		{"play.top_p", Config{MaxTurns: 1, MaxTokens: 1, Temperature: 1, TopP: math.NaN()}},
		{"play.top_k", Config{MaxTurns: 1, MaxTokens: 1, Temperature: 1, TopK: -1}},
	} {
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), c.key+" is ") {
			t.Errorf("%+v: %v", c.Config, err)
		}
	}
}

// failing is an agent that cannot reply at its third turn.
type failing struct {
	policy.Sampler
	err error
}

func (f failing) Open(ctx context.Context, spec policy.Spec) (policy.Session, error) {
	session, err := f.Sampler.Open(ctx, spec)
	return &failingSession{Session: session, err: f.err}, err
}

type failingSession struct {
	policy.Session
	turns int
	err   error
}

func (s *failingSession) Reply(ctx context.Context, messages ...spade.Message) (policy.Reply, error) {
	if s.turns++; s.turns == 3 {
		return policy.Reply{}, s.err
	}
	return s.Session.Reply(ctx, messages...)
}

// TestPolicyFails: a reply that the policy could not give ends its episode, which does not count; any other error of
// the policy ends everything.
func TestPolicyFails(t *testing.T) {
	p := player(10, always(`\boxed{up}`))
	p.Policy = failing{p.Policy, fmt.Errorf("reply: %w", &policy.Failure{Class: "timeout", Err: errors.New("late")})}
	e := one(t, p, task(counting, 1))
	if e.Stop != spade.StopPolicy || e.Failure != "timeout" || e.Counts() || len(e.Turns) != 2 || e.Return != 0 || e.Outcome != spade.OK {
		t.Errorf("%+v", e)
	}
	p.Policy = failing{p.Policy.(failing).Sampler, errors.New("gone")}
	program := jail.Program(counting, false)
	defer program.Close()
	if _, err := p.Episode(t.Context(), program, task(counting, 1)); err == nil {
		t.Error("a policy that is gone ends only the episode")
	}
}

// TestInstructions: a model that follows instructions is told how to play, once, and what a hint is.
func TestInstructions(t *testing.T) {
	var read []spade.Message
	p := player(10, func(_ policy.Spec, messages []spade.Message) string {
		read = messages
		return `\boxed{up}`
	})
	p.Policy = instructed{p.Policy}
	hinted := task(counting, 1)
	hinted.Arm, hinted.Hint = spade.Hinted, "go up"
	one(t, p, hinted)
	if len(read) != 7 || read[0].Content != Instructions(spade.Game, 10) || read[1].Content != "seed 1" ||
		!strings.HasSuffix(read[2].Content, "works:\ngo up") || read[4].Content != "at 1" {
		t.Errorf("the agent read %q", read)
	}
	if text := Instructions(spade.ToolUse, 7); !strings.Contains(text, "at most 7 turns") || !strings.Contains(text, "<tool_call>") {
		t.Errorf("for tools: %s", text)
	}
}

type instructed struct{ policy.Sampler }

func (s instructed) Info() policy.Info {
	info := s.Sampler.Info()
	info.Prompts = policy.InstructPrompts
	return info
}
