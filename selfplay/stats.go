package selfplay

import (
	"spade"
	"spade/learn"
)

// stats are the numbers of a cycle that charts show, but for its diversity.
func (l *Loop) stats(slots []*slot, record *spade.Cycle, counts learn.Counts, trained map[string]float64) spade.CycleStats {
	s := spade.CycleStats{
		Refused: map[string]int{}, Episodes: len(record.Episodes), TrainedTokens: counts.Tokens, Train: trained,
	}
	countDesigns(&s, slots)
	s.DesignerReward = meanRaw(record.Designs)
	countEpisodes(&s, record.Episodes)
	countScores(&s, record.Scores)
	countExplained(&s, slots, record.Scores)
	if counts.Groups > 0 {
		s.Signal = float64(counts.Informative) / float64(counts.Groups)
	}
	return s
}

// meanRaw is what designs earned in the mean.
func meanRaw(designs []spade.Design) float64 {
	sum, n := 0.0, 0
	for i := range designs {
		if designs[i].Earned() {
			sum, n = sum+designs[i].Raw, n+1
		}
	}
	return quotient(sum, n)
}

func countDesigns(s *spade.CycleStats, slots []*slot) {
	for _, slot := range slots {
		d := slot.force.Design
		if d == nil || !slot.made {
			continue
		}
		s.Designed++
		s.SampledTokens += sampled(d.Trajectory.Mask)
		switch {
		case d.Verdict.Admit:
			s.Admitted++
		case d.Verdict.Stage == spade.StagePolicy:
			s.Unanswered++
		case d.Verdict.Stage == spade.StageReply:
			s.Refused[spade.NoSource]++
		default:
			s.Refused[string(d.Verdict.Reasons[0].Code)]++
		}
		for _, w := range d.Verdict.Warnings {
			if w.Code == spade.WarnPolicy {
				countFailure(s, w.Detail)
			}
		}
	}
}

func countEpisodes(s *spade.CycleStats, episodes []spade.Episode) {
	unhinted := 0
	for i := range episodes {
		e := &episodes[i]
		for _, turn := range e.Turns {
			s.SampledTokens += sampled(turn.Mask)
		}
		if !e.Counts() {
			s.Faults++
			if e.Stop == spade.StopPolicy {
				countFailure(s, e.Failure)
			}
			continue
		}
		if e.Arm == spade.Unhinted {
			unhinted++
			s.Turns += float64(len(e.Turns))
		}
	}
	if unhinted > 0 {
		s.Turns /= float64(unhinted)
	}
}

func sampled(mask []bool) int {
	n := 0
	for _, m := range mask {
		if m {
			n++
		}
	}
	return n
}

// countScores takes means over the cycle's own environments; replays measure memory, not the cycle.
func countScores(s *spade.CycleStats, scores []spade.Score) {
	fresh, hinted := 0, 0
	for _, score := range scores {
		if score.Replay || score.Plays == 0 {
			continue
		}
		fresh++
		s.WinRate += score.WinRate
		s.Anchor += score.Anchor
		if score.WinRate > 0.15 && score.WinRate < 0.85 {
			s.InBand++
		}
		if score.HintedPlays > 0 {
			hinted++
			s.HintedWinRate += score.HintedWinRate
			s.Regret += score.Regret
		}
	}
	if fresh > 0 {
		s.WinRate /= float64(fresh)
		s.Anchor /= float64(fresh)
		s.InBand /= float64(fresh)
	}
	if hinted > 0 {
		s.HintedWinRate /= float64(hinted)
		s.Regret /= float64(hinted)
	}
}

func countFailure(s *spade.CycleStats, class string) {
	if s.Failures == nil {
		s.Failures = map[string]int{}
	}
	s.Failures[class]++
}
