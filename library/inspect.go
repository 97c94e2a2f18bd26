package library

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Traits is what can be read off a source that is written in the manner of the library.
type Traits struct {
	Topic, Mechanic string
	Horizon, Lives  int
	// Twisted says that the first observation tells of a twist.
	Twisted bool
	// Mute and Decoy are those of Item.
	Mute, Decoy bool
}

var (
	className  = regexp.MustCompile(`class ([A-Z][a-z]+)Env\b`)
	difficulty = regexp.MustCompile(`s\.L=(\d{1,3});s\.b=(\d{1,3})\n`)
	firstWords = regexp.MustCompile(`return f?"([a-z]+(?: [a-z]+)+)`)
)

// Inspect reads the traits of a source, whoever wrote it. It reports false if the source is not in the
// library's manner; it does not say that a source is correct.
func Inspect(source string) (Traits, bool) {
	class := className.FindStringSubmatch(source)
	numbers := difficulty.FindStringSubmatch(source)
	said := firstWords.FindStringSubmatch(source)
	if class == nil || numbers == nil || said == nil {
		return Traits{}, false
	}
	theme, known := themeWhere(func(t Theme) bool { return t.Object == strings.ToLower(class[1]) })
	words := strings.Fields(said[1])
	var t Traits
	for _, m := range mechanics {
		if m.opcode == words[len(words)-1] {
			t.Mechanic = m.name
		}
	}
	if !known || t.Mechanic == "" {
		return Traits{}, false
	}
	t.Topic, t.Twisted = theme.Topic, slices.Contains(words, "odd")
	t.Mute, t.Decoy = strings.Contains(source, muteVerdict+")"), strings.Contains(source, decoy)
	t.Horizon, _ = strconv.Atoi(numbers[1]) // the expression matches short numbers only
	t.Lives, _ = strconv.Atoi(numbers[2])
	return t, true
}
