package library

import (
	"math/rand/v2"
	"strings"
)

// turn is one exchange of a demonstration.
type turn struct {
	observation, action string
}

// episode is a simulated play of an environment.
type episode struct {
	turns []turn
	final string // "won" or "lost"
}

// player plays as well as can be from what it has seen, but for slips: it knows the rule if it is told, else
// it takes any rule that agrees with everything seen so far.
type player struct {
	// hinted players know the twist; the others know only whether there is one.
	hinted bool
	// slip is the probability of answering at random.
	slip float64
}

// play simulates an episode of it.
func (p player) play(r *rand.Rand, it *Item) episode {
	m := it.mechanic()
	truth := m.ruleNamed(it.Twist)
	believed := p.believes(m, truth)
	opening, ask := m.begin(it, r)
	question, answers := ask(0)
	observation := firstObservation(it, opening) + question
	var e episode
	lives := it.Lives
	for t := 1; ; t++ {
		action := answers[believed[r.IntN(len(believed))]]
		if r.Float64() < p.slip {
			action = slipped(r, it, observation, answers[truth])
		}
		e.turns = append(e.turns, turn{observation, action})
		right := answers[truth]
		believed = agreeing(believed, answers, right)
		if action != right {
			lives--
		}
		if lives < 1 {
			e.final = "lost"
			return e
		}
		if t == it.Horizon {
			e.final = "won"
			return e
		}
		question, answers = ask(t)
		observation = verdict(action, right) + question
	}
}

func firstObservation(it *Item, opening string) string {
	if opening == "" {
		return it.name()
	}
	return it.name() + " " + opening
}

func verdict(action, right string) string {
	if action == right {
		return "ok"
	}
	return "no " + right
}

// believes returns the rules that a player takes to be possible at first.
func (p player) believes(m *mechanic, truth int) []int {
	if p.hinted || truth == 0 {
		return []int{truth}
	}
	var possible []int
	for i := 1; i < len(m.rules); i++ {
		if !m.rules[i].heldOut || i == truth {
			possible = append(possible, i)
		}
	}
	return possible
}

// agreeing keeps the rules whose answer was the right one. The true rule always remains.
func agreeing(believed []int, answers []string, right string) []int {
	var kept []int
	for _, i := range believed {
		if answers[i] == right {
			kept = append(kept, i)
		}
	}
	return kept
}

// slipped is an answer at random among those that could be meant.
func slipped(r *rand.Rand, it *Item, observation, right string) string {
	switch it.Mechanic {
	case "walk":
		return []string{"west", "east"}[r.IntN(2)]
	case "table", "stack", "lag":
		return it.Words[r.IntN(len(it.Words))]
	case "rank", "alt":
		offered := 2
		if it.Mechanic == "rank" {
			offered = 3
		}
		seen := strings.Fields(observation)
		return seen[len(seen)-1-r.IntN(offered)]
	}
	near := []int{-2, -1, 1, 2}[r.IntN(4)]
	n := 0
	for _, digit := range right {
		n = 10*n + int(digit-'0')
	}
	return number(max(0, n+near))
}
