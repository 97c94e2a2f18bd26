package web

import (
	"context"
	"time"

	"spade"
)

// Run is one run as the dashboard reads it. It is safe for concurrent use, and sees each cycle that is committed
// meanwhile. Errors are the store's; what a run does not hold is an error by the user.
type Run interface {
	// Dir is the folder of the run.
	Dir() string
	// About says what the run was started with.
	About() (About, error)
	// Summary is what a finished run came to, nil before its end.
	Summary() (*Summary, error)
	// Last is the number of the last committed cycle, -1 if there is none.
	Last() (int, error)
	// Writing reports whether a process is at work on the run.
	Writing() bool
	// Committed is when a cycle was written, where that is known.
	Committed(cycle int) (at time.Time, ok bool)
	// Digest returns the committed cycles after a number, in order, without their long texts, and of the episodes only
	// those in which the environment misbehaved.
	Digest(after int) ([]spade.Cycle, error)
	// Turns is the mean number of turns of the unhinted episodes of each environment played after a cycle.
	Turns(after int) (map[string]float64, error)
	// Memory is what the run remembers after its last cycle.
	Memory() ([]spade.Remembered, error)
	// Environment returns an environment with its source.
	Environment(id string) (spade.Environment, error)
	// Design returns the whole design of a slot of the cycle that rewarded it.
	Design(cycle, slot int) (spade.Design, error)
	// Passages returns the passages that a cycle drew, with their texts.
	Passages(cycle int) ([]spade.Passage, error)
	// Plays returns every episode of an environment, without texts, in the order of cycle, arm and index.
	Plays(id string) ([]Play, error)
	// Paired returns the episodes that played an environment in a cycle on the seed of one index, one for each arm.
	Paired(cycle int, id string, index int) ([]spade.Episode, error)
	// Pieces returns the texts of tokens, nil where the run's tokens have none that is known here.
	Pieces(ids []int32) []string
}

// About is what a run was started with.
type About struct {
	Arm       string `json:"arm"`
	Policy    string `json:"policy"`
	Corpus    string `json:"corpus"`
	Isolation string `json:"isolation"`
	Seed      uint64 `json:"seed"`
	// Cycles is how many the run is to have.
	Cycles int `json:"cycles"`
	// Plays and HintedPlays are the episodes of one environment in each arm.
	Plays       int `json:"plays"`
	HintedPlays int `json:"hinted_plays"`
	// PlateauWeight is what the anchor counts for in a designer's reward.
	PlateauWeight float64 `json:"plateau_weight"`
	// Config is the complete configuration as YAML.
	Config string `json:"config"`
}

// Summary is what a finished run came to on its held-out suite.
type Summary struct {
	// HeldOutBefore and HeldOutAfter are win rates in [0, 1].
	HeldOutBefore float64  `json:"held_out_before"`
	HeldOutAfter  float64  `json:"held_out_after"`
	Episodes      int      `json:"episodes"`
	Families      []Family `json:"families"`
}

// Family is one part of a held-out suite.
type Family struct {
	Name     string  `json:"name"`
	Episodes int     `json:"episodes"`
	WinRate  float64 `json:"win_rate"`
}

// Play is one episode of an environment without its texts.
type Play struct {
	Cycle   int              `json:"cycle"`
	Arm     spade.Arm        `json:"arm"`
	Index   int              `json:"index"`
	Seed    int64            `json:"seed,string"`
	Return  float64          `json:"return"`
	Turns   int              `json:"turns"`
	Stop    spade.StopReason `json:"stop"`
	Outcome spade.Outcome    `json:"outcome"`
}

// Table is where a person plays: the jail.
type Table interface {
	// Deal begins a game of an environment on a seed, under the turn budget and the limits of the run that it is from: one
	// that Named.Open returned. A game that the environment itself ends by misbehaving is one that is over; an error means
	// that this machine cannot play.
	Deal(ctx context.Context, run Run, env spade.Environment, seed int64) (Game, error)
}

// Game is one episode that a person plays. It is used by one goroutine at a time.
type Game interface {
	// State says how it stands.
	State() GameState
	// Step passes an action on.
	Step(ctx context.Context, action string) (GameState, error)
	// Close gives the process back.
	Close() error
}

// GameState is how a game stands.
type GameState struct {
	// Observation is the last thing that the environment said.
	Observation string `json:"observation"`
	// Turn counts the actions so far, Budget how many there may be.
	Turn   int `json:"turn"`
	Budget int `json:"budget"`
	// Reward is that of the last action.
	Reward float64 `json:"reward"`
	// Status is "playing", "won", "lost", "truncated", or the outcome of an environment that misbehaved.
	Status string `json:"status"`
	// Return is that of the whole episode, 0 until it is over.
	Return float64 `json:"return"`
	// Fault says how the environment misbehaved, "" if it did not.
	Fault string `json:"fault,omitempty"`
}
