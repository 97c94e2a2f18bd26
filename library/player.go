package library

import "math/rand/v2"

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
	opening, ask := m.begin(m, it, r)
	question, answers := ask(0)
	observation := firstObservation(it, opening) + question
	var e episode
	lives := it.Lives
	for t := 1; ; t++ {
		right := answers[truth]
		action := answers[believed[r.IntN(len(believed))]]
		if r.Float64() < p.slip {
			action = m.slip(r, it, observation, right)
		}
		e.turns = append(e.turns, turn{observation, action})
		believed = agreeing(believed, answers, action, right, it.Mute)
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
		observation = it.answered(r, action, right) + question
	}
}

func firstObservation(it *Item, opening string) string {
	if opening == "" {
		return it.name()
	}
	return it.name() + " " + opening
}

// answered is what the environment says after an action, before it asks again.
func (it *Item) answered(r *rand.Rand, action, right string) string {
	said := "ok"
	switch {
	case action == right:
	case it.Mute:
		said = "no"
	default:
		said = "no " + right
	}
	if it.Decoy {
		said += " near " + number(r.IntN(decoys))
	}
	return said
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

// agreeing keeps the rules that agree with what was said of an action: whose answer was the right one, or, of a
// wrong action in a mute environment, whose answer it was not. The true rule always remains.
func agreeing(believed []int, answers []string, action, right string, mute bool) []int {
	var kept []int
	for _, i := range believed {
		if mute && action != right {
			if answers[i] != action {
				kept = append(kept, i)
			}
		} else if answers[i] == right {
			kept = append(kept, i)
		}
	}
	return kept
}
