package sandbox

import (
	"time"

	"spade"
)

// Limits bound what an environment may use. The zero value of a field stands for its default.
type Limits struct {
	// Load, Reset and Step bound the wall time of one request (defaults 10s, 5s, 2s). A request that a packed
	// process serves for several episodes at once gets the sum of theirs.
	Load  time.Duration `yaml:"load" json:"load"`
	Reset time.Duration `yaml:"reset" json:"reset"`
	Step  time.Duration `yaml:"step" json:"step"`
	// CPU bounds the processor time of a process over its whole life (default 60s).
	CPU time.Duration `yaml:"cpu" json:"cpu"`
	// Memory bounds the address space beyond what the fresh interpreter holds, in bytes (default 256 MiB).
	Memory int64 `yaml:"memory" json:"memory"`
	// Observation bounds one observation, in bytes of UTF-8 (default 64 KiB).
	Observation int `yaml:"observation" json:"observation"`
}

// Fault is what an environment did wrong. It is a value and not an error: a misbehaving environment is a
// finding. Errors returned beside faults mean that our own machinery failed.
type Fault struct {
	// Outcome is never OK.
	Outcome spade.Outcome
	// Phase is what was asked of it: "syntax", "load", "construct", "reset", "step" or "solution".
	Phase string
	// Message is one line, for example "ZeroDivisionError: division by zero".
	Message string
	// Trace holds the last lines of the Python traceback in the environment's own source, or "".
	Trace string
	// CPU is the processor time that the process had used when it was stopped for a timeout.
	CPU time.Duration
}

// Observation is what reset returned.
type Observation struct {
	Text string
	// Info is the info dict as JSON, at most as large as an observation; "{}" where there is none.
	Info string
}

// Step is what step returned.
type Step struct {
	Observation string
	// Reward is finite.
	Reward     float64
	Terminated bool
	Truncated  bool
	Info       string
}

// Solution is what the optional method solution returned.
type Solution struct {
	// Has reports whether the class has a solution method.
	Has bool
	// Text is its answer: for games the next action, for tool use one call or the final answer a line.
	Text string
}
