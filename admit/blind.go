package admit

import (
	"context"
	"fmt"
	"slices"

	"spade"
)

// blindPlayer is a player that does not understand what it reads.
type blindPlayer struct {
	name string
	next func() move
	code spade.Code
	// detail says what it does, followed by "wins".
	detail string
}

// blindPlayers are those that suit the environment.
func (e *evidence) blindPlayers() []blindPlayer {
	steady := func(m move) func() move { return func() move { return m } }
	first := e.plain.looks[0].observation
	players := []blindPlayer{
		{"empty", steady(blind(emptyMove)), spade.ExploitEmptyAction, "saying nothing"},
		{"blank", steady(blind(repeat(answer(e.kind, "")))), spade.ExploitEmptyAction, "an empty answer"},
		{"echo", steady(blind(echoMove(e.kind))), spade.ExploitEcho, "sending the observation back"},
		{"list", steady(blind(listMove(e.kind))), spade.VerifierWrong, "naming many answers in one action"},
	}
	if e.hasSolution && evaluates(e.tokens) {
		for _, code := range []string{"self.solution()", "eval(self.solution())"} {
			players = append(players, blindPlayer{code, steady(blind(repeat(answer(e.kind, code)))),
				spade.VerifierWrong, "an answer that is evaluated and names the solution"})
		}
	}
	if content, ok := e.commonSolution(); ok {
		players = append(players, blindPlayer{"repeat", steady(blind(repeat(answer(e.kind, content)))),
			spade.ExploitRandom, "repeating one action"})
	}
	if script := e.constantScript(); script != nil {
		players = append(players, blindPlayer{constantPlayer, steady(scripted(script)), spade.Trivial, "the same script"})
	}
	if action, ok := e.winningJunk(); ok {
		players = append(players, blindPlayer{"junk", steady(blind(repeat(action))),
			spade.VerifierWrong, "an action that means nothing"})
	}
	for _, kind := range offerKinds {
		if len(offers(kind, first)) > 1 {
			players = append(players, blindPlayer{"each of the " + kind, func() move { return enumerateMove(e.kind, kind) },
				spade.ExploitRandom, "trying the " + kind + " that it shows one after the other"})
		}
	}
	return players
}

// blindRounds are the seeds of each round of blind play, and the wins on all seeds so far that the next round takes.
// Only players that may have been lucky play the last round.
var blindRounds = []struct {
	seeds []int64
	wins  int
	lucky bool
}{
	{playSeeds[:1], 0, false},
	{playSeeds[1:], 1, false},
	{otherSeeds(), len(playSeeds), false},
	{seedsFrom(lookSeeds, 64), int(blindShare * lookSeeds), true},
}

// playBlind lets the blind players play.
func (e *evidence) playBlind(ctx context.Context, r *run) error {
	tallies := make([]*blindTally, 0)
	for _, p := range e.blindPlayers() {
		tallies = append(tallies, &blindTally{blindPlayer: p})
	}
	for _, round := range blindRounds {
		var left []*blindTally
		var sittings []sitting
		for _, t := range tallies {
			if t.wins < round.wins || round.lucky && t.code != spade.ExploitRandom {
				continue
			}
			left = append(left, t)
			for _, seed := range round.seeds {
				sittings = append(sittings, sitting{key: episodeKey{player: t.name, seed: seed}, next: t.next()})
			}
		}
		episodes, err := r.playAll(ctx, sittings)
		if err != nil {
			return err
		}
		for i, t := range left {
			t.wins += countWins(episodes[i*len(round.seeds) : (i+1)*len(round.seeds)])
			t.episodes += len(round.seeds)
		}
	}
	for _, t := range tallies {
		if t.episodes >= lookSeeds {
			e.blindPlay = append(e.blindPlay, t)
		}
	}
	return nil
}

// blindTally counts the wins of a blind player.
type blindTally struct {
	blindPlayer
	wins, episodes int
}

