package spade

// Outcome is what became of one request to a jailed environment. The set is closed; every value but OK and
// SandboxError is the environment's doing.
type Outcome string

const (
	// OK: the environment answered within its limits.
	OK Outcome = "ok"
	// EnvError: the environment raised a Python exception.
	EnvError Outcome = "env_error"
	// EnvExit: its process exited or crashed.
	EnvExit Outcome = "env_exit"
	// WallTimeout and CPULimit: it did not answer in time.
	WallTimeout Outcome = "wall_timeout"
	CPULimit    Outcome = "cpu_limit"
	// MemoryLimit: it ran out of the memory it is allowed.
	MemoryLimit Outcome = "memory_limit"
	// OutputLimit: an observation or info was too large.
	OutputLimit Outcome = "output_limit"
	// InvalidReward: the reward is not a finite number (or not a number at all).
	InvalidReward Outcome = "invalid_reward"
	// InvalidObservation: reset or step returned something of the wrong shape or type.
	InvalidObservation Outcome = "invalid_observation"
	// ProtocolViolation: its process spoke out of turn.
	ProtocolViolation Outcome = "protocol_violation"
	// SandboxError: our machinery failed; the request may be retried on another process.
	SandboxError Outcome = "sandbox_error"
)
