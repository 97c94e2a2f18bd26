package selfplay

import (
	"math"

	"spade"
	"spade/learn"
)

// samples are the numbers of a cycle's samples, but for how many designs had a negative regret.
func (l *Loop) samples(st *state, slots []*slot, record *spade.Cycle, advantages []float64, counts learn.Counts) *spade.SampleStats {
	s := &spade.SampleStats{AgentSequences: counts.AgentSequences, DesignerSequences: counts.DesignerSequences}
	sampleEpisodes(s, record.Episodes, advantages)
	sampleGroups(s, slots)
	sampleDesigns(s, record.Designs)
	if len(record.Designs) == 0 {
		for _, f := range st.Window {
			if f.Design != nil {
				s.Waiting++
			}
		}
	}
	if mean, follows := st.Potentials.Mean(); follows {
		s.Potential = &mean
	}
	return s
}

// sampleEpisodes takes means over the blind episodes that count.
func sampleEpisodes(s *spade.SampleStats, episodes []spade.Episode, advantages []float64) {
	for i := range episodes {
		e := &episodes[i]
		if e.Stop == spade.StopEnvironment && (e.Outcome == spade.WallTimeout || e.Outcome == spade.CPULimit) {
			s.Timeouts++
		}
		if e.Arm != spade.Unhinted || !e.Counts() {
			continue
		}
		s.Blind++
		s.Return += e.Return
		s.Advantage += advantages[i]
		if e.Won() {
			s.WinRate++
		}
		if e.Stop == spade.StopTruncated || e.Stop == spade.StopContext {
			s.Truncated++
		}
	}
	for _, sum := range []*float64{&s.Return, &s.WinRate, &s.Advantage, &s.Truncated} {
		*sum = quotient(*sum, s.Blind)
	}
}

// sampleGroups looks at the blind returns of each slot, and of each skill.
func sampleGroups(s *spade.SampleStats, slots []*slot) {
	bySkill, compared := map[string][]float64{}, 0
	for _, slot := range slots {
		var returns []float64
		zeros, positives := 0, 0
		for i := range slot.episodes {
			e := &slot.episodes[i]
			if e.Arm != spade.Unhinted || !e.Counts() {
				continue
			}
			returns = append(returns, e.Return)
			if e.Return == 0 {
				zeros++
			} else if e.Return > 0 {
				positives++
			}
		}
		if len(returns) == 0 {
			continue
		}
		s.Groups++
		skill := slot.force.Env.Skill
		bySkill[skill] = append(bySkill[skill], returns...)
		if len(returns) == 1 {
			continue
		}
		compared++
		std := returnsOf(returns).Std
		s.GroupStd += std
		s.ZeroStd += indicator(std == 0)
		s.AllZero += indicator(zeros == len(returns))
		s.AllPositive += indicator(positives == len(returns))
	}
	for _, sum := range []*float64{&s.GroupStd, &s.ZeroStd, &s.AllZero, &s.AllPositive} {
		*sum = quotient(*sum, compared)
	}
	s.Skills = map[string]spade.ReturnStats{}
	for skill, returns := range bySkill {
		s.Skills[skill] = returnsOf(returns)
	}
}

// sampleDesigns looks at the designs that were rewarded.
func sampleDesigns(s *spade.SampleStats, designs []spade.Design) {
	for _, d := range designs {
		if !d.Earned() {
			continue
		}
		s.Rewarded++
		if d.Masked {
			continue
		}
		s.Training++
		s.DesignerReward += d.Reward
		s.Hung += indicator(d.Raw < 0) // what is below 0 without being masked is the price of a hang
	}
	s.Hung = quotient(s.Hung, s.Rewarded)
	s.DesignerReward = quotient(s.DesignerReward, s.Training)
}

// returnsOf measures the deviation from the first value, so that equal returns have none.
func returnsOf(returns []float64) spade.ReturnStats {
	n := float64(len(returns))
	var sum, squares float64
	for _, r := range returns {
		d := r - returns[0]
		sum, squares = sum+d, squares+d*d
	}
	mean := sum / n
	return spade.ReturnStats{Mean: returns[0] + mean, Std: math.Sqrt(max(0, squares/n-mean*mean))}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// quotient is 0 where nothing is divided by nothing.
func quotient(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
