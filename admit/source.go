package admit

import (
	"fmt"
	"strings"

	"spade"
)

// maxSource bounds a source in bytes: five times the longest file of the published pools.
const maxSource = 256 << 10

// sourceReasons reads the source without running it.
//
// Catches: nothing at all, far too much, forbidden imports and file access (imports.go), copies (duplicate below).
// Costs: one pass over the text. Cannot see: names that are built at run time; the jail denies what they reach.
func sourceReasons(source string, tokens []token, fingerprint string, index Index) []spade.Reason {
	if len(tokens) == 0 {
		return []spade.Reason{{Code: spade.LoadError, Detail: "the source holds no code"}}
	}
	if len(source) > maxSource {
		detail := fmt.Sprintf("the source has %d bytes; at most %d are read", len(source), maxSource)
		return []spade.Reason{{Code: spade.LoadError, Detail: detail}}
	}
	if strings.ContainsRune(source, 0) {
		return []spade.Reason{{Code: spade.Syntax, Detail: "the source contains a NUL byte"}}
	}
	reasons := importReasons(tokens)
	if index != nil {
		if id, seen := index.Seen(fingerprint); seen {
			reasons = append(reasons, spade.Reason{
				Code:     spade.Duplicate,
				Detail:   "but for names, comments and layout it is the same as environment " + id,
				Evidence: spade.Evidence{Literal: id},
			})
		}
	}
	return reasons
}
