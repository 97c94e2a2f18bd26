package admit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spade"
)

// nearMiss is one way to change an answer that has to lose.
type nearMiss struct {
	name string
	// what says in words what the changed answer is.
	what string
	// change returns the changed answer; false if it does not apply to answer. known are other answers.
	change func(answer string, known []string) (dressed, bool)
	// meant reports whether the task plainly asks for what the change destroys; nil if every task does.
	meant func(*episode) bool
	// plain says that the changed answer is simply wrong, so that there is nothing to hold it against.
	plain bool
	// spoil makes the wrong answer that the control changes; nil if wrongAnswer does.
	spoil func(answer string) string
}

// dressed writes an action of a kind.
type dressed func(spade.Kind) string

// player names the player who makes the change, or its control.
func (n nearMiss) player(control bool) string {
	if control {
		return "wrong " + n.name
	}
	return "near " + n.name
}

// contrast says what loses where n wins.
func (n nearMiss) contrast() string {
	if n.plain {
		return ""
	}
	return "; the same with a wrong answer loses"
}

// plainAction dresses content as the only answer of an action.
func plainAction(content string) dressed {
	return func(kind spade.Kind) string { return answer(kind, content) }
}

// nearMisses are the changes that are tried. The answers named together come in both orders, as a verifier may well
// read the first or the last of several: only one that reads any of them is wrong, and it passes both.
var nearMisses = []nearMiss{
	{name: "all, right first", what: "naming all answers that occur, the right one first,", change: together(true, ", ")},
	{name: "all, right last", what: "naming all answers that occur, the right one last,", change: together(false, ", ")},
	{name: "boxes, right first", what: "boxing all answers that occur, the right one first,", change: together(true, "")},
	{name: "boxes, right last", what: "boxing all answers that occur, the right one last,", change: together(false, "")},
	{name: "longer number", what: "a longer number that contains the answer", change: numeric(surrounded)},
	{name: "truncated number", what: "the answer without its last digit", change: numeric(truncated)},
	{name: "other sign", what: "the answer with the other sign", change: numeric(negated), meant: asksForOneNumber},
	{name: "point moved", what: "the digits of the answer with a point among them", change: numeric(pointed)},
	{name: "another number", what: "another number of the same length", change: numeric(otherDigits), meant: asksForOneNumber, plain: true},
	{name: "one more", what: "one more than the answer", change: numeric(plus(1)), meant: asksForOneNumber},
	{name: "one less", what: "one less than the answer", change: numeric(plus(-1)), meant: asksForOneNumber},
	{name: "end of a word", what: "the answer without its first letter", change: whole(endOfWord)},
	{name: "reversed", what: "the items of the answer in reverse order", change: whole(reversed), meant: asksForOrder, spoil: oneSpoiled},
	{name: "other unit", what: "the number of the answer in another unit", change: whole(otherUnit)},
}

// pairs are near misses of which one alone shows nothing: the verifier is wrong only if both win.
var pairs = map[string]string{
	"all, right first": "all, right last", "all, right last": "all, right first",
	"boxes, right first": "boxes, right last", "boxes, right last": "boxes, right first",
	"one more": "one less", "one less": "one more",
}

// together names all known answers, answer first or last, in one box or, without a separator, in a box each.
func together(first bool, separator string) func(string, []string) (dressed, bool) {
	return func(right string, known []string) (dressed, bool) {
		all := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return strings.Contains(k, right) })
		if len(all) == 0 {
			return nil, false
		}
		if first {
			all = slices.Insert(all, 0, right)
		} else {
			all = append(all, right)
		}
		if separator != "" {
			return plainAction(strings.Join(all, separator)), true
		}
		return func(kind spade.Kind) string {
			var boxes []string
			for _, each := range all {
				boxes = append(boxes, answer(kind, each))
			}
			return strings.Join(boxes, " ")
		}, true
	}
}

