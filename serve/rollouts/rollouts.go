// Package rollouts leases a run's finished episodes and designs, as tokens, to trainers that are not ours.
//
// It owns the numbering of leases, the journal that keeps them, and the form of a sample: that of slime's Sample, which
// the package spade_rl (under python/) hands on to slime and TRL. It does not own the run (a Source reads it) nor what a
// sample is worth.
//
// A trainer leases under a number of its own, its step. Whoever leases under that number again, after a crash of either
// side, gets the same samples; every sample belongs to one number only. An acknowledgement says that the trainer has saved
// its progress up to a number. Leases and acknowledgements are on disk before they are answered.
package rollouts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"spade/serve"
)

// Sample is one sequence to train on, in the form of slime's Sample.from_dict.
type Sample struct {
	// Index numbers the samples of a run, GroupIndex their groups.
	Index      int `json:"index"`
	GroupIndex int `json:"group_index"`
	// Prompt and Response are texts to look at; Tokens is what is trained on: the prompt's, then the response's. The
	// response begins with the first sampled token and includes what the environment said later.
	Prompt         string    `json:"prompt"`
	Response       string    `json:"response"`
	Tokens         []int32   `json:"tokens"`
	ResponseLength int       `json:"response_length"`
	LossMask       []int     `json:"loss_mask"`
	LogProbs       []float32 `json:"rollout_log_probs"`
	// Reward is the sample's advantage, normalised and weighed for its role: trainers are not to normalise it again.
	Reward         float64  `json:"reward"`
	Status         string   `json:"status"` // completed or truncated
	WeightVersions []string `json:"weight_versions"`
	Metadata       Metadata `json:"metadata"`
}

// Metadata says what a sample is.
type Metadata struct {
	Role  string `json:"role"`
	EnvID string `json:"env_id"`
	Arm   string `json:"arm,omitempty"`
	Skill string `json:"skill"`
	Cycle int    `json:"cycle"`
	Seed  int64  `json:"seed,omitempty"`
	// RawReward is the episode's return, or what the design earned.
	RawReward float64 `json:"raw_reward"`
}

// Source reads the groups of samples of a run. Groups of a committed cycle never change.
type Source interface {
	// Last is the number of the last committed cycle, 0 where there is none, and whether more will follow.
	Last() (cycle int, more bool, err error)
	// Groups returns the groups of a cycle: the episodes of one environment, or the designs of one skill.
	Groups(cycle int) ([][]Sample, error)
}

const (
	maxBody   = 1 << 20
	maxGroups = 4096
	// hold is how long a lease waits for cycles that are not committed yet, and poll how often it looks.
	hold = 20 * time.Second
	poll = 250 * time.Millisecond
)

// Server leases the samples of one source. It is safe for concurrent use.
type Server struct {
	source  Source
	journal *journal
	hold    time.Duration
	mux     *http.ServeMux
}

