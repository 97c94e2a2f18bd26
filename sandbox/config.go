package sandbox

import (
	"fmt"
	"runtime"
	"time"
)

// Config says how a sandbox is opened. Its zero value is usable.
type Config struct {
	// Python is the interpreter to use, a path or a command name; "" is python3. Any CPython from 3.10 on will do.
	Python string
	// Degraded accepts a jail without namespaces where the machine offers none: landlock, seccomp and limits only.
	Degraded bool
	// Gvisor puts a kernel of its own between environments and this machine: gVisor, as the program runsc. It is
	// slower and stronger, and asks for nothing of the machine but that program.
	Gvisor bool
	// Limits bound every environment.
	Limits Limits
	// MaxProcesses bounds the jailed processes in use at one time; Load waits for a free one. 0 is 32 a processor.
	MaxProcesses int
	// Notice is told, once each, what a person should know but need not act on. It may be nil.
	Notice func(message string)
	// Progress follows the download of the packages that environments may import. It may be nil.
	Progress func(done, total int, name string)

	// noNamespaces pretends that the machine has no namespaces.
	noNamespaces bool
}

// LoadOptions say how a source is loaded.
type LoadOptions struct {
	// Alternate uses a Python whose strings hash differently, so that whatever depends on the order of a set shows.
	Alternate bool
}

const (
	// poolSize is how many processes a fork server keeps ready.
	poolSize = 8
	// startTimeout bounds the start of a fork server; importing numpy on a busy machine takes seconds.
	startTimeout = 60 * time.Second
	// spawnTimeout bounds the making of one process.
	spawnTimeout = 30 * time.Second
	// printedLimit bounds what is kept of an environment's standard output, in bytes.
	printedLimit = 64 << 10
	// minMemory is what Python needs to load a small environment, maxObservation what an answer can have at most in
	// the memory that there is for answers.
	minMemory      = 16 << 20
	maxObservation = 4 << 20
)

func (c Config) withDefaults() Config {
	if c.MaxProcesses <= 0 {
		c.MaxProcesses = 32 * runtime.NumCPU()
	}
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	if c.Progress == nil {
		c.Progress = func(int, int, string) {}
	}
	c.Limits = c.Limits.withDefaults()
	return c
}

// DefaultLimits returns the limits that hold where none are set.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

// Validate reports the first limit that makes no sense.
func (l Limits) Validate() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"load", l.Load}, {"reset", l.Reset}, {"step", l.Step}, {"episode", l.Episode}, {"environment", l.Environment},
		{"cpu", l.CPU}} {
		if d.value < 0 || d.value > 24*time.Hour || (d.value > 0 && d.value < time.Millisecond) {
			return fmt.Errorf("sandbox.%s is %v: it must lie between 1ms and 24h, or be 0 for the default", d.name, d.value)
		}
	}
	for _, n := range []struct {
		name            string
		value, low, top int64
	}{{"memory", l.Memory, minMemory, 1 << 40}, {"observation", int64(l.Observation), 1, maxObservation}} {
		if n.value != 0 && (n.value < n.low || n.value > n.top) {
			return fmt.Errorf("sandbox.%s is %d bytes: it must lie in [%d, %d], or be 0 for the default", n.name, n.value, n.low, n.top)
		}
	}
	return nil
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Load, 10*time.Second)
	setDefault(&l.Reset, 5*time.Second)
	setDefault(&l.Step, 2*time.Second)
	setDefault(&l.Episode, 60*time.Second)
	setDefault(&l.Environment, 5*time.Minute)
	setDefault(&l.CPU, 60*time.Second)
	setDefault(&l.Memory, 256<<20)
	setDefault(&l.Observation, 64<<10)
	return l
}

// episodeOver says that an episode has taken as long as it may.
func (l Limits) episodeOver() string {
	return fmt.Sprintf("the time of %v for all steps of an episode is used up", l.Episode)
}

func setDefault[T time.Duration | int64 | int](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// The longest way to write a byte in JSON is \u0000 for a control character.
const escaped = 6

// result is the longest result of one operation, in bytes: an observation of nothing but control characters, an info,
// which is JSON in JSON, or a message and a traceback.
func (l Limits) result() int { return (escaped+2)*l.Observation + 64<<10 }

// frame is the longest answer to a number of operations, in bytes.
func (l Limits) frame(operations int) int { return operations*l.result() + escaped*printedLimit }

// batch is how many operations one exchange carries at most: as many as have answers that can be held.
func (l Limits) batch() int {
	return max(1, min(batchLimit, (heldLimit/heldFactor-escaped*printedLimit)/l.result()))
}
