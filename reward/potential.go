package reward

import (
	"maps"
	"math"
	"slices"

	"spade"
)

// Potentials follow the mean return of every skill, so that environments which are played only once have a learning
// potential: that of an environment is what LearningPotential would say if its mean return were the skill's next
// value. The zero value is ready to use; as JSON it is what a resumed run continues from.
type Potentials struct {
	Skills map[string]LearningPotential `json:"skills"`
}

// Credit adds Config.PotentialWeight times the learning potential to the raw reward of each score, and says anew which
// are masked; then every skill's averages take in the mean of its scores. Scores without a play earn and move
// nothing; a hang stays HangRaw.
func (p *Potentials) Credit(cfg Config, scores []spade.Score, masked []bool) {
	if p.Skills == nil {
		p.Skills = make(map[string]LearningPotential)
	}
	skills := make(map[string]total)
	for i := range scores {
		s := &scores[i]
		if s.Plays == 0 {
			continue
		}
		t := skills[s.Skill]
		skills[s.Skill] = total{t.sum + s.Mean, t.n + 1}
		if hang := s.Raw < 0 && !masked[i]; hang {
			continue
		}
		s.Raw += cfg.PotentialWeight * p.of(s.Skill, s.Mean)
		masked[i] = s.Raw < 0
	}
	for skill, t := range skills {
		average := p.average(skill)
		average.Observe(t.mean())
		p.Skills[skill] = average
	}
}

// Mean is the mean of the skills' learning potentials as they stand; ok is false if there is none.
func (p *Potentials) Mean() (mean float64, ok bool) {
	for _, skill := range slices.Sorted(maps.Keys(p.Skills)) {
		average := p.Skills[skill]
		mean += math.Abs(average.signed()) / float64(len(p.Skills))
	}
	return mean, len(p.Skills) > 0
}

// of is the potential of one value of a skill, which it does not take in.
func (p *Potentials) of(skill string, value float64) float64 {
	average := p.average(skill)
	_, potential := average.Observe(value)
	return potential
}

func (p *Potentials) average(skill string) LearningPotential {
	if average, known := p.Skills[skill]; known {
		return average
	}
	return NewLearningPotential()
}
