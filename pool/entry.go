package pool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"spade"
)

// Entry is one environment of a pool with what is known of it: a row of its table. The first eight columns are those
// of the public pools; they may grow, and never change.
type Entry struct {
	// GameID names it within its pool, for example "game_000012".
	GameID string `json:"game_id" parquet:"game_id"`
	// FileName is its file in the pool, without folders; OriginalFileName is what it was called before.
	FileName         string `json:"file_name" parquet:"file_name"`
	OriginalFileName string `json:"original_file_name" parquet:"original_file_name"`
	Skill            string `json:"skill" parquet:"skill,dict"`
	// SHA256 is that of Code, in hex digits; LineCount and ByteCount measure Code.
	SHA256    string `json:"sha256" parquet:"sha256"`
	LineCount int64  `json:"line_count" parquet:"line_count"`
	ByteCount int64  `json:"byte_count" parquet:"byte_count"`
	// Code is the whole Python file.
	Code string `json:"code" parquet:"code"`

	// Hint is the privileged advice, "" if it has none.
	Hint string `json:"hint" parquet:"hint"`
	// Class and Kind are those of spade.Environment; PassageID names what it is grounded on.
	Class     string `json:"class" parquet:"class"`
	Kind      string `json:"kind" parquet:"kind,dict"`
	PassageID string `json:"passage_id" parquet:"passage_id"`
	// Generation is the cycle that made it, Slot its place there.
	Generation int64 `json:"generation" parquet:"generation"`
	Slot       int64 `json:"slot" parquet:"slot"`
	// Seeds are those of its first measurement, Returns and HintedReturns what the two arms came to on them, in this
	// order; the hinted arm may have played the first seeds only.
	Seeds         []int64 `json:"seeds" parquet:"seeds,list"`
	Returns       []Real  `json:"returns" parquet:"returns,list"`
	HintedReturns []Real  `json:"hinted_returns" parquet:"hinted_returns,list"`
	// Plays and HintedPlays count the episodes behind the means; the means are 0 without any.
	Plays       int64 `json:"n_plays" parquet:"n_plays"`
	HintedPlays int64 `json:"n_hinted_plays" parquet:"n_hinted_plays"`
	// Mean and HintedMean are mean returns in [-1, 1], WinRate and HintedWinRate in [0, 1].
	Mean          Real `json:"r_no_hint" parquet:"r_no_hint"`
	HintedMean    Real `json:"r_hint" parquet:"r_hint"`
	WinRate       Real `json:"win_rate" parquet:"win_rate"`
	HintedWinRate Real `json:"hinted_win_rate" parquet:"hinted_win_rate"`
	// Regret is HintedMean - Mean over the seeds that both arms played.
	Regret Real `json:"regret" parquet:"regret"`
	// Verdict is "admit" or "reject" as admission said, "" if it was not asked.
	Verdict string `json:"verdict" parquet:"verdict,dict"`
}

// Real is a number that JSON shows with a decimal point even if it is whole, so that readers do not take a column for one
// of integers.
type Real float64

// MarshalJSON implements json.Marshaler.
func (r Real) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(float64(r))
	if err == nil && !bytes.ContainsAny(text, ".e") {
		text = append(text, '.', '0')
	}
	return text, err
}

// Environment returns the entry as an environment of a run.
func (e Entry) Environment() spade.Environment {
	env := spade.NewEnvironment(e.Code)
	env.Class, env.Kind, env.Skill, env.Hint, env.PassageID = e.Class, spade.Kind(e.Kind), e.Skill, e.Hint, e.PassageID
	return env
}

// ID is the identity of the environment, whatever the pool calls it.
func (e Entry) ID() string { return spade.ContentID(e.Code) }

// measure fills in the columns that follow from the code, and makes absent lists empty ones.
func (e *Entry) measure() {
	e.SHA256 = checksum([]byte(e.Code))
	e.ByteCount = int64(len(e.Code))
	e.LineCount = int64(strings.Count(e.Code, "\n"))
	if e.Code != "" && !strings.HasSuffix(e.Code, "\n") {
		e.LineCount++
	}
	if e.Seeds == nil {
		e.Seeds = []int64{}
	}
	if e.Returns == nil {
		e.Returns = []Real{}
	}
	if e.HintedReturns == nil {
		e.HintedReturns = []Real{}
	}
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
