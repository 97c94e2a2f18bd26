package admit

import (
	"context"

	"spade/sandbox"
)

// seat is a player at an instance. What it asks for goes to the process together with what others ask for, or apart.
type seat struct {
	ep   *episode
	next move
	// told are the turns of an episode that is known beforehand and asked for as a whole; nil where next decides.
	told []turn
	// known is the episode that told is of, where it is to go the same way.
	known *episode
	env   *sandbox.Instance
	// borrowed says that the instance stays when the seat is left.
	borrowed bool
	turns    int // budget
	over     bool

	// first is the reset that was asked for; expected what it is taken to show, as it did before.
	first    *sandbox.Reply[sandbox.Observation]
	expected *string
	begun    bool // first was read
	// asked is what was asked for and not yet read; solution what solution() said in the present state.
	asked    []asked
	solution *string
}

// asked is one operation of an episode: solution() or a step.
type asked struct {
	solution *sandbox.Reply[sandbox.Solution]
	step     *sandbox.Reply[sandbox.Step]
	action   string
}

// sit returns a seat for ep, which must be left.
func (r *run) sit(ep *episode, next move) *seat {
	return &seat{ep: ep, next: next, env: r.reused, borrowed: r.reused != nil}
}

// leaveSeat frees the instance.
func (r *run) leaveSeat(s *seat) {
	s.over = true
	if s.env != nil && !s.borrowed {
		r.leave(s.env)
	}
}

// playOut plays ep to its end in an instance of its own. What goes wrong there is in ep.
func (r *run) playOut(ctx context.Context, ep *episode, next move) error {
	s := r.sit(ep, next)
	defer r.leaveSeat(s)
	return r.playSeats(ctx, s)
}

// playSeats plays until all seats are over. Unless they are apart, it returns errTogether for what only play one by
// one can tell.
func (r *run) playSeats(ctx context.Context, seats ...*seat) error {
	for {
		more, err := r.round(ctx, seats)
		if err != nil || !more {
			return err
		}
	}
}

// round asks for the next operations of all seats that are not over and reads what came of them. It reports false if
// all are over.
func (r *run) round(ctx context.Context, seats []*seat) (bool, error) {
	b := r.batch()
	var playing []*seat
	for _, s := range seats {
		if !s.over && (!r.apart || len(playing) == 0) {
			s.order(r, b)
			playing = append(playing, s)
		}
	}
	if b.Len() > 0 {
		if err := b.Do(ctx); err != nil {
			return false, err
		}
	}
	for _, s := range playing {
		if !s.read(r) {
			return false, errTogether
		}
		if err := r.lost(s.ep.fault, b.Len() > 1); err != nil {
			return false, err
		}
	}
	return len(playing) > 0, nil
}

// order asks for what comes next: one operation if the run is apart, else as many as can be known.
func (s *seat) order(r *run, b *sandbox.Batch) {
	if s.env == nil {
		if s.env = b.New(r.maxTurns); r.apart {
			return
		}
	}
	if s.first != nil {
		s.turn(b, s.ep.latest())
		return
	}
	s.first = b.Reset(s.env, s.ep.seed)
	switch l, looked := r.view.looks[s.ep.seed]; {
	case r.apart:
	case s.told != nil:
		for n := range s.told {
			s.tell(b, n)
		}
	case looked:
		s.expected = &l.observation
		s.turn(b, l.observation)
	}
}

// turn asks for what the player does next after observation.
func (s *seat) turn(b *sandbox.Batch, observation string) {
	action, does := s.next(moment{turn: len(s.ep.turns), observation: observation, solution: s.solution})
	switch does {
	case acts:
		s.asked = append(s.asked, asked{step: b.Step(s.env, action), action: action})
	case asks:
		s.asked = append(s.asked, asked{solution: b.Solution(s.env)})
	case stops:
		s.over = true
	}
}

// tell asks for turn n of an episode that is known beforehand, if it has one.
func (s *seat) tell(b *sandbox.Batch, n int) {
	if n >= len(s.told) {
		return
	}
	t := s.told[n]
	if t.said != nil {
		s.asked = append(s.asked, asked{solution: b.Solution(s.env)})
	}
	s.asked = append(s.asked, asked{step: b.Step(s.env, t.action), action: t.action})
}

// read takes what was asked for into the episode. It reports false if the reset did not show what was expected.
func (s *seat) read(r *run) bool {
	if s.first != nil && !s.begun {
		s.begun = true
		s.turns, s.ep.maxTurns = r.maxTurns, s.env.MaxTurns()
		if s.ep.maxTurns > 0 {
			s.turns = min(s.turns, s.ep.maxTurns)
		}
		s.ep.first, s.ep.fault = s.first.Value.Text, s.first.Fault
		s.over = s.over || s.ep.fault != nil
		if s.ep.fault == nil && s.expected != nil && *s.expected != s.ep.first {
			return false
		}
	}
	for _, a := range s.asked {
		if s.over {
			break
		}
		if a.solution != nil {
			s.readSolution(a.solution)
		} else {
			s.readStep(a)
		}
	}
	s.over = s.over || s.begun && s.told != nil && !r.apart
	s.asked = s.asked[:0]
	return true
}

func (s *seat) readSolution(reply *sandbox.Reply[sandbox.Solution]) {
	s.ep.fault = reply.Fault
	s.over = reply.Fault != nil
	s.solution = &reply.Value.Text
}

func (s *seat) readStep(a asked) {
	step := a.step.Value
	s.ep.turns = append(s.ep.turns, turn{action: a.action, step: step, said: s.solution})
	s.ep.fault, s.solution = a.step.Fault, nil
	s.over = s.ep.fault != nil || step.Terminated || step.Truncated || len(s.ep.turns) >= s.turns
}
