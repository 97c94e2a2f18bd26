package reward

import (
	"slices"

	"spade"
)

// Score rates one environment from its episodes of all arms; episodes of other environments must not be among
// them. Only episodes that count enter (spade.Episode.Counts). masked says that the blended value is below 0, so
// that the design must not train (see Result).
//
// It differs from Blend in one point, on purpose: regret compares the two arms on the seeds that both played
// (equal Cycle and Index) and is 0 where there are none, instead of taking a missing hinted mean for 0. Placebo
// episodes reduce the credited regret in the same paired way, a withheld secret (WithheldSecret) takes all of it, and a
// hang in play earns HangRaw. Score.Reward is left to DesignerAdvantages.
func Score(cfg Config, env spade.Environment, episodes []spade.Episode, withheldSecret bool) (score spade.Score, masked bool) {
	unhinted, hinted := returnsOf(episodes, spade.Unhinted), returnsOf(episodes, spade.Hinted)
	score = spade.Score{
		EnvID: env.ID, Skill: env.Skill,
		Plays: len(unhinted), HintedPlays: len(hinted),
		Mean: mean(unhinted), HintedMean: mean(hinted),
		WinRate: winRate(unhinted), HintedWinRate: winRate(hinted),
		Regret: pairedGain(episodes, spade.Hinted),
	}
	r := Result{
		Regret:   score.Regret,
		Credited: score.Regret - max(0, pairedGain(episodes, spade.Placebo)),
	}
	if withheldSecret {
		r.Credited = 0
	}
	r = r.blended(cfg, stepsOf(episodes), slices.ContainsFunc(episodes, hung))
	score.Anchor, score.Raw = r.Plateau, r.Raw
	return score, r.Masked
}

// Refused is the raw reward of a design whose first answer was refused: HangRaw if it hung, else 0, whatever a
// repair made of it.
func Refused(first spade.Verdict) float64 {
	if first.Has(spade.Hang) {
		return HangRaw
	}
	return 0
}

func hung(e spade.Episode) bool {
	return e.Stop == spade.StopEnvironment && (e.Outcome == spade.WallTimeout || e.Outcome == spade.CPULimit)
}

// counts says that an episode is of arm and enters statistics.
func counts(e *spade.Episode, arm spade.Arm) bool {
	return e.Arm == arm && e.Counts() && finite(e.Return)
}

func returnsOf(episodes []spade.Episode, arm spade.Arm) []float64 {
	var returns []float64
	for i := range episodes {
		if counts(&episodes[i], arm) {
			returns = append(returns, episodes[i].Return)
		}
	}
	return returns
}

// pairedGain is the mean return of arm minus that of the unhinted arm over the seeds that both played, 0 if none.
func pairedGain(episodes []spade.Episode, arm spade.Arm) float64 {
	type play struct{ cycle, index int }
	base := make(map[play]float64)
	for i := range episodes {
		if e := &episodes[i]; counts(e, spade.Unhinted) {
			base[play{e.Cycle, e.Index}] = e.Return
		}
	}
	var gains []float64
	for i := range episodes {
		e := &episodes[i]
		if !counts(e, arm) {
			continue
		}
		if b, both := base[play{e.Cycle, e.Index}]; both {
			gains = append(gains, e.Return-b)
		}
	}
	return mean(gains)
}

// stepsOf groups the unhinted returns by cycle, in ascending order.
func stepsOf(episodes []spade.Episode) []Step {
	byCycle := make(map[int]int)
	var steps []Step
	for i := range episodes {
		e := &episodes[i]
		if !counts(e, spade.Unhinted) {
			continue
		}
		at, known := byCycle[e.Cycle]
		if !known {
			at = len(steps)
			byCycle[e.Cycle] = at
			steps = append(steps, Step{Number: e.Cycle})
		}
		steps[at].Returns = append(steps[at].Returns, e.Return)
	}
	slices.SortFunc(steps, func(a, b Step) int { return a.Number - b.Number })
	return steps
}
