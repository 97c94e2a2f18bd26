package admit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"spade"
)

// randomBound is the win rate of random play that an environment may not exceed. The easiest honest choices that the
// library offers (two options a turn, two errors in four turns allowed) are won by chance at a rate of 0.69.
const randomBound = 0.7

// randomRounds are the numbers of episodes after which random play is looked at again, and how many of them it must
// have won to be worth more: a rate of 0.85 gets through each with a probability of at least 0.95.
var randomRounds = []struct{ episodes, wins int }{{6, 4}, {24, 18}, {96, 0}}

// randomWins counts the wins of random play among one kind of what is offered.
type randomWins struct {
	kind           string
	wins, episodes int
	won            *episode // one of them
}

// playRandom plays at random among what the observations offer, kind by kind, in as many episodes as it takes to see
// that this wins rarely or often.
func (e *evidence) playRandom(ctx context.Context, r *run) error {
	for _, kind := range offerKinds {
		if len(offers(kind, e.plain.looks[0].observation)) < 2 {
			continue
		}
		tally := randomWins{kind: kind}
		for _, round := range randomRounds {
			var sittings []sitting
			for i := tally.episodes; i < round.episodes; i++ {
				key := episodeKey{player: randomPlayer + kind, seed: int64(i)}
				sittings = append(sittings, sitting{key: key, next: e.randomMove(kind, i)})
			}
			episodes, err := r.playAll(ctx, sittings)
			if err != nil {
				return err
			}
			for _, ep := range episodes {
				if tally.episodes++; ep.won() {
					tally.wins++
					tally.won = ep
				}
			}
			if tally.wins < round.wins {
				break
			}
		}
		e.randomPlay = append(e.randomPlay, tally)
	}
	return nil
}

// randomMove draws each action uniformly from what the latest observation offers, or the first where that offers
// nothing of the kind.
func (e *evidence) randomMove(kind string, index int) move {
	draw := spade.Stream(0, 0, index, "random play "+kind)
	var opening []string
	return blind(func(turn int, observation string) string {
		choices := offers(kind, observation)
		if turn == 0 {
			opening = choices
		}
		if len(choices) < 2 {
			choices = opening
		}
		return answer(e.kind, pick(draw, choices))
	})
}

func pick(draw *rand.Rand, choices []string) string {
	if len(choices) == 0 {
		return ""
	}
	return choices[draw.IntN(len(choices))]
}

// randomPlayLoses refuses environments that are won by acting at random.
//
// Catches: win rates of random play, among the options, numbers or words that observations offer, whose 99 % interval
// (Wilson) lies above randomBound. Costs: six episodes a kind, at the same time, up to 96 where they win. Cannot see:
// actions that observations do not show.
func randomPlayLoses(e *evidence) []spade.Reason {
	for _, tally := range e.randomPlay {
		low, high := wilson(tally.wins, tally.episodes)
		if low <= randomBound {
			continue
		}
		return []spade.Reason{{
			Code: spade.ExploitRandom,
			Detail: fmt.Sprintf("random play among the %s that it shows wins %d of %d episodes (99%% interval %.2f to %.2f); at most %.2f is allowed",
				tally.kind, tally.wins, tally.episodes, low, high, randomBound),
			Evidence: tally.won.evidence(),
		}}
	}
	return nil
}

// wilson returns the 99 % score interval of a rate, by E. B. Wilson (1927), from wins in n > 0 trials.
func wilson(wins, n int) (low, high float64) {
	const z = 2.575829 // the 0.995 quantile of the normal distribution
	rate, size := float64(wins)/float64(n), float64(n)
	middle := rate + z*z/(2*size)
	spread := z * math.Sqrt(rate*(1-rate)/size+z*z/(4*size*size))
	return (middle - spread) / (1 + z*z/size), (middle + spread) / (1 + z*z/size)
}
