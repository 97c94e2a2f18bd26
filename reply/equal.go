package reply

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// tolerance is how far two equal numbers may be apart, relative to the larger one.
const tolerance = 1e-9

// AnswerEqual reports whether two answers say the same: the same text in normal form (see Normalize), or the
// same number up to 1e-9 of its size, or lists with equal elements. Numbers may have a sign, a $ before them,
// thousands groups, an exponent, or be a fraction of two numbers. Nothing equals an empty answer, and neither
// nan nor an infinity equals anything.
func AnswerEqual(a, b string) bool {
	a, b = Normalize(a), Normalize(b)
	if a == "" || b == "" {
		return false
	}
	x, aNumber := number(a)
	y, bNumber := number(b)
	if aNumber && bNumber {
		return equalNumbers(x, y)
	}
	if notFinite(a) || notFinite(b) {
		return false
	}
	if a == b {
		return true
	}
	if aNumber || bNumber {
		return false
	}
	return equalLists(a, b)
}

// equalLists compares the elements of two lists in equal brackets, or without brackets.
func equalLists(a, b string) bool {
	if n := len(a) - 1; n > 0 && strings.Contains("() [] {}", a[:1]+a[n:]) && b[0] == a[0] && b[len(b)-1] == a[n] {
		a, b = a[1:n], b[1:max(len(b)-1, 1)]
	}
	as, bs := strings.Split(a, ","), strings.Split(b, ",")
	if len(as) != len(bs) || len(as) < 2 {
		return false
	}
	for i := range as {
		if !AnswerEqual(as[i], bs[i]) {
			return false
		}
	}
	return true
}

func equalNumbers(x, y float64) bool {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return false
	}
	return math.Abs(x-y) <= tolerance*math.Max(math.Abs(x), math.Abs(y))
}

var (
	infinity      = regexp.MustCompile(`(?i)^[+-]?\s*\$?(nan|inf|infinity|\\infty|∞)$`)
	numberPattern = regexp.MustCompile(`^([+-]?)\$?([+-]?)((?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$`)
)

// notFinite reports whether s is nan or an infinity, or a list with one in it.
func notFinite(s string) bool {
	for element := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",()[]{}", r) }) {
		if infinity.MatchString(strings.TrimSpace(element)) {
			return true
		}
	}
	return false
}

// number reads a number or a fraction of two. A number too large for a float64 is an infinity.
func number(s string) (float64, bool) {
	if over, under, found := strings.Cut(s, "/"); found {
		x, okX := decimal(over)
		y, okY := decimal(under)
		return x / y, okX && okY && y != 0
	}
	return decimal(s)
}

func decimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if after, found := strings.CutPrefix(s, "–"); found {
		s = "-" + after // an en dash used as a sign
	}
	m := numberPattern.FindStringSubmatch(s)
	if m == nil || m[1] != "" && m[2] != "" {
		return 0, false
	}
	// The pattern admits only what ParseFloat reads; its one error is overflow, with an infinity as value.
	x, _ := strconv.ParseFloat(m[1]+m[2]+strings.ReplaceAll(m[3], ",", "")+m[4], 64)
	return x, true
}