// New returns a server that keeps its leases in the file path. Close must be called.
func New(source Source, path string) (*Server, error) {
	j, err := openJournal(path)
	if err != nil {
		return nil, err
	}
	s := &Server{source: source, journal: j, hold: hold, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/rollouts:lease", s.lease)
	s.mux.HandleFunc("POST /v1/rollouts:ack", s.ack)
	s.mux.HandleFunc("GET /v1/rollouts", s.status)
	s.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	return s, nil
}

// Close closes the journal.
func (s *Server) Close() error { return s.journal.close() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Lease is the answer to a request for groups.
type Lease struct {
	RolloutID int        `json:"rollout_id"`
	Groups    [][]Sample `json:"groups"`
	// Pending says that there are not enough groups yet: ask again. Done that there will never be.
	Pending bool               `json:"pending"`
	Done    bool               `json:"done"`
	Metrics map[string]float64 `json:"metrics"`
}

func (s *Server) lease(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		RolloutID *int `json:"rollout_id"`
		N         int  `json:"n"`
	}
	if !serve.ReadJSON(w, r, maxBody, &ask) {
		return
	}
	if ask.RolloutID == nil || *ask.RolloutID < 0 || ask.N < 1 || ask.N > maxGroups {
		serve.Fail(w, http.StatusBadRequest, fmt.Errorf("rollout_id must be at least 0 and n 1 to %d", maxGroups))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.hold)
	defer cancel()
	lease, err := s.take(ctx, *ask.RolloutID, ask.N)
	if err != nil {
		serve.Fail(w, http.StatusInternalServerError, err)
		return
	}
	serve.WriteJSON(w, http.StatusOK, lease)
}

// take leases n groups under a number, once they are there or ctx ends.
func (s *Server) take(ctx context.Context, id, n int) (*Lease, error) {
	for {
		span, state, err := s.journal.lease(id, n, s.source)
		if err != nil {
			return nil, err
		}
		if state == leased || ctx.Err() != nil || state == exhausted {
			lease := &Lease{RolloutID: id, Pending: state == waiting, Done: state == exhausted, Groups: [][]Sample{}}
			if state == leased {
				lease.Groups, err = collect(s.source, span)
			}
			lease.Metrics = metrics(lease.Groups)
			return lease, err
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
		}
	}
}

// collect reads the groups of a span.
func collect(source Source, at span) ([][]Sample, error) {
	list := [][]Sample{}
	from := at.From
	for len(list) < at.N {
		groups, err := source.Groups(from.Cycle)
		if err != nil {
			return nil, err
		}
		if from.Group > len(groups) {
			return nil, fmt.Errorf("cycle %d has %d groups, and the journal knows of %d: it is of another run", from.Cycle, len(groups), from.Group)
		}
		list = append(list, groups[from.Group:min(len(groups), from.Group+at.N-len(list))]...)
		from = place{from.Cycle + 1, 0}
	}
	return list, nil
}

// metrics are means over a lease, under the names of spade.Cycle.Metrics where there is one: returns are what is trained
// on.
func metrics(groups [][]Sample) map[string]float64 {
	m := map[string]float64{"rollout/num_games": float64(len(groups))}
	sums := map[string]float64{}
	for _, g := range groups {
		for _, one := range g {
			kind := "actor"
			if one.Metadata.Role == "designer" {
				kind = "env"
			}
			m["rollout/num_"+kind+"_samples"]++
			sums["rollout/"+kind+"_mean_return"] += one.Reward
			sums["rollout/"+kind+"_mean_original_reward"] += one.Metadata.RawReward
			m["rollout/cycle"] = max(m["rollout/cycle"], float64(one.Metadata.Cycle))
		}
	}
	for _, kind := range []string{"actor", "env"} {
		if n := m["rollout/num_"+kind+"_samples"]; n > 0 {
			for _, name := range []string{"_mean_return", "_mean_original_reward"} {
				m["rollout/"+kind+name] = sums["rollout/"+kind+name] / n
			}
		}
	}
	return m
}

func (s *Server) ack(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		RolloutID *int `json:"rollout_id"`
	}
	if !serve.ReadJSON(w, r, maxBody, &ask) {
		return
	}
	if ask.RolloutID == nil {
		serve.Fail(w, http.StatusBadRequest, errors.New("rollout_id is missing"))
		return
	}
	if err := s.journal.ack(*ask.RolloutID); err != nil {
		status := http.StatusInternalServerError
		if errors.Is(err, errNotLeased) {
			status = http.StatusConflict
		}
		serve.Fail(w, status, err)
		return
	}
	serve.WriteJSON(w, http.StatusOK, map[string]int{"acked": *ask.RolloutID})
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	last, more, err := s.source.Last()
	if err != nil {
		serve.Fail(w, http.StatusInternalServerError, err)
		return
	}
	leases, acked := s.journal.counts()
	serve.WriteJSON(w, http.StatusOK, map[string]any{"last_cycle": last, "more": more, "leases": leases, "acked": acked})
}
