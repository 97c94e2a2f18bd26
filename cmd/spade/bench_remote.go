package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"spade"
	"spade/bench"
	"spade/play"
	"spade/policy/openai"
	"spade/reward"
	"spade/sandbox"
	"spade/sandbox/python"
)

// remote measures how many turns a second the loop gets out of a model server that always answers after the same time.
type remote struct {
	episodes int
	delay    time.Duration
	profile  string
}

const (
	// remotePrograms is the number of environments that the episodes are spread over.
	remotePrograms = 32
	// remoteWarmUp is how long the bound on requests may take to open, remoteSpan how long is measured.
	remoteWarmUp = 4 * time.Second
	remoteSpan   = 6 * time.Second
)

// endless is an environment of no end: what it says depends on what was done.
const endless = `
import random
class EndlessEnv:
    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.sum = 0
        return "Add what you are told. First: 3", {}
    def step(self, action):
        self.sum += len(action)
        return f"The sum is {self.sum}. Add {self.rng.randrange(100)}", 0.0, False, False, {}
`

func (r remote) measure(ctx context.Context, con console) ([]bench.Figure, error) {
	server, err := startAnswering(ctx, r.delay)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	jail, err := openSandbox(ctx, "degraded", sandbox.Limits{}, con.teller())
	if err != nil {
		return nil, err
	}
	defer jail.Close()
	model, err := openai.Connect(ctx, openai.Address{Base: server.url + "/v1", Model: "fixed"})
	if err != nil {
		return nil, err
	}
	before := inUse()
	playing, stop := context.WithCancel(ctx)
	defer stop()
	done := r.play(playing, jail, model)
	if err := sleepFor(ctx, done, remoteWarmUp); err != nil {
		return nil, err
	}
	m, err := r.span(ctx, done, model, server)
	if err != nil {
		return nil, err
	}
	m.perEpisode = float64(inUse()-before) / float64(r.episodes) / 1024
	stop()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	pattern, err := r.pythonPattern(ctx)
	if err != nil {
		return nil, err
	}
	return r.figures(m, pattern), nil
}

// remoteSpent is what happened in the span.
type remoteSpent struct {
	turns float64 // a second
	// idle is the share of the machine's processor time that nobody used; own, server and rest are what this program, the
	// model server and everybody else (the jails, other programs) used of it.
	idle, own, server, rest float64
	// perEpisode is the memory that a waiting episode takes here, in KiB.
	perEpisode float64
}

