package admit

import (
	"context"

	"spade"
)

const (
	conclude   = "conclude"    // gives the solver's last answer as the first action
	afterWrong = "after wrong" // gives it after a wrong answer
)

// concludeAtOnce plays, on each of playSeeds, the last answer with which the solver won as the first action, and once
// more after a wrong answer: what wins so needs nothing that has to be earned.
func (e *evidence) concludeAtOnce(ctx context.Context, r *run) error {
	var sittings []sitting
	for _, seed := range playSeeds {
		ep := r.view.episode(solver, seed)
		if ep == nil || !ep.won() || e.kind == spade.Game && len(ep.turns) > 1 {
			return nil
		}
		last := ep.turns[len(ep.turns)-1].action
		wrong := answer(e.kind, wrongAnswer(contentOf(last), e.known))
		sittings = append(sittings,
			script(episodeKey{player: conclude, seed: seed}, last),
			script(episodeKey{player: afterWrong, seed: seed}, wrong, last))
	}
	_, err := r.playAll(ctx, sittings)
	return err
}
