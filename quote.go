package spade

import (
	"regexp"
	"strings"
)

// plain matches what a shell, and an eye, takes as one word.
var plain = regexp.MustCompile(`^[\pL\pN_@%+=:,./-]+$`)

// Quote is a path as messages show it, so that it can be pasted into a shell: as it is, or in single quotes where
// it holds anything but letters, digits and harmless signs.
func Quote(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
