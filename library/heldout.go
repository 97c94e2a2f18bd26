package library

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:generate go run ./gen heldout/suite.json

// The suite is frozen: measurements made at different times compare only if it stays as it is.
//
//go:embed heldout/suite.json
var suiteFile []byte

// Families of the held-out suite: what an environment has that training never shows.
const (
	FamilyHorizon = "horizon" // more turns than any environment of the warm start
	FamilyTheme   = "theme"   // a held-out theme
	FamilyRule    = "rule"    // a held-out twist
	FamilyCompose = "compose" // two mechanics in one episode
)

// HeldOutItem is one environment of the held-out suite.
type HeldOutItem struct {
	// ID is spade.ContentID(Source).
	ID     string  `json:"id"`
	Family string  `json:"family"`
	Source string  `json:"source"`
	Hint   string  `json:"hint"`
	Seeds  []int64 `json:"seeds"`
}

// HeldOut returns the held-out suite.
func HeldOut() []HeldOutItem {
	var suite []HeldOutItem
	if err := json.Unmarshal(suiteFile, &suite); err != nil {
		panic(fmt.Sprintf("library: the embedded held-out suite: %v", err))
	}
	return suite
}