var (
	integerPattern = regexp.MustCompile(`^-?\d{1,15}$`)
	unitPattern    = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)\s*([A-Za-z°%€$]{1,4})$`)
	itemCut        = regexp.MustCompile(`\s*,\s*|\s+`)
)

// numeric applies change to whole numbers; "" says that it does not apply.
func numeric(change func(string) string) func(string, []string) (dressed, bool) {
	return whole(func(answer string) string {
		if !integerPattern.MatchString(answer) {
			return ""
		}
		return change(answer)
	})
}

// whole applies change to answers; "" says that it does not apply.
func whole(change func(string) string) func(string, []string) (dressed, bool) {
	return func(answer string, _ []string) (dressed, bool) {
		changed := change(answer)
		return plainAction(changed), changed != "" && changed != answer
	}
}

func surrounded(number string) string {
	if strings.HasPrefix(number, "-") {
		return ""
	}
	return "9" + number + "7"
}

func truncated(number string) string {
	if len(strings.TrimPrefix(number, "-")) < 2 {
		return ""
	}
	return number[:len(number)-1]
}

func negated(number string) string {
	if strings.Trim(number, "-0") == "" {
		return ""
	}
	if positive, ok := strings.CutPrefix(number, "-"); ok {
		return positive
	}
	return "-" + number
}

func pointed(number string) string {
	if len(strings.TrimPrefix(number, "-")) < 2 || strings.HasSuffix(number, "0") {
		return ""
	}
	return number[:len(number)-1] + "." + number[len(number)-1:]
}

func plus(n int) func(string) string {
	return func(number string) string {
		value, err := strconv.Atoi(number)
		if err != nil {
			return ""
		}
		return fmt.Sprint(value + n)
	}
}

func endOfWord(answer string) string {
	const shortest = 5
	if word := []rune(answer); len(word) >= shortest && wordPattern.FindString(answer) == answer && !hasDigit(answer) {
		return string(word[1:])
	}
	return ""
}

func reversed(answer string) string {
	items := itemCut.Split(answer, -1)
	if len(items) < 3 {
		return ""
	}
	separator := " "
	if strings.Contains(answer, ",") {
		separator = ", "
	}
	slices.Reverse(items)
	return strings.Join(items, separator)
}

// oneSpoiled replaces the first item of an answer: the others in another order are no wrong answer where order does not
// count.
func oneSpoiled(answer string) string {
	items := itemCut.Split(answer, -1)
	return "qqqqqq" + strings.TrimPrefix(answer, items[0])
}

// units are replaced by one of another size.
var units = map[string]string{"kg": "g", "g": "kg", "m": "km", "cm": "m", "mm": "m", "km": "m", "s": "h", "ms": "s", "min": "h",
	"h": "min", "W": "kW", "kW": "W", "V": "mV", "mV": "V", "A": "mA", "J": "kJ", "kJ": "J", "K": "C", "C": "K", "Pa": "bar",
	"bar": "Pa", "l": "ml", "L": "mL", "ml": "l", "mL": "L", "t": "kg", "Hz": "kHz", "kHz": "Hz", "N": "kN"}

func otherUnit(answer string) string {
	m := unitPattern.FindStringSubmatch(answer)
	if m == nil || units[m[2]] == "" {
		return ""
	}
	return m[1] + " " + units[m[2]]
}

// wrongAnswer returns an answer of the form of answer that is another one and neither contains it nor is contained.
func wrongAnswer(answer string, known []string) string {
	if integerPattern.MatchString(answer) {
		return otherDigits(answer)
	}
	for _, other := range known {
		if !strings.Contains(answer, other) && !strings.Contains(other, answer) {
			return other
		}
	}
	return "qqqqqq"
}

// otherDigits returns a number of the same length with none of its digits where number has it.
func otherDigits(number string) string {
	digits := []byte(number)
	for i, c := range digits {
		if c != '-' {
			digits[i] = '0' + (c-'0'+3)%10
		}
	}
	first := strings.IndexFunc(number, func(r rune) bool { return r != '-' })
	if digits[first] == '0' && len(digits) > first+1 {
		digits[first] = '6'
	}
	return string(digits)
}

var (
	oneNumberCue = regexp.MustCompile(`(?i)how many|how much|\bsum\b|\btotal\b|\bcount\b|product of|difference|=\s*\?|comput|calculat|exact|largest|smallest|median|remainder`)
	lenienceCue  = regexp.MustCompile(`(?i)about|approx|within|nearest|toleran|±|\+/-|rough|close|round|at least|at most|or more|or less|more than|less than|estimat|margin|between|\bany\b`)
	orderCue     = regexp.MustCompile(`(?i)\border\b|\bsort|ascend|descend|sequence|first to last|\brank`)
	noOrderCue   = regexp.MustCompile(`(?i)any order|order (?:does not|doesn't) matter|unordered|in no particular|\btours?\b|\broutes?\b|\bpaths?\b|\bcycle|round trip|circuit|neighbou?r|adjacent|either (?:way|end|direction)`)
)

// asksForOneNumber reports whether the first observation plainly asks for one number that is right: it asks for a
// count, a sum or the like, one action wins, and nothing in it speaks of tolerance.
func asksForOneNumber(ep *episode) bool {
	return len(ep.turns) == 1 && oneNumberCue.MatchString(ep.first) && !lenienceCue.MatchString(ep.first)
}

// asksForOrder reports whether the first observation plainly asks for items in an order.
func asksForOrder(ep *episode) bool {
	return orderCue.MatchString(ep.first) && !noOrderCue.MatchString(ep.first)
}
