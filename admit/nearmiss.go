package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
)

// playNearMisses plays the solver with each of its answers changed to one that is nearly right. A change that wins on
// the first of auditSeeds is tried on the others, and then beside its control, which has the same form and is wrong.
func (e *evidence) playNearMisses(ctx context.Context, r *run) error {
	seeds := e.auditSeeds()
	if seeds == nil {
		return nil
	}
	left := e.applicable(seeds[0])
	for _, round := range []struct {
		seeds   []int64
		control bool
	}{{seeds[:1], false}, {seeds[1:], false}, {seeds, true}} {
		var sittings []sitting
		for _, n := range left {
			for _, seed := range round.seeds {
				key := episodeKey{player: n.player(round.control), seed: seed}
				sittings = append(sittings, sitting{key: key, next: e.changedMove(n, round.control, seed)})
			}
		}
		episodes, err := r.playAll(ctx, sittings)
		if err != nil {
			return err
		}
		var still []nearMiss
		for i, n := range left {
			if !round.control && countWins(episodes[i*len(round.seeds):(i+1)*len(round.seeds)]) == len(round.seeds) {
				still = append(still, n)
			}
		}
		left = still
	}
	return nil
}

// auditSeeds returns three of the first lookSeeds seeds on which not all answers are the same, nil if there are none
// or solution() does not win.
func (e *evidence) auditSeeds() []int64 {
	for _, seed := range playSeeds {
		if ep := e.plain.episode(solver, seed); ep == nil || !ep.won() {
			return nil
		}
	}
	first := e.plain.looks[playSeeds[0]].solution
	if first != e.plain.looks[playSeeds[1]].solution {
		return playSeeds
	}
	for _, seed := range otherSeeds() {
		if first != e.plain.looks[seed].solution {
			return []int64{playSeeds[0], seed, playSeeds[2]}
		}
	}
	return nil
}

// mostKnown bounds the answers that are named together.
const mostKnown = 24

// knownAnswers returns the different answers that solution() gave so far, in order.
func (e *evidence) knownAnswers() []string {
	var known []string
	for _, ep := range e.plain.order {
		if ep.player != solver {
			continue
		}
		for _, action := range ep.actions() {
			known = append(known, contentOf(action))
		}
	}
	for seed := range int64(lookSeeds) {
		if e.kind == spade.Game {
			known = append(known, contentOf(boxed(e.plain.looks[seed].solution)))
		}
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(answer string) bool { return answer == "" })
	return known[:min(len(known), mostKnown)]
}

// applicable returns the near misses that change some answer of the solver's episode on seed, and are meant to lose in
// an environment that says what it says there.
func (e *evidence) applicable(seed int64) []nearMiss {
	ep := e.plain.episode(solver, seed)
	return slices.DeleteFunc(slices.Clone(nearMisses), func(n nearMiss) bool {
		if n.meant != nil && !n.meant(ep) {
			return true
		}
		return !slices.ContainsFunc(ep.actions(), func(action string) bool {
			_, changes := n.change(contentOf(action), e.known)
			return changes
		})
	})
}

// changedMove is the solver's move with the content of each answer changed; an answer to which the change does not
// apply becomes a wrong one. It takes no more turns than the solver did.
func (e *evidence) changedMove(n nearMiss, control bool, seed int64) move {
	solve := solverMove(e.kind)
	length := len(e.plain.episode(solver, playSeeds[0]).turns)
	if ep := e.plain.episode(solver, seed); ep != nil {
		length = len(ep.turns)
	}
	return func(m moment) (string, decision) {
		if m.turn >= length {
			return "", stops
		}
		action, does := solve(m)
		content := contentOf(action)
		if does != acts || content == "" {
			return action, does
		}
		known := e.known
		wrong := wrongAnswer(content, known)
		if control {
			right := content
			if content = wrong; n.spoil != nil {
				content = n.spoil(right)
			}
			known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return strings.Contains(k, right) })
		}
		changed, applies := n.change(content, known)
		if !applies {
			changed = plainAction(wrong)
		}
		return changed(e.kind), acts
	}
}

// nearMissesLose refuses verifiers that take wrong answers for right ones.
//
// Catches: the changes listed in nearMisses, where they win on three seeds with different answers while the same
// change of a wrong answer loses on all three: so what wins is not that anything goes, and lenience towards the form of
// an answer is no fault. Costs: one episode of the solver a change, at the same time; more only for changes that win.
// Cannot see: wrong answers of other forms, environments without solution(), and verifiers that forgive errors (the
// control wins there too).
func nearMissesLose(e *evidence) []spade.Reason {
	seeds := e.auditSeeds()
	reported := make(map[string]bool)
	var reasons []spade.Reason
	for _, n := range nearMisses {
		if seeds == nil || !e.passesFor(n, seeds) {
			continue
		}
		if other, paired := pairs[n.name]; paired && (reported[other] || !e.passesFor(nearMiss{name: other}, seeds)) {
			continue
		}
		reported[n.name] = true
		ep := e.plain.episode(n.player(false), seeds[0])
		right := e.solverActions(seeds[0], len(ep.turns))
		reasons = append(reasons, spade.Reason{
			Code: spade.VerifierWrong,
			Detail: fmt.Sprintf("%s wins on %d of %d seeds: %s, where the answer is %s%s",
				n.what, len(seeds), len(seeds), ep.ending(), quote(right), n.contrast()),
			Evidence: ep.evidence(),
		})
	}
	return reasons
}

// passesFor reports whether n won on all seeds and its control, if it has one, on none.
func (e *evidence) passesFor(n nearMiss, seeds []int64) bool {
	for _, seed := range seeds {
		changed, control := e.plain.episode(n.player(false), seed), e.plain.episode(n.player(true), seed)
		if changed == nil || !changed.won() || !n.plain && (control == nil || control.won()) {
			return false
		}
	}
	return true
}

// solverActions returns the content of the solver's action in turn n (from 1) on seed.
func (e *evidence) solverActions(seed int64, n int) string {
	ep := e.plain.episode(solver, seed)
	if ep == nil || n == 0 || n > len(ep.turns) {
		return contentOf(boxed(e.plain.looks[seed].solution))
	}
	return cut(contentOf(ep.turns[n-1].action))
}