func (r remote) span(ctx context.Context, done <-chan error, model *openai.Policy, server *answering) (remoteSpent, error) {
	if r.profile != "" {
		file, err := os.Create(r.profile)
		if err != nil {
			return remoteSpent{}, spade.Errorf(spade.ByUser, "name a file that can be written with --profile", "%w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return remoteSpent{}, fmt.Errorf("bench: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	from, answered := readClocks(server.pid()), model.Counts().Requests
	if err := sleepFor(ctx, done, remoteSpan); err != nil {
		return remoteSpent{}, err
	}
	to, until := readClocks(server.pid()), model.Counts().Requests
	all := to.all - from.all
	return remoteSpent{
		turns: float64(until-answered) / to.at.Sub(from.at).Seconds(),
		idle:  (to.idle - from.idle) / all, own: (to.own - from.own) / all, server: (to.other - from.other) / all,
		rest: (all - (to.idle - from.idle) - (to.own - from.own) - (to.other - from.other)) / all,
	}, nil
}

// play starts the episodes and returns a channel that tells when they are over.
func (r remote) play(ctx context.Context, jail *sandbox.Sandbox, model *openai.Policy) <-chan error {
	player := &play.Player{Policy: model, Sandbox: jail, Return: reward.Return,
		Config: play.Config{MaxTurns: 1 << 20, MaxTokens: 64, Temperature: 1}}
	done := make(chan error, 1)
	go func() {
		var group sync.WaitGroup
		errs := make(chan error, r.episodes)
		for n := range min(remotePrograms, r.episodes) {
			source := fmt.Sprintf("# %d\n%s", n, endless)
			env := spade.NewEnvironment(source)
			env.Kind = spade.Game
			program := jail.Program(source, true)
			defer program.Close()
			for i := n; i < r.episodes; i += remotePrograms {
				group.Go(func() {
					_, err := player.Episode(ctx, program, play.Task{Env: env, Slot: n, Arm: spade.Unhinted, Index: i, Seed: int64(i),
						Rand: func() *rand.Rand { return spade.Stream(1, 1, n, fmt.Sprint("bench ", i)) }})
					errs <- err
				})
			}
		}
		group.Wait()
		done <- <-errs
	}()
	return done
}

func (r remote) figures(m remoteSpent, pattern float64) []bench.Figure {
	ideal := float64(r.episodes) / r.delay.Seconds()
	ratio := m.turns / ideal
	saturated := m.idle <= 0.05
	return []bench.Figure{
		{Name: "remote_turns_per_second", Value: m.turns, Unit: "turns/s", Against: "episodes divided by the server's delay", Ratio: ratio,
			Target: ">= 0.95 of the ideal rate, or no idle processor", Holds: ratio >= 0.95 || saturated},
		{Name: "remote_python_pattern", Value: pattern, Unit: "turns/s", Against: "asyncio with a thread executor and no server, ideal rate",
			Ratio: pattern / ideal, Holds: true},
		{Name: "remote_against_python", Value: m.turns / pattern, Unit: "times", Against: "the same pattern in Python, right afterwards",
			Ratio: m.turns / pattern, Target: ">= 1", Holds: m.turns >= pattern},
		{Name: "remote_memory_per_episode", Value: m.perEpisode, Unit: "KiB", Against: "heap and stacks in use before the episodes",
			Ratio: m.perEpisode / 64, Target: "<= 64 KiB", Holds: m.perEpisode <= 64},
		{Name: "remote_idle_share", Value: m.idle, Unit: "of the machine", Holds: true},
		{Name: "remote_own_share", Value: m.own, Unit: "of the machine", Holds: true},
		{Name: "remote_server_share", Value: m.server, Unit: "of the machine", Holds: true},
		{Name: "remote_rest_share", Value: m.rest, Unit: "of the machine", Against: "jails and other programs", Holds: true},
	}
}

// sleepFor waits while the episodes go on.
func sleepFor(ctx context.Context, done <-chan error, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case err := <-done:
		return fmt.Errorf("bench: the episodes ended early: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// inUse is the heap and the stacks in use after a collection, in bytes.
func inUse() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapInuse + s.StackInuse
}

// clocks are processor times in seconds.
type clocks struct {
	at                    time.Time
	all, idle, own, other float64
}

// ticks is the unit of /proc: user programs see 100 a second.
const ticks = 100

func readClocks(pid int) clocks {
	c := clocks{at: time.Now()}
	if data, err := os.ReadFile("/proc/stat"); err == nil {
		line, _, _ := strings.Cut(string(data), "\n")
		for i, field := range strings.Fields(line)[1:] {
			n, _ := strconv.ParseFloat(field, 64)
			if i < 8 { // what guests use is counted in user time already
				c.all += n / ticks
			}
			if i == 3 || i == 4 {
				c.idle += n / ticks
			}
		}
	}
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		c.own = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	}
	if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.ParseFloat(fields[11], 64)
			system, _ := strconv.ParseFloat(fields[12], 64)
			c.other = (user + system) / ticks
		}
	}
	return c
}

//go:embed bench_remote.py
var patternSource string

// pythonPattern is the turn rate of the usual pattern in Python: a coroutine per episode that waits for the same time
// instead of a server, and steps the environment in a pool of threads.
func (r remote) pythonPattern(ctx context.Context) (turns float64, err error) {
	interpreter, err := python.Find(ctx, "")
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, interpreter.Executable, "-I", "-c", patternSource, strconv.Itoa(r.episodes),
		fmt.Sprint(r.delay.Seconds()), fmt.Sprint(remoteSpan.Seconds()))
	cmd.Stdin = strings.NewReader(endless)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("bench: the pattern in Python: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// answering is a model server in a process of its own.
type answering struct {
	url string
	cmd *exec.Cmd
	in  io.Closer
}

func startAnswering(ctx context.Context, delay time.Duration) (*answering, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, "bench", "answer", "--delay", delay.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("bench: start a model server: %w", err)
	}
	a := &answering{cmd: cmd, in: in}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		a.stop()
		return nil, fmt.Errorf("bench: start a model server: %w", err)
	}
	a.url = strings.TrimSpace(line)
	return a, nil
}

func (a *answering) pid() int { return a.cmd.Process.Pid }

func (a *answering) stop() {
	a.in.Close()
	a.cmd.Wait()
}

// benchAnswerCommand is a server of chat completions that answers the same after the same time, until its input ends.
type benchAnswerCommand struct {
	Delay time.Duration `default:"200ms"`
}

func (c *benchAnswerCommand) Run(ctx context.Context, con console) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("bench answer: %w", err)
	}
	answer, err := json.Marshal(map[string]any{"object": "chat.completion", "model": "fixed",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": `I add it: \boxed{7}`}}},
		"usage":   map[string]int{"prompt_tokens": 20, "completion_tokens": 8}})
	if err != nil {
		return fmt.Errorf("bench answer: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		io.Copy(io.Discard, r.Body)
		time.Sleep(c.Delay)
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})}
	go func() {
		io.Copy(io.Discard, con.in)
		server.Close()
	}()
	fmt.Fprintf(con.out, "http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("bench answer: %w", err)
	}
	return nil
}
