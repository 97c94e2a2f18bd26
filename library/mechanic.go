package library

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Plain is the hint of an environment without a twist.
const Plain = "plain"

// rule is one way in which a mechanic can want its answer.
type rule struct {
	name string
	// python is the expression or call that stands for it in the source; out is what is done to a number before
	// it is the answer, "" if nothing.
	python, out string
	// heldOut rules occur in the held-out suite only.
	heldOut bool
}

// The rules that any answer that is a number can have. Each is trained with some mechanics and held out with
// others, so that an unseen pair is made of two things that were seen.
func more(python string) rule  { return rule{name: "more", python: python, out: "+1"} }
func twice(python string) rule { return rule{name: "twice", python: python, out: "*2"} }
func ten(python string) rule   { return rule{name: "ten", python: python, out: "+10"} }

func heldOut(r rule) rule {
	r.heldOut = true
	return r
}

// then does to n what the rule does to a number before it is the answer.
func (r *rule) then(n int) int {
	switch r.out {
	case "+1":
		return n + 1
	case "*2":
		return 2 * n
	case "+10":
		return n + 10
	}
	return n
}

// mechanic is one kind of environment. Its texts are Python with four places to fill: <words>, <size>, <rule> and
// <out>. Its simulation says the same things in Go.
type mechanic struct {
	name string
	// rules[0] is the plain rule, the others are twists.
	rules []rule
	// sizes are the values that the mechanic's literal can take; twistSizes, if any, those under a twist.
	sizes, twistSizes []int
	// largeSize is a value beyond both, for the held-out suite; 0 if there is none.
	largeSize int
	// minWords and maxWords bound how many words of the theme it uses. A mechanic of one word only names it, so
	// that every environment shows what it is about.
	minWords, maxWords int
	// opcode is the word of the first observation that names the mechanic.
	opcode string
	// setup is what reset does after seeding; opening is the expression that follows name and opcode in the
	// first observation, "" if nothing does; ask is the body of the method that asks the next question.
	setup, opening, ask string
	// begin starts an episode: it returns what follows name and opcode in the first observation, and the
	// function that asks the question of a turn (0, 1, …) and gives the right answer under every rule, in the
	// order of rules.
	begin func(m *mechanic, it *Item, r *rand.Rand) (opening string, ask asker)
	// slip is an answer at random among those that could be meant.
	slip func(r *rand.Rand, it *Item, observation, right string) string
}

// asker asks the question of a turn and says what each rule of the mechanic would have answered.
type asker func(turn int) (question string, answers []string)

// Mechanics returns the names of the mechanics. They are the skills of the embedded model.
func Mechanics() []string {
	names := make([]string, len(mechanics))
	for i, m := range mechanics {
		names[i] = m.name
	}
	return names
}

// Twists returns the names of a mechanic's twists, either those that are held out or those that are not.
func Twists(mechanic string, heldOut bool) []string {
	m := mechanicNamed(mechanic)
	if m == nil {
		return nil
	}
	var names []string
	for _, r := range m.rules[1:] {
		if r.heldOut == heldOut {
			names = append(names, r.name)
		}
	}
	return names
}

func mechanicNamed(name string) *mechanic {
	i := slices.IndexFunc(mechanics, func(m mechanic) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &mechanics[i]
}

// ruleNamed returns the index of a rule, or -1.
func (m *mechanic) ruleNamed(name string) int {
	return slices.IndexFunc(m.rules, func(r rule) bool { return r.name == name })
}

// numbers are the answers of the rules for plain numbers, one for each.
func (m *mechanic) numbers(n ...int) []string {
	answers := make([]string, len(n))
	for i := range n {
		answers[i] = number(m.rules[i].then(n[i]))
	}
	return answers
}

// Slips: answers at random among those that could be meant.

func slipWord(r *rand.Rand, it *Item, _, _ string) string { return it.Words[r.IntN(len(it.Words))] }

func slipAmong(words string) func(*rand.Rand, *Item, string, string) string {
	among := strings.Fields(words)
	return func(r *rand.Rand, _ *Item, _, _ string) string { return among[r.IntN(len(among))] }
}

// slipOffered takes one of the last n words of the observation.
func slipOffered(n int) func(*rand.Rand, *Item, string, string) string {
	return func(r *rand.Rand, _ *Item, observation, _ string) string {
		seen := strings.Fields(observation)
		return seen[len(seen)-1-r.IntN(n)]
	}
}

// slipNear misses a number by one or two.
func slipNear(r *rand.Rand, _ *Item, _, right string) string {
	near := []int{-2, -1, 1, 2}[r.IntN(4)]
	n := 0
	for _, digit := range right {
		n = 10*n + int(digit-'0')
	}
	return number(max(0, n+near))
}
