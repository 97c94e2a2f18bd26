package spade

// Code names why an environment or a hint was refused. The set is closed.
type Code string

// The reasons of admission, in the order in which the stages find them.
const (
	Syntax              Code = "syntax"
	LoadError           Code = "load_error"
	ForbiddenImport     Code = "forbidden_import"
	Contract            Code = "contract"
	Nondeterministic    Code = "nondeterministic"
	UnseededGlobalState Code = "unseeded_global_state"
	Hang                Code = "hang"
	Memory              Code = "memory"
	OutputTooLarge      Code = "output_too_large"
	RewardRange         Code = "reward_range"
	NaNReward           Code = "nan_reward"
	StepAfterDone       Code = "step_after_done"
	HiddenIO            Code = "hidden_io"
	AnswerLeak          Code = "answer_leak"
	HintLeak            Code = "hint_leak"
	Trivial             Code = "trivial"
	Unsolvable          Code = "unsolvable"
	VerifierWrong       Code = "verifier_wrong"
	ExploitEmptyAction  Code = "exploit_empty_action"
	ExploitEcho         Code = "exploit_echo"
	ExploitRandom       Code = "exploit_random"
	OffTopic            Code = "off_topic"
	Duplicate           Code = "duplicate"
)

// Evidence is what was seen when a probe found a fault: enough to see it again without opening the code.
// Every field is optional.
type Evidence struct {
	Seed    *int64   `json:"seed,omitempty"`
	Actions []string `json:"actions,omitempty"`
	// First and Second are two transcripts that should have been equal, one line a turn.
	First  []string `json:"first,omitempty"`
	Second []string `json:"second,omitempty"`
	// Literal is the value that leaked, the reward that was out of range, or the like.
	Literal string `json:"literal,omitempty"`
	// Trace is the Python traceback, cut to its last lines.
	Trace string `json:"trace,omitempty"`
}

// Reason is one finding that refuses an environment or a hint.
type Reason struct {
	Code     Code     `json:"code"`
	Detail   string   `json:"detail"`
	Evidence Evidence `json:"evidence"`
}

// Warning is a finding that does not refuse.
type Warning struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// StagePolicy is the stage of a verdict on a design that failed because the policy could not reply: neither its
// designer's doing nor an environment's.
const StagePolicy = "policy"

// StageReply is the stage of a verdict on a reply that holds no source.
const StageReply = "reply"

// NoSource stands for the reason of a refusal where there was no source to find a reason in: as a key of
// CycleStats.Refused, in events and on pages.
const NoSource = "no_source"

// WarnPolicy is the code of the warning that a policy could not reply while a design was made; its detail is the class
// of the failure.
const WarnPolicy = "policy_failure"

// Verdict is the outcome of admission. A verdict lists every reason found in the stage where the environment
// fell; it never holds a clock, so that equal runs store equal verdicts.
type Verdict struct {
	Admit    bool      `json:"admit"`
	Stage    string    `json:"stage"` // the last stage that ran, StagePolicy where the designer gave no answer to look at
	Reasons  []Reason  `json:"reasons"`
	Warnings []Warning `json:"warnings"`
	// Packed says that interleaved instances of the environment do not disturb each other, so that its
	// episodes may share one process.
	Packed bool `json:"packed"`
}

// Has reports whether code is among the reasons.
func (v Verdict) Has(code Code) bool {
	for _, r := range v.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}
