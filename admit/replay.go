package admit

import (
	"context"
	"fmt"

	"spade"
)

const (
	furtherPlayer = "further" // the solver on the seeds besides playSeeds
	replayPlayer  = "replay"  // the actions that solution() gave, without asking it
	latePlayer    = "late"    // waits, so that its win falls on the last permitted turn
)

// replay plays the actions with which solution() won once more, without calling it, and the solver on further seeds.
func (e *evidence) replay(ctx context.Context, r *run) error {
	var sittings []sitting
	for _, seed := range playSeeds {
		if ep := r.view.episode(solver, seed); ep != nil && ep.won() {
			sittings = append(sittings, script(episodeKey{player: replayPlayer, seed: seed}, ep.actions()...))
		}
	}
	if len(sittings) > 0 && !e.slow {
		for _, seed := range otherSeeds() {
			sittings = append(sittings, sitting{key: episodeKey{player: furtherPlayer, seed: seed}, next: solverMove(e.kind)})
		}
	}
	_, err := r.playAll(ctx, sittings)
	return err
}

// actionsAloneWin refuses environments whose solution() does more than to say what to do.
//
// Catches: a solution() that changes the state, so that its actions win only if it was called. Costs: one episode a
// seed. Cannot see: what solution() reads that no observation tells.
func actionsAloneWin(e *evidence) []spade.Reason {
	for _, seed := range playSeeds {
		ep := e.plain.episode(replayPlayer, seed)
		if ep == nil || ep.won() {
			continue
		}
		first, second := difference(e.plain.episode(solver, seed).lines(), ep.lines())
		return []spade.Reason{{
			Code: spade.Unsolvable,
			Detail: fmt.Sprintf("the actions of solution() win on seed %d only if solution() is called, so it changes the state; without it: %s",
				seed, ep.ending()),
			Evidence: spade.Evidence{Seed: &seed, Actions: cutAll(ep.actions()), First: first, Second: second},
		}}
	}
	return nil
}

// playLate waits with idle actions until just as many turns are left as the win took, and then wins.
func (e *evidence) playLate(ctx context.Context, r *run) error {
	won := r.view.episode(solver, playSeeds[0])
	if won == nil || !won.won() {
		return nil
	}
	_, err := r.play(ctx, episodeKey{player: latePlayer, seed: playSeeds[0]}, e.lateMove(min(r.maxTurns, won.maxTurns), len(won.turns)))
	return err
}

// lateMove stops at once where the environment has no turn budget of its own.
func (e *evidence) lateMove(maxTurns, length int) move {
	win, wait := solverMove(e.kind), maxTurns-length
	return func(m moment) (string, decision) {
		switch {
		case wait <= 0:
			return "", stops
		case m.turn < wait:
			return idle, acts
		}
		m.turn -= wait
		return win(m)
	}
}

// lastTurnCounts refuses environments in which the last permitted turn is worthless.
//
// Catches: a right answer on the last permitted turn that is paid but reported as truncated, which earns nothing.
// Costs: one episode as long as the turn budget. Cannot see: environments in which waiting changes what wins.
func lastTurnCounts(e *evidence) []spade.Reason {
	ep := e.plain.episode(latePlayer, playSeeds[0])
	if ep == nil || len(ep.turns) == 0 {
		return nil
	}
	if last := ep.turns[len(ep.turns)-1].step; last.Reward < 1 || last.Terminated {
		return nil
	}
	return []spade.Reason{{
		Code:     spade.VerifierWrong,
		Detail:   "a win on the last permitted turn is paid but not terminated: " + ep.ending(),
		Evidence: ep.evidence(),
	}}
}