// exploits reports whether the player wins more than an environment may let it.
func (t *blindTally) exploits() bool {
	if t.code == spade.ExploitRandom {
		low, _ := wilson(t.wins, t.episodes)
		return low > randomBound
	}
	return float64(t.wins) >= blindShare*float64(t.episodes)
}

func countWins(episodes []*episode) int {
	n := 0
	for _, ep := range episodes {
		if ep.won() {
			n++
		}
	}
	return n
}

func repeat(action string) func(int, string) string {
	return func(int, string) string { return action }
}

// enumerateMove tries what is offered in its order, each once, and then begins again.
func enumerateMove(kind spade.Kind, offered string) move {
	var tried, opening []string
	return blind(func(turn int, observation string) string {
		choices := offers(offered, observation)
		if turn == 0 {
			opening = choices
		}
		if len(choices) < 2 {
			choices = opening
		}
		if len(choices) == 0 { // another seed may ask another kind of question
			return answer(kind, "")
		}
		fresh := slices.IndexFunc(choices, func(c string) bool { return !slices.Contains(tried, c) })
		if fresh < 0 {
			tried, fresh = nil, 0
		}
		tried = append(tried, choices[fresh])
		return answer(kind, choices[fresh])
	})
}

// evaluates reports whether the source calls eval or exec, perhaps on what the agent wrote.
func evaluates(tokens []token) bool {
	for i, t := range tokens {
		if t.kind == nameToken && (t.text == "eval" || t.text == "exec") && i+1 < len(tokens) && tokens[i+1].text == "(" {
			return true
		}
	}
	return false
}

// constantScript returns the actions with which the solver wins if they are the same on all of playSeeds, else nil.
// Of a tool-use script only the answer counts if that alone is the same.
func (e *evidence) constantScript() []string {
	var script []string
	for _, seed := range playSeeds {
		ep := e.plain.episode(solver, seed)
		if ep == nil || !ep.won() {
			return nil
		}
		actions := ep.actions()
		if e.kind == spade.ToolUse {
			actions = actions[len(actions)-1:]
		}
		if script != nil && !slices.Equal(script, actions) {
			return nil
		}
		script = actions
	}
	return script
}

// commonSolution returns the first action that solution() gives on most of the first lookSeeds seeds, if one does.
func (e *evidence) commonSolution() (string, bool) {
	counts := make(map[string]int)
	for seed := range int64(lookSeeds) {
		content := contentOf(boxed(e.plain.looks[seed].solution))
		if counts[content]++; e.kind == spade.Game && e.hasSolution && counts[content] > lookSeeds/2 {
			return content, true
		}
	}
	return "", false
}

// winningJunk returns an action without meaning that ended an episode of the fuzz player in a win.
func (e *evidence) winningJunk() (string, bool) {
	for _, ep := range e.plain.order {
		if ep.player != fuzzPlayer || !ep.won() {
			continue
		}
		if last := ep.turns[len(ep.turns)-1].action; slices.Contains(junkActions, last) {
			return last, true
		}
	}
	return "", false
}

// blindShare is the share of seeds that a blind player who relies on the verifier has to win for a refusal. Those
// who rely on luck are held against randomBound.
const blindShare = 0.75

// blindPlayLoses refuses environments that are won without reading them.
//
// Catches: empty actions, echoed observations, lists of many answers, code in an answer and actions without meaning that
// win on at least blindShare of the first lookSeeds seeds; one action repeated and everything on offer tried in turn, where the 99 %
// interval of their win rate lies above randomBound. Costs: one episode a player, all at the same time; more only for
// players that win. Cannot see: exploits by other actions.
func blindPlayLoses(e *evidence) []spade.Reason {
	var reasons []spade.Reason
	for _, t := range e.blindPlay {
		if t.code == spade.Trivial || !t.exploits() {
			continue
		}
		ep := e.plain.episode(t.name, playSeeds[0])
		reasons = append(reasons, spade.Reason{
			Code:     t.code,
			Detail:   fmt.Sprintf("%s wins on %d of %d seeds: %s", t.detail, t.wins, t.episodes, ep.ending()),
			Evidence: ep.evidence(),
		})
	}
	return reasons
}
