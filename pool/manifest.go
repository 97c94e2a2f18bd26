package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	manifestName  = "manifest.json"
	checksumsName = "checksums.sha256"
	tableName     = "environments"
	// unfinished ends the names of folders that are being written.
	unfinished = ".unfinished"
)

// manifest is manifest.json: a summary, and what there is to say of each environment but its code.
type manifest struct {
	Summary summary `json:"summary"`
	Games   []game  `json:"games"`
}

type summary struct {
	Games     int   `json:"n_games"`
	Skipped   int   `json:"n_skipped"`
	WithSkill int   `json:"n_with_skill"`
	WithHint  int   `json:"n_with_hint"`
	StepMin   int64 `json:"step_min"`
	StepMax   int64 `json:"step_max"`
}

// game is one environment of a manifest. The first fields are those of the public manifests.
type game struct {
	Generation   int64  `json:"generation"`
	Step         int64  `json:"step"`
	Filename     string `json:"filename"`
	Skill        string `json:"skill"`
	Path         string `json:"path_in_dataset"`
	HasHint      bool   `json:"has_hint"`
	RewardJoined bool   `json:"reward_joined"`
	MeanReward   Real   `json:"mean_reward"`
	SolveRate    Real   `json:"solve_rate"`
	row
}

// row is the columns of an entry that no field of game has; Code is never written.
type row struct {
	GameID           string  `json:"game_id"`
	OriginalFileName string  `json:"original_file_name"`
	SHA256           string  `json:"sha256"`
	Hint             string  `json:"hint"`
	Class            string  `json:"class"`
	Kind             string  `json:"kind"`
	PassageID        string  `json:"passage_id"`
	Slot             int64   `json:"slot"`
	Seeds            []int64 `json:"seeds"`
	Returns          []Real  `json:"returns"`
	HintedReturns    []Real  `json:"hinted_returns"`
	Plays            int64   `json:"n_plays"`
	HintedPlays      int64   `json:"n_hinted_plays"`
	HintedMean       Real    `json:"r_hint"`
	HintedWinRate    Real    `json:"hinted_win_rate"`
	Regret           Real    `json:"regret"`
	Verdict          string  `json:"verdict"`
}

func gameOf(e Entry, path string) game {
	return game{
		Generation: e.Generation, Step: e.Generation, Filename: e.FileName, Skill: e.Skill, Path: path,
		HasHint: e.Hint != "", RewardJoined: e.Plays > 0, MeanReward: e.Mean, SolveRate: e.WinRate,
		row: row{
			GameID: e.GameID, OriginalFileName: e.OriginalFileName, SHA256: e.SHA256, Hint: e.Hint, Class: e.Class,
			Kind: e.Kind, PassageID: e.PassageID, Slot: e.Slot, Seeds: e.Seeds, Returns: e.Returns,
			HintedReturns: e.HintedReturns, Plays: e.Plays, HintedPlays: e.HintedPlays, HintedMean: e.HintedMean,
			HintedWinRate: e.HintedWinRate, Regret: e.Regret, Verdict: e.Verdict,
		},
	}
}

func (g game) entry(code string) Entry {
	r := g.row
	return Entry{
		GameID: r.GameID, FileName: g.Filename, OriginalFileName: r.OriginalFileName, Skill: g.Skill, SHA256: r.SHA256,
		Code: code, Hint: r.Hint, Class: r.Class, Kind: r.Kind, PassageID: r.PassageID, Generation: g.Generation,
		Slot: r.Slot, Seeds: r.Seeds, Returns: r.Returns, HintedReturns: r.HintedReturns, Plays: r.Plays,
		HintedPlays: r.HintedPlays, Mean: g.MeanReward, HintedMean: r.HintedMean, WinRate: g.SolveRate,
		HintedWinRate: r.HintedWinRate, Regret: r.Regret, Verdict: r.Verdict,
	}
}

func readManifest(dir string) ([]Entry, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	if len(m.Games) == 0 {
		return nil, errors.New(manifestName + " names no environment")
	}
	entries := make([]Entry, len(m.Games))
	for i, g := range m.Games {
		if !filepath.IsLocal(g.Path) {
			return nil, fmt.Errorf("%s: %q is no file in the pool", manifestName, g.Path)
		}
		code, err := os.ReadFile(filepath.Join(dir, g.Path))
		if err != nil {
			return nil, err
		}
		if g.Filename == "" {
			g.Filename = filepath.Base(g.Path)
		}
		entries[i] = g.entry(string(code))
	}
	return entries, nil
}
