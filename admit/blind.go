package admit

import (
	"context"
	"fmt"
	"slices"

	"spade"
)

// playBlind plays what needs no look at the observation's meaning. A player that wins on all of playSeeds plays the
// first lookSeeds seeds.
func (e *evidence) playBlind(ctx context.Context, r *run) error {
	players := map[string]move{
		emptyPlayer: blind(emptyMove),
		echoPlayer:  blind(echoMove(e.kind)),
		listPlayer:  blind(listMove(e.kind)),
	}
	if script := e.constantScript(r.view); script != nil {
		players[constantPlayer] = scripted(script)
	}
	for _, player := range []string{emptyPlayer, echoPlayer, listPlayer, constantPlayer} {
		next, plays := players[player]
		if !plays {
			continue
		}
		wins := 0
		for i, seed := range append(slices.Clone(playSeeds), otherSeeds()...) {
			if wins < min(i, len(playSeeds)) {
				break
			}
			ep, err := r.play(ctx, episodeKey{player: player, seed: seed}, next)
			if err != nil {
				return err
			}
			if ep.won() {
				wins++
			}
		}
		if wins >= len(playSeeds) {
			e.blindWins[player] = wins
		}
	}
	return nil
}

// constantScript returns the actions of the solver if they are the same on all of playSeeds, else nil.
func (e *evidence) constantScript(v *view) []string {
	var script []string
	for _, seed := range playSeeds {
		ep := v.episode(solver, seed)
		if ep == nil || !ep.won() || script != nil && !slices.Equal(script, ep.actions()) {
			return nil
		}
		script = ep.actions()
	}
	return script
}

// blindShare is the share of seeds that a blind player has to win for a refusal.
const blindShare = 0.75

// blindPlayLoses refuses environments that are won without reading them.
//
// Catches: empty actions, echoed observations and lists of many answers that win on at least blindShare of the
// first lookSeeds seeds. Costs: one episode a player, more only for players that win. Cannot see: chance (a blind
// player is dropped at its first loss among playSeeds), and exploits by other actions.
func blindPlayLoses(e *evidence) []spade.Reason {
	var reasons []spade.Reason
	for _, exploit := range []struct {
		player string
		code   spade.Code
		detail string
	}{
		{emptyPlayer, spade.ExploitEmptyAction, "empty actions win"},
		{echoPlayer, spade.ExploitEcho, "sending the observation back wins"},
		{listPlayer, spade.VerifierWrong, "naming many answers in one action wins"},
	} {
		if wins := e.blindWins[exploit.player]; float64(wins) >= blindShare*lookSeeds {
			ep := e.plain.episode(exploit.player, playSeeds[0])
			reasons = append(reasons, spade.Reason{
				Code:     exploit.code,
				Detail:   fmt.Sprintf("%s on %d of %d seeds", exploit.detail, wins, lookSeeds),
				Evidence: spade.Evidence{Seed: &ep.seed, Actions: cutAll(ep.actions()), First: cutAll(ep.lines())},
			})
		}
	}
	return reasons
}
