package admit

import (
	"fmt"
	"slices"

	"spade"
)

// runsAgree compares the two processes: equal seeds and actions have to give equal episodes.
//
// Catches: draws that the seed does not decide, seed 0 taken for no seed, the order of sets, clocks, addresses in
// texts, and state that outlives an episode (the processes played in opposite orders, and looked at the seeds in
// one instance that was reset). Costs: the alternate process. Cannot see: differences that other actions bring
// out.
func runsAgree(e *evidence) []spade.Reason {
	for seed := range int64(lookSeeds) {
		a, b := e.plain.looks[seed], e.alternate.looks[seed]
		if _, looked := e.alternate.looks[seed]; looked && a != b {
			what := "the first observation"
			if a.observation == b.observation {
				what = "what solution() says first"
			}
			return e.disagree(what, inOppositeOrders, seed, nil, a.lines(), b.lines())
		}
	}
	for _, ep := range e.plain.order {
		if l, looked := e.plain.looks[ep.seed]; looked && ep.first != l.observation {
			first := l.observation
			return e.disagree("the first observation", "in one process, before and after other episodes were played", ep.seed, nil,
				[]string{"reset: " + first}, []string{"reset: " + ep.first})
		}
		other := e.alternate.episodes[ep.episodeKey]
		if other == nil || ep.equals(other) {
			continue
		}
		if a, b := ep.lines(), other.lines(); !slices.Equal(a, b) {
			return e.disagree("an episode", inOppositeOrders, ep.seed, ep.actions(), a, b)
		}
	}
	if e.alone != nil {
		if a, b := e.plain.episodes[e.alone.episodeKey].lines(), e.alone.lines(); !slices.Equal(a, b) {
			return e.disagree("an episode", "in one process, before and after other episodes were played", e.alone.seed, e.alone.actions(), a, b)
		}
	}
	return nil
}

func (l look) lines() []string {
	return []string{"reset: " + l.observation, "solution: " + l.solution}
}

// inOppositeOrders says how the two processes played.
const inOppositeOrders = "in two processes with different PYTHONHASHSEED that played the same episodes in opposite orders"

func (e *evidence) disagree(what, where string, seed int64, actions, first, second []string) []spade.Reason {
	first, second = difference(first, second)
	same := "the same seed"
	if len(actions) > 0 {
		same = "the same seed and actions"
	}
	reason := spade.Reason{
		Code:     spade.Nondeterministic,
		Detail:   fmt.Sprintf("%s on seed %d differs between two runs of %s, %s", what, seed, same, where),
		Evidence: spade.Evidence{Seed: &seed, Actions: cutAll(actions), First: first, Second: second},
	}
	if draw := unseededDraw(e.tokens); draw != "" {
		reason.Code = spade.UnseededGlobalState
		reason.Detail += "; it draws from the global generator (" + draw + "), which it never seeds"
	}
	return []spade.Reason{reason}
}

// unseededDraw returns a draw from a global generator that the source never seeds, for example random.choice, or
// "" if there is none.
func unseededDraw(tokens []token) string {
	own := wordSet("Random SystemRandom default_rng RandomState Generator PCG64 SeedSequence")
	draw := ""
	for i := 0; i+3 < len(tokens); i++ {
		module, member := tokens[i], tokens[i+2]
		global := module.kind == nameToken && module.text == "random" && tokens[i+1].text == "."
		if !global || member.kind != nameToken || tokens[i+3].text != "(" || own[member.text] {
			continue
		}
		if member.text == "seed" {
			return ""
		}
		if draw == "" {
			draw = "random." + member.text
		}
	}
	return draw
}
