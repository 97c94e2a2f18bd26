package reward

import "math"

// Earned is what one design of a cycle earned before centring. Designs that were refused earn too (see Refused).
type Earned struct {
	Skill string
	Raw   float64
	// Masked designs enter no mean and are given 0.
	Masked bool
}

// DesignerAdvantages centres what the designs of one cycle earned and gives each its reward, for the record, and
// its advantage, for the update; both in the order of designs, 0 for masked ones. Under SkillMean the two are
// equal, as published. Under ShrunkMean the advantage is the reward divided by the standard deviation of the
// cycle's rewards plus 0.001, and baseline moves on by one cycle.
func DesignerAdvantages(cfg Config, baseline *Baseline, designs []Earned) (rewards, advantages []float64) {
	rewards = cfg.centre(baseline, designs)
	if cfg.Centring == SkillMean {
		return rewards, rewards
	}
	var kept []float64
	for i, d := range designs {
		if !d.Masked {
			kept = append(kept, rewards[i])
		}
	}
	spread := math.Sqrt(variance(kept)) + 1e-3
	advantages = make([]float64, len(rewards))
	for i, r := range rewards {
		advantages[i] = r / spread
	}
	return rewards, advantages
}

func (c Config) centre(baseline *Baseline, designs []Earned) []float64 {
	var rewards []float64
	if c.Centring == SkillMean {
		rewards = Centre(designs)
	} else {
		rewards = baseline.Centre(designs)
	}
	for i := range rewards {
		rewards[i] *= c.EnvRewardScale
	}
	return rewards
}

// Centre subtracts from each raw reward the mean of the same skill's designs: the published form.
func Centre(designs []Earned) []float64 {
	_, skills := tally(designs)
	centred := make([]float64, len(designs))
	for i, d := range designs {
		if !d.Masked {
			centred[i] = d.Raw - skills[d.Skill].mean()
		}
	}
	return centred
}

const (
	// shrinkage is how many designs the moving average of a skill counts for.
	shrinkage = 2
	// averageKept is the share of a moving average that one cycle leaves.
	averageKept = 0.7
)

// Baseline centres designs where a cycle holds only one or two of a skill. The baseline of a design is the mean of
// the other n-1 designs of its skill, shrunk to a moving average of the skill that counts for two designs:
//
//	(sum of the others' raw + 2·average) / (n - 1 + 2)
//
// The average of a skill starts at the mean of all designs of the cycle in which the skill first appears, and
// every cycle moves it by 0.3 of the way to its own mean. The zero value is ready to use; as JSON it is what a
// resumed run continues from.
type Baseline struct {
	// Averages holds the moving average of each skill's raw reward.
	Averages map[string]float64 `json:"averages"`
}

// Centre gives each raw reward minus its baseline, 0 for masked designs, and moves the averages on.
func (b *Baseline) Centre(designs []Earned) []float64 {
	all, skills := tally(designs)
	if b.Averages == nil {
		b.Averages = make(map[string]float64)
	}
	for skill := range skills {
		if _, known := b.Averages[skill]; !known {
			b.Averages[skill] = all.mean()
		}
	}
	centred := make([]float64, len(designs))
	for i, d := range designs {
		if d.Masked {
			continue
		}
		s := skills[d.Skill]
		others := float64(s.n - 1)
		centred[i] = d.Raw - (s.sum-d.Raw+shrinkage*b.Averages[d.Skill])/(others+shrinkage)
	}
	for skill, s := range skills {
		b.Averages[skill] = averageKept*b.Averages[skill] + (1-averageKept)*s.mean()
	}
	return centred
}

type total struct {
	sum float64
	n   int
}

func (t total) mean() float64 { return t.sum / float64(t.n) }

// tally adds up the raw rewards of designs that are not masked, over all and per skill, in their order.
func tally(designs []Earned) (all total, skills map[string]total) {
	skills = make(map[string]total)
	for _, d := range designs {
		if d.Masked {
			continue
		}
		s := skills[d.Skill]
		s.sum, s.n = s.sum+d.Raw, s.n+1
		skills[d.Skill] = s
		all.sum, all.n = all.sum+d.Raw, all.n+1
	}
	return all, skills
}
