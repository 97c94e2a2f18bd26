package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spade"
)

// Salvaged is what can be said of a run whose database cannot be read: what its other files hold.
type Salvaged struct {
	// Config are the bytes of config.yaml, nil if it cannot be read.
	Config []byte
	// Stats are those of the cycles in events.jsonl, without what only the database knows.
	Stats []Stats
	// Environments are those in events.jsonl, without their sources; Scores[i] is the first measurement of
	// Environments[i].
	Environments []spade.Environment
	Scores       []spade.Score
	// Unread counts the lines of events.jsonl that are no events.
	Unread int
}

// Salvage reads what is left of the run in dir. It fails if there is neither a configuration nor an event.
func Salvage(dir string) (Salvaged, error) {
	var s Salvaged
	var errConfig, errEvents error
	s.Config, errConfig = os.ReadFile(filepath.Join(dir, configName))
	lines, errEvents := os.ReadFile(filepath.Join(dir, eventsName))
	for line := range bytes.Lines(lines) {
		if !s.add(bytes.TrimRight(line, "\n")) {
			s.Unread++
		}
	}
	if errConfig != nil && errEvents != nil {
		return s, errors.Join(errConfig, errEvents)
	}
	return s, nil
}

// add takes in one line of events.jsonl, if it is one.
func (s *Salvaged) add(line []byte) bool {
	var head struct {
		Event string `json:"event"`
	}
	if json.Unmarshal(line, &head) != nil {
		return false
	}
	switch head.Event {
	case "refused":
		return true // the cycle counts it
	case "environment":
		var e environmentEvent
		if json.Unmarshal(line, &e) != nil {
			return false
		}
		s.Environments = append(s.Environments, spade.Environment{ID: e.ID, Class: e.Class, Kind: e.Kind, Skill: e.Skill,
			Hint: e.Hint, PassageID: e.PassageID, Cycle: e.Cycle, Slot: e.Slot})
		s.Scores = append(s.Scores, spade.Score{EnvID: e.ID, Skill: e.Skill, Plays: e.Plays, WinRate: e.WinRate,
			HintedWinRate: e.HintedWinRate, Regret: e.Regret, Reward: e.Reward})
		return true
	case "cycle":
		var fields map[string]any
		if json.Unmarshal(line, &fields) != nil {
			return false
		}
		stats, ok := statsOf(fields)
		if ok {
			s.Stats = append(s.Stats, stats)
		}
		return ok
	}
	return false
}

// statsOf undoes spade.Cycle.Metrics.
func statsOf(fields map[string]any) (Stats, bool) {
	number := func(name string) float64 {
		value, _ := fields[name].(float64)
		return value
	}
	count := func(name string) int { return int(number(name)) }
	s := Stats{Cycle: count("cycle"), CycleStats: spade.CycleStats{
		Designed: count("env_validator/games_requested"), Admitted: count("env_validator/accepted"),
		Refused: map[string]int{}, Episodes: count("rollout/num_actor_samples"), Faults: count("rollout/num_failed"),
		WinRate: number("env/avg_actor_win_rate"), HintedWinRate: number("env/avg_hinted_win_rate"),
		Regret: number("env/avg_regret"), Anchor: number("env/avg_anchor"), DesignerReward: number("env/designer_reward"),
		InBand: number("env/in_band"), Signal: number("rollout/signal"), Vendi: number("env/vendi"), Turns: number("rollout/turns"),
		SampledTokens: count("rollout/sampled_tokens"), TrainedTokens: count("rollout/trained_tokens"),
		Train: map[string]float64{},
	}}
	for name := range fields {
		if code, ok := strings.CutPrefix(name, "env_validator/rejected_"); ok {
			s.Refused[code] = count(name)
		}
		if own, ok := strings.CutPrefix(name, "train/"); ok {
			s.Train[own] = number(name)
		}
	}
	if rate, ok := fields["eval/win_rate"].(float64); ok {
		s.HeldOut = &rate
	}
	_, ok := fields["cycle"].(float64)
	return s, ok
}

// Missing says what was committed and cannot be read any more, one item a file, with the reason.
func (r *Run) Missing() ([]string, error) {
	var missing []string
	note := func(path string, err error) {
		if err != nil {
			missing = append(missing, spade.Quote(path)+": "+reasonOf(err))
		}
	}
	environments, err := r.committed("SELECT DISTINCT id FROM environments")
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(environments)) {
		_, err := r.source(id)
		note(r.path(environmentsDir, environmentName(id)), err)
	}
	episodes, err := r.committed(episodeFiles)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(episodes)) {
		path := r.path(episodesDir, name)
		note(path, checkParquet(path))
	}
	_, _, checkpoint, _, err := r.Last()
	if err != nil {
		return nil, err
	}
	if checkpoint != "" {
		_, err := os.Stat(checkpoint)
		note(checkpoint, err)
	}
	return missing, nil
}

// reasonOf is an error without the path that its reader knows already.
func reasonOf(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it is missing"
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
