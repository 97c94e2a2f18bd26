package selfplay

import (
	"context"
	"slices"

	"spade"
	"spade/learn"
	"spade/policy"
)

// sampler is the model that plays a role.
func (l *Loop) sampler(role spade.Role) policy.Sampler {
	switch {
	case role == spade.Designer && l.Designer != nil:
		return l.Designer
	case role == spade.Agent && l.Agent != nil:
		return l.Agent
	}
	return l.Policy
}

// trainer is the policy as something whose weights can be updated, nil where they cannot.
func (l *Loop) trainer() policy.Trainer {
	trainer, _ := l.Policy.(policy.Trainer)
	return trainer
}

// trains reports whether what a role does is trained on.
func (l *Loop) trains(role spade.Role) bool {
	own := l.Designer == nil
	if role == spade.Agent {
		own = l.Agent == nil
	}
	return own && l.trainer() != nil
}

// train takes one step on what the trained roles did; without a trainer nothing is trained, and nothing counted.
func (l *Loop) train(ctx context.Context, batch policy.Batch) (numbers map[string]float64, tokens int, err error) {
	trainer := l.trainer()
	if trainer == nil {
		return nil, 0, nil
	}
	batch.Sequences = slices.DeleteFunc(batch.Sequences, func(s policy.Sequence) bool { return !l.trains(s.Role) })
	for _, s := range batch.Sequences {
		tokens += sampled(s.Mask)
	}
	numbers, err = trainer.Train(ctx, batch)
	return numbers, tokens, err
}

// countTrained leaves the sequences of roles that do not train out of the counts.
func (l *Loop) countTrained(counts *learn.Counts) {
	if !l.trains(spade.Agent) {
		counts.AgentSequences = 0
	}
	if !l.trains(spade.Designer) {
		counts.DesignerSequences = 0
	}
}

// Notes are what the policies of the run state about themselves, with the role of those that play one only, and what
// trains where that is not everything.
func (l *Loop) Notes() []string {
	var notes []string
	add := func(prefix string, s policy.Sampler) {
		if s == nil {
			return
		}
		for _, note := range s.Info().Notes {
			notes = append(notes, prefix+note)
		}
	}
	if l.Designer == nil || l.Agent == nil {
		add("", l.Policy)
	}
	add("designer: ", l.Designer)
	add("agent: ", l.Agent)
	if l.Designer == nil && l.Agent == nil {
		return notes
	}
	switch {
	case l.trains(spade.Designer):
		notes = append(notes, "the designer trains, the agent does not")
	case l.trains(spade.Agent):
		notes = append(notes, "the agent trains, the designer does not")
	default:
		notes = append(notes, "nothing trains")
	}
	return notes
}
