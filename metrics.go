package spade

// Metrics are the numbers of a cycle under the names that loggers of this method use, where there is such a name. Names
// with skill_ in them are means over the scores of that skill's environments; those that came from memory are left out
// of them, as they are of the statistics.
func (c *Cycle) Metrics() map[string]float64 {
	s := &c.Stats
	m := map[string]float64{
		"env_validator/games_requested": float64(s.Designed),
		"env_validator/games_produced":  float64(s.Designed - s.Refused["no_source"]),
		"env_validator/accepted":        float64(s.Admitted),
		"env_validator/rejected":        float64(s.Designed - s.Admitted),
		"env/avg_actor_win_rate":        s.WinRate,
		"env/avg_hinted_win_rate":       s.HintedWinRate,
		"env/avg_regret":                s.Regret,
		"env/avg_anchor":                s.Anchor,
		"env/in_band":                   s.InBand,
		"env/vendi":                     s.Vendi,
		"rollout/env_mean_return":       s.DesignerReward,
		"rollout/num_env_samples":       float64(s.Designed),
		"rollout/num_actor_samples":     float64(s.Episodes),
		"rollout/num_failed":            float64(s.Faults),
		"rollout/signal":                s.Signal,
		"rollout/turns":                 s.Turns,
		"rollout/sampled_tokens":        float64(s.SampledTokens),
		"rollout/trained_tokens":        float64(s.TrainedTokens),
	}
	for code, n := range s.Refused {
		m["env_validator/rejected_"+code] = float64(n)
	}
	for class, n := range s.Failures {
		m["rollout/policy_failed_"+class] = float64(n)
	}
	for name, value := range s.Train {
		m["train/"+name] = value
	}
	if s.HeldOut != nil {
		m["eval/win_rate"] = *s.HeldOut
	}
	for skill, mean := range c.skillMeans() {
		name := "env/skill_" + skill + "/"
		m[name+"actor_win_rate"], m[name+"r_no_hint"] = mean.WinRate, mean.Mean
		m[name+"env_reward"] = mean.Raw
		if mean.HintedPlays > 0 {
			m[name+"r_hint"], m[name+"mean_regret"] = mean.HintedMean, mean.Regret
		}
	}
	return m
}

// skillMeans are the means of the scores of each skill; HintedPlays counts those with a hinted play.
func (c *Cycle) skillMeans() map[string]Score {
	means, fresh := map[string]Score{}, map[string]float64{}
	for _, s := range c.Scores {
		if s.Replay || s.Plays == 0 {
			continue
		}
		m := means[s.Skill]
		m.WinRate, m.Mean, m.Raw = m.WinRate+s.WinRate, m.Mean+s.Mean, m.Raw+s.Raw
		if s.HintedPlays > 0 {
			m.HintedPlays++
			m.HintedMean, m.Regret = m.HintedMean+s.HintedMean, m.Regret+s.Regret
		}
		means[s.Skill] = m
		fresh[s.Skill]++
	}
	for skill, m := range means {
		m.WinRate, m.Mean, m.Raw = m.WinRate/fresh[skill], m.Mean/fresh[skill], m.Raw/fresh[skill]
		if m.HintedPlays > 0 {
			m.HintedMean, m.Regret = m.HintedMean/float64(m.HintedPlays), m.Regret/float64(m.HintedPlays)
		}
		means[skill] = m
	}
	return means
}
