package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"spade"
	"spade/lab"
	"spade/policy/local"
	"spade/selfplay"
	"spade/store"
)

// labMachine plays the runs of a lab as processes of this program: a run has the processor time of its process and of
// all that it starts, and one that fails takes no other with it.
type labMachine struct {
	plan lab.Plan
	base selfplay.Config
	// out is the absolute path of the lab's folder.
	out    string
	tokens int64
	// processors is how many of them a run may use.
	processors int
	say        func(format string, args ...any)
}

// open makes the folders of the lab, and looks whether what is in them belongs to it, before anything is played.
func (m *labMachine) open() error {
	for _, folder := range []string{"configs", "costs", "logs", "runs", "warm-starts"} {
		if err := os.MkdirAll(filepath.Join(m.out, folder), 0o755); err != nil {
			return spade.Errorf(spade.ByUser, "name a folder that can be written with --out", "make the folder of the lab: %w", err)
		}
	}
	for _, c := range m.plan.Cells() {
		cfg, err := m.config(c)
		if err != nil {
			return err
		}
		if _, _, err := progressOf(m.path("runs", c.Name()), cfg); err != nil {
			return err
		}
	}
	return nil
}

func (m *labMachine) path(folder, name string) string { return filepath.Join(m.out, folder, name) }

// warmStart is the folder of a warm start. It names the number of tokens, so that one of another length is another one.
func (m *labMachine) warmStart(w lab.WarmStart) string {
	return m.path("warm-starts", fmt.Sprintf("%s-%d-tokens", w.Name(), m.tokens))
}

// config is the configuration of a cell's run. Models of other widths than the shipped one learn at another rate.
func (m *labMachine) config(c lab.Cell) (selfplay.Config, error) {
	cfg := m.base
	cfg.Arm, cfg.Seed, cfg.Cycles, cfg.EvalEvery, cfg.Policy = c.Arm, c.Seed, m.plan.Cycles, m.plan.EvalEvery, "local"
	if w := c.WarmStart(); !w.Shipped() {
		cfg.Policy = "local:" + m.warmStart(w)
	}
	shape, err := local.ConfigOfSize(1, c.Size)
	if err != nil {
		return cfg, err
	}
	cfg.Learn.LearningRate = byWidth(cfg.Learn.LearningRate, shape.HiddenSize)
	cfg, err = cfg.Resolve()
	if err != nil {
		return cfg, err
	}
	return cfg, errors.Join(absolutePaths(&cfg), cfg.Validate(), checkSampling(cfg))
}

// Prepare implements lab.Machine. A warm start that was interrupted is made anew.
func (m *labMachine) Prepare(ctx context.Context, w lab.WarmStart) error {
	dir := m.warmStart(w)
	if exists(dir) {
		return nil
	}
	unfinished := dir + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("remove an unfinished warm start: %w", err)
	}
	m.say("warm start %s: %d tokens, some minutes", w.Name(), m.tokens)
	size := w.Size
	if size == "" {
		size = shippedSize
	}
	err := m.child(ctx, "warm-start-"+w.Name(), nil, "pretrain", "--out", unfinished, "--seed", strconv.FormatUint(w.Seed, 10),
		"--size", size, "--tokens", strconv.FormatInt(m.tokens, 10))
	if err != nil {
		return err
	}
	return os.Rename(unfinished, dir)
}

// Play implements lab.Machine.
func (m *labMachine) Play(ctx context.Context, c lab.Cell, cycle func(int)) error {
	cfg, err := m.config(c)
	if err != nil {
		return err
	}
	dir, file := m.path("runs", c.Name()), m.path("configs", c.Name()+".yaml")
	done, begun, err := progressOf(dir, cfg)
	if err != nil || done {
		return err
	}
	data, err := encodeConfig(cfg)
	if err != nil {
		return err
	}
	if err := lab.ReplaceFile(file, data); err != nil { // also of a run that goes on: its length may be another one
		return fmt.Errorf("write a configuration: %w", err)
	}
	args := []string{"run", file, "--dir", dir}
	if begun {
		args = []string{"run", "--resume", "--dir", dir, "--cycles", strconv.Itoa(cfg.Cycles)}
	}
	follow := func(line []byte) {
		var said struct{ Cycle int }
		if json.Unmarshal(line, &said) == nil && said.Cycle > 0 {
			cycle(said.Cycle)
		}
	}
	return m.child(ctx, c.Name(), follow, append(args, "--json", "--cost", m.path("costs", c.Name()+".jsonl"))...)
}

