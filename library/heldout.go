package library

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

//go:generate go run ./gen heldout/suite.json.gz

// The suite is frozen: measurements made at different times compare only if it stays as it is.
//
//go:embed heldout/suite.json.gz
var suiteFile []byte

// Families of the held-out suite: what an environment has that training never shows.
const (
	// FamilyHorizon asks for more turns than a new designer does. Its names go on with the number of turns in two
	// digits ("horizon-06"), so that every length is a family of its own.
	FamilyHorizon = "horizon"
	FamilyTheme   = "theme"      // a held-out theme
	FamilyRule    = "rule"       // a rule that training shows with other mechanics only
	FamilyCompose = "compose"    // two mechanics in one episode
	FamilyWording = "wording"    // other words for questions, verdicts and actions
	FamilyRange   = "range"      // larger numbers, longer rings, deeper piles
	FamilyTools   = "distractor" // calls of tools that have nothing to do with the answer
	FamilyPartial = "partial"    // answers are not judged until the end, or questions come two at a time
	FamilyForeign = "reasoning"  // tasks of reasoning-gym
)

// SuiteItem is one environment of a suite.
type SuiteItem struct {
	// ID is spade.ContentID(Source).
	ID     string `json:"id"`
	Family string `json:"family"`
	Source string `json:"source"`
	Hint   string `json:"hint"`
	// Seeds of the held-out suite are at least spade.TrainingSeeds, those of practice are below.
	Seeds []int64 `json:"seeds"`
}

// HeldOut returns the held-out suite.
func HeldOut() []SuiteItem {
	suite, err := readSuite(suiteFile)
	if err != nil {
		panic(fmt.Sprintf("library: the embedded held-out suite: %v", err))
	}
	return suite
}

func readSuite(file []byte) (suite []SuiteItem, err error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	return suite, json.Unmarshal(data, &suite)
}
