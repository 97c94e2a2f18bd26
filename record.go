package spade

// Design is one attempt of the designer: what it was asked, what it answered and what became of it.
type Design struct {
	Cycle int    `json:"cycle"`
	Slot  int    `json:"slot"`
	Skill string `json:"skill"`
	// PassageID names the passage it was grounded on, "" if ungrounded.
	PassageID string `json:"passage_id,omitempty"`
	// Examples are the ids of the remembered environments that the prompt showed.
	Examples []string `json:"examples,omitempty"`
	// Prompt is what the designer read; Reply is its first answer, and Trajectory the tokens of that answer:
	// the only thing of a design that is trained on.
	Prompt     []Message  `json:"prompt"`
	Reply      string     `json:"reply"`
	Trajectory Trajectory `json:"trajectory"`
	// First is the verdict on the first answer. Repairs are the later turns; Verdict is the last verdict.
	First   Verdict  `json:"first"`
	Repairs []Repair `json:"repairs,omitempty"`
	Verdict Verdict  `json:"verdict"`
	// HintVerdict is the verdict on the hint, nil if there is no hint or it was not looked at.
	HintVerdict *Verdict `json:"hint_verdict,omitempty"`
	// EnvID is the id of the last source that the designer gave, "" if it gave none.
	EnvID string `json:"env_id,omitempty"`
	// Raw, Reward and Advantage are what the designer earned (see Score); Masked designs do not train.
	Raw       float64 `json:"raw"`
	Reward    float64 `json:"reward"`
	Advantage float64 `json:"advantage"`
	Masked    bool    `json:"masked"`
}

// Earned reports whether the designer earned anything, be it 0 or less: not where the policy gave no answer, nor where no
// play of its environment counts through no fault of it.
func (d *Design) Earned() bool { return !d.Masked || d.Raw < 0 }

// Repair is one turn in which a broken answer, or a refused hint, was handed back to the designer with its fault.
type Repair struct {
	// Fault is what the designer was told; Reply is what it answered.
	Fault string `json:"fault"`
	Reply string `json:"reply"`
}

// Score is what the plays of one environment in one cycle came to. Rates and means are over the episodes that
// count (Episode.Counts).
type Score struct {
	EnvID string `json:"env_id"`
	Skill string `json:"skill"`
	// Plays and HintedPlays are the numbers of episodes that count.
	Plays       int `json:"plays"`
	HintedPlays int `json:"hinted_plays"`
	// Mean and HintedMean are mean returns in [-1, 1]; WinRate and HintedWinRate are in [0, 1].
	Mean          float64 `json:"mean"`
	HintedMean    float64 `json:"hinted_mean"`
	WinRate       float64 `json:"win_rate"`
	HintedWinRate float64 `json:"hinted_win_rate"`
	// Regret is HintedMean - Mean over the seeds that both arms played.
	Regret float64 `json:"regret"`
	// Anchor is the plateau value of WinRate in [0, 1].
	Anchor float64 `json:"anchor"`
	// Raw is the designer's reward before, Reward after centring. In a cycle that does not end its window, Raw is what the
	// cycle's own plays would earn, and Reward is 0.
	Raw    float64 `json:"raw"`
	Reward float64 `json:"reward"`
	// Replay says that the environment came from memory: it measures, and rewards no designer.
	Replay bool `json:"replay"`
}

// Remembered is one environment in memory.
type Remembered struct {
	EnvID string `json:"env_id"`
	Skill string `json:"skill"`
	Hint  string `json:"hint,omitempty"`
	// Source is kept so that the designer can be shown whole environments; Class, Kind, PassageID, Slot and Packed
	// so that it can be played again.
	Source    string `json:"source"`
	Class     string `json:"class"`
	Kind      Kind   `json:"kind"`
	PassageID string `json:"passage_id,omitempty"`
	Slot      int    `json:"slot"`
	Packed    bool   `json:"packed"`
	// WinRate, HintedWinRate and Regret are the latest measurement.
	WinRate       float64 `json:"win_rate"`
	HintedWinRate float64 `json:"hinted_win_rate"`
	Regret        float64 `json:"regret"`
	// Plays counts all unhinted plays so far; Cycle is when it was made and Measured when it was last played.
	Plays    int `json:"plays"`
	Cycle    int `json:"cycle"`
	Measured int `json:"measured"`
}