// progressOf says whether a run is over, and whether it has begun. One under another configuration is the user's error.
func progressOf(dir string, cfg selfplay.Config) (done, begun bool, err error) {
	if !exists(filepath.Join(dir, "config.yaml")) {
		return false, false, nil
	}
	run, err := store.Open(dir)
	if err != nil {
		return false, true, err
	}
	defer run.Close()
	recorded, err := decodeConfig(filepath.Join(dir, "config.yaml"), run.Config())
	if err != nil {
		return false, true, err
	}
	if recorded.Cycles <= cfg.Cycles { // runs may become longer
		recorded.Cycles = cfg.Cycles
	}
	if difference := differenceOf(recorded, cfg); difference != "" {
		return false, true, spade.Errorf(spade.ByUser, "use the same options, or another folder with --out",
			"%s was begun under another configuration: %s", spade.Quote(dir), difference)
	}
	last, _, _, _, err := run.Last()
	if err != nil {
		return false, true, err
	}
	// A run that is made longer keeps its old summary until it commits a cycle.
	summary, err := run.Summary()
	return summary != nil && last == cfg.Cycles, true, err
}

// child runs this program with args and gives each line of its standard output to follow, if there is one. What it
// says on standard error goes into a log file of the given name.
func (m *labMachine) child(ctx context.Context, name string, follow func([]byte), args ...string) error {
	logFile := m.path("logs", name+".log")
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write a log: %w", err)
	}
	defer log.Close()
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("write a log: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(m.processors))
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	// The kernel ends the child when the thread that started it ends, so that thread must live as long.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	apartFromTerminal(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxTextFile)
	for lines.Scan() {
		if follow != nil {
			follow(lines.Bytes())
		}
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return spade.Errorf(blame(cmd.ProcessState.ExitCode()), "look into "+spade.Quote(logFile)+"; the same command goes on", "%w%s", err, lastError(logFile, before))
	}
	return nil
}

// blame is the boundary at which a program failed that ended with the given status.
func blame(status int) spade.Boundary {
	switch status {
	case exitUsage:
		return spade.ByUser
	case exitServer:
		return spade.ByPolicy
	}
	return spade.ByMachine
}

// lastError is the last error that a log tells of after its first bytes, which are of earlier attempts.
func lastError(file string, before int64) string {
	log, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer log.Close()
	if _, err := log.Seek(before, io.SeekStart); err != nil {
		return ""
	}
	last := ""
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if text, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), "spade: "); found {
			last = ": " + text
		}
	}
	return last
}

// Read implements lab.Machine.
func (m *labMachine) Read(c lab.Cell) (lab.Run, error) {
	run, err := store.Open(m.path("runs", c.Name()))
	if err != nil {
		return lab.Run{}, err
	}
	defer run.Close()
	costs, err := lab.ReadCosts(m.path("costs", c.Name()+".jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return lab.Run{}, err
	}
	return readLabRun(run, c, costs)
}

func readLabRun(run *store.Run, c lab.Cell, costs []lab.Cost) (lab.Run, error) {
	stats, err := run.Stats()
	if err != nil {
		return lab.Run{}, err
	}
	environments, err := run.Environments()
	if err != nil {
		return lab.Run{}, err
	}
	sources := map[string]string{}
	for _, env := range environments {
		sources[env.ID] = env.Source
	}
	result := lab.Run{Cell: c}
	var trace lab.Trace
	for _, s := range stats {
		scores, err := run.Scores(s.Cycle)
		if err != nil {
			return lab.Run{}, err
		}
		var played []lab.Played
		for _, score := range scores {
			if !score.Replay {
				played = append(played, lab.Played{Source: sources[score.EnvID], Score: score})
			}
		}
		p := lab.Point{Cycle: s.Cycle, Stats: s.CycleStats, CPU: lab.LearningBy(costs, s.Cycle)}
		trace.Read(&p, played)
		result.Points = append(result.Points, p)
	}
	_, state, _, _, err := run.Last()
	if err != nil {
		return lab.Run{}, err
	}
	remembered, err := selfplay.Remembered(state)
	result.Memory = lab.CountMemory(remembered)
	return result, err
}
