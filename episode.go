package spade

// Arm says what the agent was shown in an episode besides the observations.
type Arm string

const (
	// Unhinted episodes see the observations only.
	Unhinted Arm = "unhinted"
	// Hinted episodes see the environment's own hint beside the first observation.
	Hinted Arm = "hinted"
	// Placebo episodes see a hint of another environment.
	Placebo Arm = "placebo"
)

// StopReason says how an episode ended. The set is closed.
type StopReason string

const (
	// StopTerminated: the environment terminated the episode; only then is the return not zero.
	StopTerminated StopReason = "terminated"
	// StopTruncated: the environment truncated the episode, or the run's turn budget was used up.
	StopTruncated StopReason = "truncated"
	// StopContext: the policy's context was full before the environment ended the episode.
	StopContext StopReason = "context"
	// StopEnvironment: the environment misbehaved; Episode.Outcome says how. Excluded from statistics.
	StopEnvironment StopReason = "environment"
	// StopPolicy: the policy failed to reply; Episode.Failure says how. Excluded from statistics.
	StopPolicy StopReason = "policy"
)

// Turn is one exchange between agent and environment, with what the policy sampled for it.
//
// Tokens holds everything the policy read or wrote since its previous reply: first what it was fed, then what
// it sampled. Tokens, LogProbs and Mask have equal length; Mask is true on sampled tokens, and LogProbs holds
// their natural-log probability under the sampling distribution (0 where Mask is false). The concatenation of
// an episode's turns is the exact sequence to train on: nothing is ever re-encoded.
type Turn struct {
	// Observation is what the environment said before this turn, without the hint.
	Observation string `json:"observation"`
	// Reply is the full text of the model; Action is what was passed to step.
	Reply  string `json:"reply"`
	Action string `json:"action"`
	// Reward, Terminated and Truncated are what step returned.
	Reward     float64 `json:"reward"`
	Terminated bool    `json:"terminated"`
	Truncated  bool    `json:"truncated"`

	Tokens   []int32   `json:"tokens"`
	LogProbs []float32 `json:"log_probs"`
	Mask     []bool    `json:"mask"`
	// Version is the weight version that sampled the reply.
	Version int64 `json:"version"`
}

// Episode is one play of one environment. Every field is determined by the run's configuration and seed.
type Episode struct {
	// EnvID, Arm and Index identify it within its cycle; episodes with equal EnvID and Index share Seed.
	EnvID string `json:"env_id"`
	Cycle int    `json:"cycle"`
	Slot  int    `json:"slot"`
	Arm   Arm    `json:"arm"`
	Index int    `json:"index"`
	Seed  int64  `json:"seed"`
	// Hint is the hint that was shown, "" in the unhinted arm.
	Hint  string `json:"hint,omitempty"`
	Turns []Turn `json:"turns"`
	// Final is the last observation, after the last turn.
	Final string     `json:"final"`
	Stop  StopReason `json:"stop"`
	// Outcome is the sandbox outcome if Stop is StopEnvironment, else OK.
	Outcome Outcome `json:"outcome"`
	// Failure is the class of the policy's failure if Stop is StopPolicy.
	Failure string `json:"failure,omitempty"`
	// Return is the episode return in [-1, 1] (reward.Return).
	Return float64 `json:"return"`
}

// Won reports whether the episode counts as a win: return of at least 1.
func (e *Episode) Won() bool { return e.Return >= 1 }

// Counts reports whether the episode enters statistics and training: one in which the environment misbehaved or
// the policy failed does not.
func (e *Episode) Counts() bool { return e.Stop != StopEnvironment && e.Stop != StopPolicy }

// Trajectory is what one role produced in one conversation: the designer's first answer, or an episode.
type Trajectory struct {
	Tokens   []int32   `json:"tokens"`
	LogProbs []float32 `json:"log_probs"`
	Mask     []bool    `json:"mask"`
	Version  int64     `json:"version"`
}

// Trajectory returns the concatenation of the episode's turns. Version is that of its last turn.
func (e *Episode) Trajectory() Trajectory {
	var t Trajectory
	for i := range e.Turns {
		t.Tokens = append(t.Tokens, e.Turns[i].Tokens...)
		t.LogProbs = append(t.LogProbs, e.Turns[i].LogProbs...)
		t.Mask = append(t.Mask, e.Turns[i].Mask...)
		t.Version = e.Turns[i].Version
	}
	return t
}
