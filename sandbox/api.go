package sandbox

import (
	"time"

	"spade"
)

// Limits bound what an environment may use, request by request, by episode and as a whole. The zero value of a field
// stands for its default. A run has them under the key sandbox of its config.yaml.
type Limits struct {
	// Load, Reset and Step bound the wall time of one request (defaults 10s, 5s, 2s). A request that a packed
	// process serves for several episodes at once gets the sum of theirs.
	Load  time.Duration `yaml:"load" json:"load"`
	Reset time.Duration `yaml:"reset" json:"reset"`
	Step  time.Duration `yaml:"step" json:"step"`
	// Observation bounds one observation and one info, each in bytes of UTF-8 (default 64 KiB).
	Observation int `yaml:"observation" json:"observation"`
	// Episode bounds the wall time of all steps of an episode together (default 60s). In a packed process a step
	// counts as its share of the request that served it.
	Episode time.Duration `yaml:"episode" json:"episode"`
	// Environment bounds the processor time of all processes that one [Program] makes, together (default 5m).
	Environment time.Duration `yaml:"environment" json:"environment"`
	// CPU bounds the processor time of one process over its whole life (default 60s).
	CPU time.Duration `yaml:"cpu" json:"cpu"`
	// Memory bounds the address space of one process beyond what the fresh interpreter holds, in bytes (default
	// 256 MiB).
	Memory int64 `yaml:"memory" json:"memory"`
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
	// WornOut says that the processor time of the process's life was used up, and mostly by what had been answered before.
	WornOut bool
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
