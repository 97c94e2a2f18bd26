package selfplay

import (
	"encoding/json"
	"fmt"
	"slices"

	"spade"
	"spade/memory"
	"spade/reward"
)

// state is what a cycle needs of the ones before it, besides the weights. It is stored with every cycle as JSON,
// so that a run that was killed continues as if nothing had happened.
type state struct {
	// Config identifies the configuration of the run but for its length (see configID).
	Config string `json:"config"`
	// Corpus identifies what is in the corpus, "" where nobody said (see Loop.CorpusID).
	Corpus string `json:"corpus,omitempty"`
	// Weights identify those that the run began with, "" where nobody said (see Loop.WeightsID).
	Weights string `json:"weights,omitempty"`
	// Cycle is the number of the last cycle in it.
	Cycle int `json:"cycle"`
	// Draws counts the passages drawn so far.
	Draws         int             `json:"draws"`
	HeldOutBefore float64         `json:"held_out_before"`
	Memory        *memory.Memory  `json:"memory"`
	Baseline      reward.Baseline `json:"baseline"`
	// Supply is the regret that designs had of late.
	Supply reward.Supply `json:"supply"`
	// Potentials are the averages that learning potentials are measured against.
	Potentials reward.Potentials `json:"potentials"`
	// Recent are the sources of the last environments, for the diversity of a run.
	Recent []string `json:"recent"`
	// Window are the environments in force with their plays so far.
	Window []*inForce `json:"window"`
	// Pool are the environments of a fixed arm.
	Pool []inForce `json:"pool,omitempty"`
}

// Remembered returns what memory holds in the State of a committed cycle.
func Remembered(committed []byte) ([]spade.Remembered, error) {
	var st state
	if err := json.Unmarshal(committed, &st); err != nil {
		return nil, fmt.Errorf("read the state of a cycle: %w", err)
	}
	if st.Memory == nil {
		return nil, nil
	}
	return st.Memory.All(), nil
}

// inForce is one environment of the current window. Designs that were refused stay in it without plays, so that
// their designer hears of it at the end of the window.
type inForce struct {
	Env spade.Environment `json:"env"`
	// Packed says that its episodes may share a process.
	Packed bool `json:"packed"`
	// Playable says that it was admitted, Out that it has lost a race: it is not played any more.
	Playable bool `json:"playable"`
	Out      bool `json:"out,omitempty"`
	// Design is what the designer trains on, nil for environments of a pool.
	Design *spade.Design `json:"design,omitempty"`
	// Plays are its episodes in the window so far, without their turns: what rewards are computed from.
	Plays []spade.Episode `json:"plays"`
	// Secrets are the slot's secret of each cycle in which the hinted arm or a blind play won, "" where none was needed.
	Secrets []string `json:"secrets,omitempty"`
}

// inPlay reports whether the environment is played to the end, and so measured and remembered.
func (f *inForce) inPlay() bool { return f.Playable && !f.Out }

// unmeasured reports whether the environment is in play and no blind play counts, for no fault of its own: the policy or
// our machinery failed in every one.
func (f *inForce) unmeasured() bool {
	return f.inPlay() && !slices.ContainsFunc(f.Plays, func(e spade.Episode) bool {
		return e.Arm == spade.Unhinted && e.Counts() || e.Stop == spade.StopEnvironment && e.Outcome != spade.SandboxError
	})
}

// recentKept is the number of environments over which diversity is measured.
const recentKept = 60

func (st *state) keepRecent(sources []string) {
	st.Recent = append(st.Recent, sources...)
	if extra := len(st.Recent) - recentKept; extra > 0 {
		st.Recent = append([]string(nil), st.Recent[extra:]...)
	}
}
