package spade

// one is the number of a metric that is no family.
func one(value float64) map[string]float64 { return map[string]float64{"": value} }

func of(read func(*CycleStats) float64) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 { return one(read(&c.Stats)) }
}

func count(read func(*CycleStats) int) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 { return one(float64(read(&c.Stats))) }
}

func counts(read func(*CycleStats) map[string]int) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		values := map[string]float64{}
		for key, n := range read(&c.Stats) {
			values[key] = float64(n)
		}
		return values
	}
}

// ofSamples reads what runs of older versions did not record.
func ofSamples(read func(*SampleStats) float64) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		if c.Stats.Samples == nil {
			return nil
		}
		return one(read(c.Stats.Samples))
	}
}

func ofSkills(read func(ReturnStats) float64) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		if c.Stats.Samples == nil {
			return nil
		}
		values := map[string]float64{}
		for skill, returns := range c.Stats.Samples.Skills {
			values[skill] = read(returns)
		}
		return values
	}
}

// ofRewarded reads what only cycles have in which designs were rewarded.
func ofRewarded(read func(*SampleStats) float64) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		if c.Stats.Samples == nil || c.Stats.Samples.Rewarded == 0 {
			return nil
		}
		return one(read(c.Stats.Samples))
	}
}

func meanReturn(s *SampleStats) float64 {
	agents, designers := float64(s.Blind), float64(s.Training)
	return (agents*s.Advantage + designers*s.DesignerReward) / max(1, agents+designers)
}

func designerShare(s *SampleStats) float64 {
	return float64(s.DesignerSequences) / float64(max(1, s.AgentSequences+s.DesignerSequences))
}

func potential(c *Cycle) map[string]float64 {
	if c.Stats.Samples == nil || c.Stats.Samples.Potential == nil {
		return nil
	}
	return one(*c.Stats.Samples.Potential)
}

func heldOut(read func(*Cycle) float64) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		if c.Stats.HeldOut == nil {
			return nil
		}
		return one(read(c))
	}
}

func played(s Score) bool { return s.Plays > 0 }
func hinted(s Score) bool { return s.Plays > 0 && s.HintedPlays > 0 }

// overScores is the mean over the scores that keep lets through, without those of environments that came from memory, as
// in the statistics.
func overScores(keep func(Score) bool, read func(Score) float64) func(*Cycle) map[string]float64 {
	return means(keep, read, func(Score) string { return "" })
}

func overSkills(keep func(Score) bool, read func(Score) float64) func(*Cycle) map[string]float64 {
	return means(keep, read, func(s Score) string { return s.Skill })
}

func means(keep func(Score) bool, read func(Score) float64, key func(Score) string) func(*Cycle) map[string]float64 {
	return func(c *Cycle) map[string]float64 {
		values, n := map[string]float64{}, map[string]float64{}
		for _, s := range c.Scores {
			if !s.Replay && keep(s) {
				values[key(s)] += read(s)
				n[key(s)]++
			}
		}
		for k := range values {
			values[k] /= n[k]
		}
		return values
	}
}

// Bounds of the difficulties of environments, as published.
const (
	hardBelow = 0.2
	easyAbove = 0.8
)

func difficulties(c *Cycle) map[string]float64 {
	values, n := map[string]float64{"easy": 0, "medium": 0, "hard": 0}, 0.0
	for _, s := range c.Scores {
		if s.Replay || !played(s) {
			continue
		}
		n++
		switch {
		case s.Mean > easyAbove:
			values["easy"]++
		case s.Mean < hardBelow:
			values["hard"]++
		default:
			values["medium"]++
		}
	}
	if n == 0 {
		return nil // nothing was played
	}
	for difficulty := range values {
		values[difficulty] /= n
	}
	return values
}

func rejectionRate(c *Cycle) map[string]float64 {
	judged := c.Stats.Judged()
	if judged == 0 {
		return nil
	}
	return one(1 - float64(c.Stats.Admitted)/float64(judged))
}

func rejected(s *CycleStats) int { return s.Judged() - s.Admitted }