// CycleStats are the numbers of one cycle that charts show. Every one is determined by configuration and seed.
type CycleStats struct {
	// Designed is the number of designs asked for. Unanswered are those among them that the policy could not give.
	Designed   int `json:"designed"`
	Admitted   int `json:"admitted"`
	Unanswered int `json:"unanswered,omitempty"`
	// Refused counts designs by the code of their first reason; a reply without source counts as NoSource.
	Refused map[string]int `json:"refused,omitempty"`
	// Episodes is the number of episodes played, Faults those that do not count. Failures counts those among them, and
	// the designs, to which the policy could not reply, by the class of its failure.
	Episodes int            `json:"episodes"`
	Faults   int            `json:"faults"`
	Failures map[string]int `json:"failures,omitempty"`
	// WinRate and HintedWinRate are means over the cycle's environments in [0, 1].
	WinRate       float64 `json:"win_rate"`
	HintedWinRate float64 `json:"hinted_win_rate"`
	Regret        float64 `json:"regret"`
	Anchor        float64 `json:"anchor"`
	// Placebos is the number of environments that were also played with another environment's hint. RegretExplained is
	// the share of their regret, in [0, 1], that this hint gained too: regret explained by any hint. Secrets is the
	// number of environments whose hinted arm won only through a word that no unhinted play could know.
	Placebos        int     `json:"placebos"`
	RegretExplained float64 `json:"regret_explained"`
	Secrets         int     `json:"secrets"`
	// DesignerReward is the mean raw reward over the designs of the cycle that earned (Design.Earned).
	DesignerReward float64 `json:"designer_reward"`
	// InBand is the share of environments with a win rate in (0.15, 0.85); Signal the share of unhinted groups
	// whose returns differ, that is, that carry a gradient.
	InBand float64 `json:"in_band"`
	Signal float64 `json:"signal"`
	// Vendi is the Vendi score of the last environments divided by their number, in (0, 1].
	Vendi float64 `json:"vendi"`
	// Turns is the mean number of turns of unhinted episodes.
	Turns float64 `json:"turns"`
	// SampledTokens and TrainedTokens count tokens.
	SampledTokens int `json:"sampled_tokens"`
	TrainedTokens int `json:"trained_tokens"`
	// Samples are numbers of the samples behind these, nil in runs of versions that did not record them.
	Samples *SampleStats `json:"samples,omitempty"`
	// Train holds the trainer's own numbers (loss, gradient norm, entropy, …).
	Train map[string]float64 `json:"train,omitempty"`
	// Notes are what the policies state about themselves, in the first cycle that a process commits.
	Notes []string `json:"notes,omitempty"`
	// HeldOut is the win rate on the held-out suite where this cycle measured it.
	HeldOut *float64 `json:"held_out,omitempty"`
	// HeldOutWins are the wins on each environment of the suite, in its order, where it was measured.
	HeldOutWins []int `json:"held_out_wins,omitempty"`
}

// SampleStats are numbers of a cycle's samples: of its blind episodes that count, those of remembered environments among
// them, and of the designs that it rewarded.
type SampleStats struct {
	// Blind is the number of those episodes. Return, WinRate, Advantage and Truncated are means over them: of the return, of
	// wins, of the advantage inside the group, and of ends by a turn budget or a full context.
	Blind     int     `json:"blind"`
	Return    float64 `json:"return"`
	WinRate   float64 `json:"win_rate"`
	Advantage float64 `json:"advantage"`
	Truncated float64 `json:"truncated"`
	// Timeouts is the number of episodes, in all arms, in which the environment did not answer in time.
	Timeouts int `json:"timeouts"`
	// Groups is the number of environments with such episodes. Of the groups with two or more, ZeroStd, AllZero and
	// AllPositive are the shares whose returns are equal, all 0 and all above 0; GroupStd is the mean of their (population)
	// standard deviations.
	Groups      int     `json:"groups"`
	ZeroStd     float64 `json:"zero_std"`
	AllZero     float64 `json:"all_zero"`
	AllPositive float64 `json:"all_positive"`
	GroupStd    float64 `json:"group_std"`
	// Skills are the returns of the episodes by skill.
	Skills map[string]ReturnStats `json:"skills,omitempty"`
	// Rewarded is the number of designs that were rewarded. Floored and Hung are the shares of those whose regret was
	// negative, and of those that hung.
	Rewarded int     `json:"rewarded"`
	Floored  float64 `json:"floored"`
	Hung     float64 `json:"hung"`
	// Training is the number of those that are not masked, DesignerReward the mean of their rewards after centring.
	Training       int     `json:"training"`
	DesignerReward float64 `json:"designer_reward"`
	// Waiting is the number of designs whose window is not over.
	Waiting int `json:"waiting"`
	// AgentSequences and DesignerSequences were put into the trainer's batch.
	AgentSequences    int `json:"agent_sequences"`
	DesignerSequences int `json:"designer_sequences"`
	// Potential is the mean of the skills' learning potentials, nil where nothing follows them.
	Potential *float64 `json:"potential,omitempty"`
}

// Judged is the number of designs that the policy gave.
func (s *CycleStats) Judged() int { return s.Designed - s.Unanswered }

// ReturnStats are mean and (population) standard deviation of some returns.
type ReturnStats struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// Cycle is everything that one cycle committed.
type Cycle struct {
	// Number counts from 1; 0 is what a run begins with.
	Number   int       `json:"number"`
	Passages []Passage `json:"passages"`
	// Designs are those that this cycle rewarded, in cycle 0 those of the pool of arm fixed, which nobody rewards;
	// Environments are those that entered in it. Where a set of
	// environments stays in force for several cycles, its designs are rewarded in the last of them.
	Designs      []Design      `json:"designs"`
	Environments []Environment `json:"environments"`
	Episodes     []Episode     `json:"episodes"`
	Scores       []Score       `json:"scores"`
	Stats        CycleStats    `json:"stats"`
	// State is what the next cycle needs besides the weights, as JSON (selfplay owns its form).
	State []byte `json:"state"`
}
