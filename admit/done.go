package admit

import (
	"context"
	"slices"

	"spade"
)

// stepOn goes on after a game was over: once it was won, and once, if one action wins, after it was lost. It keeps as
// paidAgain an episode that went on and was won with another action than the one that won before, where that one wins no
// more: repeating the terminal result is allowed, and so is being paid for the same answer again. A process that this
// breaks is no place for later episodes.
func (e *evidence) stepOn(ctx context.Context, r *run) error {
	won := r.view.episode(solver, playSeeds[0])
	if won == nil || !won.won() {
		return nil
	}
	s, err := e.winAgain(ctx, r, won)
	if err != nil {
		return err
	}
	alive, err := e.goOn(ctx, r, won, s)
	if alive && err == nil && e.paidAgain == nil && len(won.turns) == 1 {
		wrong := answer(e.kind, wrongAnswer(contentOf(won.turns[0].action), e.known))
		s := r.sit(&episode{episodeKey: won.episodeKey}, scripted([]string{wrong}))
		if err = r.playSeats(ctx, s); err == nil {
			alive, err = e.goOn(ctx, r, won, s)
		}
	}
	if alive && err == nil && e.paidAgain != nil {
		alive, err = e.payOnce(ctx, r, won)
	}
	e.packed = e.packed && alive
	return err
}

// payOnce drops paidAgain if the action that won is paid again after the end too: then the state stayed won, and any
// action may have shown it. It reports whether the process is still good.
func (e *evidence) payOnce(ctx context.Context, r *run, won *episode) (bool, error) {
	again := append(e.paidAgain.actions()[:e.reopened+1], won.turns[len(won.turns)-1].action)
	ep := &episode{episodeKey: won.episodeKey}
	s := r.sit(ep, scripted(nil))
	defer r.leaveSeat(s)
	err := r.playSeats(ctx, s)
	for _, action := range again {
		if err != nil || ep.fault != nil {
			break
		}
		var turn turn
		turn.action = action
		turn.step, ep.fault, err = s.env.Step(ctx, action)
		ep.turns = append(ep.turns, turn)
	}
	if err == nil && ep.fault == nil && ep.turns[len(ep.turns)-1].step.Reward >= 1 {
		e.paidAgain = nil
	}
	return ep.fault == nil, err
}

// winAgain lets the solver win once more.
func (e *evidence) winAgain(ctx context.Context, r *run, won *episode) (*seat, error) {
	if !r.apart {
		return r.repeat(ctx, won)
	}
	s := r.sit(&episode{episodeKey: won.episodeKey}, solverMove(e.kind))
	return s, r.playSeats(ctx, s)
}

// goOn reports whether the process is still good. Where the episode of s, which it leaves, was terminated, it takes one idle
// step, and if that shows the episode open lets the solver play for as long as won took.
func (e *evidence) goOn(ctx context.Context, r *run, won *episode, s *seat) (bool, error) {
	ep := s.ep
	defer r.leaveSeat(s)
	if ep.fault != nil || !ep.over() || !ep.turns[len(ep.turns)-1].step.Terminated {
		return ep.fault == nil, nil
	}
	junk, fault, err := s.env.Step(ctx, idle)
	if err != nil || fault != nil || junk.Terminated {
		return fault == nil, err
	}
	ep.turns = append(ep.turns, turn{action: idle, step: junk})
	e.reopened = len(ep.turns) - 1
	if e.kind == spade.ToolUse {
		again, fault, err := s.env.Solution(ctx)
		if err != nil || fault != nil || slices.Equal(nonBlankLines(again.Text), won.actions()) {
			return fault == nil, err // the same task, and our own base class does not mind
		}
	}
	winning := contentOf(won.turns[len(won.turns)-1].action)
	solve := solverMove(e.kind)
	for i := range won.turns {
		now := moment{turn: i, observation: junk.Observation}
		action, does := solve(now)
		if does == asks {
			said, fault, err := s.env.Solution(ctx)
			if err != nil || fault != nil {
				return fault == nil, err
			}
			now.solution = &said.Text
			action, does = solve(now)
		}
		if does == stops {
			return true, nil
		}
		step, fault, err := s.env.Step(ctx, action)
		if err != nil || fault != nil {
			return fault == nil, err
		}
		ep.turns = append(ep.turns, turn{action: action, step: step})
		if contentOf(action) == winning || step.Terminated {
			if contentOf(action) != winning && step.Reward >= 1 {
				e.paidAgain = ep
			}
			return true, nil
		}
	}
	return true, nil
}

// doneIsDone refuses environments that pay after the end.
//
// Catches: an episode that terminated, went on after a further step and was won by an action that would not have won
// before. Costs: up to two episodes of the solver and as many steps again. Cannot see: environments without
// solution(), and losses in tasks of several turns.
func doneIsDone(e *evidence) []spade.Reason {
	if e.paidAgain == nil {
		return nil
	}
	return []spade.Reason{{
		Code:     spade.StepAfterDone,
		Detail:   "after the episode was terminated, play went on and another win was paid: " + e.paidAgain.ending(),
		Evidence: e.paidAgain.evidence(),
	}}
}
