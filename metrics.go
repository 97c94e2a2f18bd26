package spade

import "strings"

// Metric is one number of a cycle under the name by which loggers know it: in events.jsonl, TensorBoard and Prometheus.
type Metric struct {
	// Name is a group and a name. Where <…> stands in it, there is one number for each skill, code or the like.
	Name string
	// Unit is what is counted, or the range that it lies in.
	Unit string
	// Help says what it is.
	Help string
}

// MetricTable returns the metrics that Cycle.Metrics can give, in the order of subjects.
func MetricTable() []Metric {
	table := make([]Metric, len(metrics))
	for i, m := range metrics {
		table[i] = m.Metric
	}
	return table
}

// MetricNamed returns the metric that a name in Cycle.Metrics belongs to.
func MetricNamed(name string) (m Metric, known bool) {
	for _, m := range metrics {
		before, after, family := m.around()
		if m.Name == name || family && len(name) > len(before+after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return m.Metric, true
		}
	}
	return Metric{}, false
}

// around is what stands before and after the <…> in the name of a family of metrics.
func (m Metric) around() (before, after string, family bool) {
	before, rest, family := strings.Cut(m.Name, "<")
	_, after, _ = strings.Cut(rest, ">")
	return before, after, family
}

// Metrics are the numbers of a cycle by their names, without those that were not measured. The episodes of the cycle are
// not read.
func (c *Cycle) Metrics() map[string]float64 {
	values := map[string]float64{}
	for _, m := range metrics {
		before, after, _ := m.around()
		for key, value := range m.read(c) {
			values[before+key+after] = value
		}
	}
	return values
}

// metric is a Metric with where its number comes from: read returns it under "", or those of a family under what stands
// for the <…>; nothing where it was not measured.
type metric struct {
	Metric
	read func(*Cycle) map[string]float64
}

// Units of metrics.
const (
	unitCount   = "count"
	unitShare   = "[0, 1]"
	unitReturn  = "[-1, 1]"
	unitRegret  = "[-2, 2]"
	unitReward  = "reward"
	unitTurns   = "turns"
	unitTokens  = "tokens"
	unitCycle   = "cycle"
	unitTrainer = "the trainer's"
)

// metrics is every metric. Names that the published code or the frameworks around it use mean what they mean there but
// for what docs/metrics.md states.
var metrics = []metric{
	{Metric{"rollout/step", unitCycle, "number of the cycle: what the others are drawn over"}, func(c *Cycle) map[string]float64 { return one(float64(c.Number)) }},
	{Metric{"eval/step", unitCycle, "number of the cycle, where it measured the held-out suite"}, heldOut(func(c *Cycle) float64 { return float64(c.Number) })},
	{Metric{"eval/win_rate", unitShare, "episodes won on the held-out suite, which nothing in training reads"}, heldOut(func(c *Cycle) float64 { return *c.Stats.HeldOut })},

	{Metric{"rollout/num_games", unitCount, "environments with blind plays that count"}, ofSamples(func(s *SampleStats) float64 { return float64(s.Groups) })},
	{Metric{"rollout/num_actor_samples", unitCount, "episodes played, in all arms"}, count(func(s *CycleStats) int { return s.Episodes })},
	{Metric{"rollout/num_env_samples", unitCount, "designs made"}, count(func(s *CycleStats) int { return s.Designed })},
	{Metric{"rollout/num_failed", unitCount, "episodes that do not count: the environment misbehaved or the policy failed"}, count(func(s *CycleStats) int { return s.Faults })},
	{Metric{"rollout/num_timeout", unitCount, "those among them in which the environment did not answer in time"}, ofSamples(func(s *SampleStats) float64 { return float64(s.Timeouts) })},
	{Metric{"rollout/policy_failed_<class>", unitCount, "replies that the policy could not give, by the class of its failure"}, counts(func(s *CycleStats) map[string]int { return s.Failures })},
	{Metric{"rollout/actor_mean_original_reward", unitReturn, "mean return of blind episodes"}, ofSamples(func(s *SampleStats) float64 { return s.Return })},
	{Metric{"rollout/actor_win_rate", unitShare, "share of blind episodes that were won (return of at least 1)"}, ofSamples(func(s *SampleStats) float64 { return s.WinRate })},
	{Metric{"rollout/actor_mean_return", unitReward, "mean advantage of blind episodes: about 0, since it is normalised in each group"}, ofSamples(func(s *SampleStats) float64 { return s.Advantage })},
	{Metric{"rollout/env_mean_return", unitReward, "mean reward of the designers that train, after centring"}, ofSamples(func(s *SampleStats) float64 { return s.DesignerReward })},
	{Metric{"rollout/mean_return", unitReward, "mean of both over all blind episodes and designers that train"}, ofSamples(meanReturn)},
	{Metric{"rollout/actor_truncated_pct", unitShare, "share of blind episodes that ended by a turn budget or a full context"}, ofSamples(func(s *SampleStats) float64 { return s.Truncated })},
	{Metric{"rollout/zero_std_group_pct", unitShare, "share of blind groups of two or more whose returns are equal"}, ofSamples(func(s *SampleStats) float64 { return s.ZeroStd })},
	{Metric{"rollout/all_zero_group_pct", unitShare, "share of those whose returns are all 0"}, ofSamples(func(s *SampleStats) float64 { return s.AllZero })},
	{Metric{"rollout/all_positive_group_pct", unitShare, "share of those whose returns are all above 0"}, ofSamples(func(s *SampleStats) float64 { return s.AllPositive })},
	{Metric{"rollout/signal", unitShare, "share of blind groups that carry a gradient"}, of(func(s *CycleStats) float64 { return s.Signal })},
	{Metric{"rollout/env_batch_fraction", unitShare, "designers among the trained sequences"}, ofSamples(designerShare)},
	{Metric{"rollout/proposer_delay_buffered", unitCount, "designs that wait for the end of their window (regenerate_every)"}, ofSamples(func(s *SampleStats) float64 { return float64(s.Waiting) })},
	{Metric{"rollout/turns", unitTurns, "mean turns of blind episodes"}, of(func(s *CycleStats) float64 { return s.Turns })},
	{Metric{"rollout/sampled_tokens", unitTokens, "tokens that the policy sampled"}, count(func(s *CycleStats) int { return s.SampledTokens })},
	{Metric{"rollout/trained_tokens", unitTokens, "tokens that were trained on"}, count(func(s *CycleStats) int { return s.TrainedTokens })},

	{Metric{"env/avg_actor_win_rate", unitShare, "blind win rate, mean over the cycle's environments"}, of(func(s *CycleStats) float64 { return s.WinRate })},
	{Metric{"env/avg_hinted_win_rate", unitShare, "win rate with the hint, mean over environments that were played so"}, of(func(s *CycleStats) float64 { return s.HintedWinRate })},
	{Metric{"env/avg_r_no_hint", unitReturn, "blind mean return, mean over environments"}, overScores(played, func(s Score) float64 { return s.Mean })},
	{Metric{"env/avg_r_hint", unitReturn, "mean return with the hint, mean over environments that were played so"}, overScores(hinted, func(s Score) float64 { return s.HintedMean })},
	{Metric{"env/avg_regret", unitRegret, "mean return with the hint minus without, on the seeds that both played; mean over environments"}, of(func(s *CycleStats) float64 { return s.Regret })},
	{Metric{"env/avg_game_std_reward", unitReturn, "standard deviation of the returns within a blind group, mean over groups of two or more"}, ofSamples(func(s *SampleStats) float64 { return s.GroupStd })},
	{Metric{"env/avg_learning_potential", unitReturn, "how fast the mean return of a skill moves (fast minus slow average), mean over skills"}, potential},
	{Metric{"env/avg_anchor", unitShare, "plateau value of the blind win rate, mean over environments"}, of(func(s *CycleStats) float64 { return s.Anchor })},
	{Metric{"env/designer_reward", unitReward, "mean reward of designs before centring, without those that the policy could not give or play"}, of(func(s *CycleStats) float64 { return s.DesignerReward })},
	{Metric{"env/in_band", unitShare, "environments with a blind win rate between 15 and 85 %"}, of(func(s *CycleStats) float64 { return s.InBand })},
	{Metric{"env/game_difficulty/<difficulty>_pct", unitShare, "environments that are easy (blind mean return above 0.8), hard (below 0.2) or medium"}, difficulties},
	{Metric{"env/vendi", unitShare, "diversity: effective number of the last environments, divided by their number"}, of(func(s *CycleStats) float64 { return s.Vendi })},
	{Metric{"env/proposer_floored_frac", unitShare, "rewarded designs whose regret was negative and counts as 0"}, ofRewarded(func(s *SampleStats) float64 { return s.Floored })},
	{Metric{"env/proposer_step_timeout_frac", unitShare, "rewarded designs that hung, which costs -0.5"}, ofRewarded(func(s *SampleStats) float64 { return s.Hung })},
	{Metric{"env/skill_<skill>/actor_win_rate", unitShare, "blind win rate, mean over the skill's environments"}, overSkills(played, func(s Score) float64 { return s.WinRate })},
	{Metric{"env/skill_<skill>/r_no_hint", unitReturn, "blind mean return"}, overSkills(played, func(s Score) float64 { return s.Mean })},
	{Metric{"env/skill_<skill>/r_hint", unitReturn, "mean return with the hint"}, overSkills(hinted, func(s Score) float64 { return s.HintedMean })},
	{Metric{"env/skill_<skill>/mean_regret", unitRegret, "regret"}, overSkills(hinted, func(s Score) float64 { return s.Regret })},
	{Metric{"env/skill_<skill>/env_reward", unitReward, "designer's reward after centring"}, overSkills(played, func(s Score) float64 { return s.Reward })},
	{Metric{"env/skill_<skill>/designer_reward", unitReward, "designer's reward before centring"}, overSkills(played, func(s Score) float64 { return s.Raw })},

	{Metric{"actor/skill_<skill>/avg_reward", unitReturn, "mean return of the skill's blind episodes"}, ofSkills(func(s ReturnStats) float64 { return s.Mean })},
	{Metric{"actor/skill_<skill>/std_reward", unitReturn, "their standard deviation"}, ofSkills(func(s ReturnStats) float64 { return s.Std })},

	{Metric{"env_validator/games_requested", unitCount, "designs asked for"}, count(func(s *CycleStats) int { return s.Designed })},
	{Metric{"env_validator/games_produced", unitCount, "those among them that hold a source"}, count(func(s *CycleStats) int { return s.Judged() - s.Refused[NoSource] })},
	{Metric{"env_validator/accepted", unitCount, "designs admitted"}, count(func(s *CycleStats) int { return s.Admitted })},
	{Metric{"env_validator/rejected", unitCount, "designs that were not; those that the policy could not give are in neither"}, count(rejected)},
	{Metric{"env_validator/rejection_rate", unitShare, "their share of both"}, rejectionRate},
	{Metric{"env_validator/rejected_<code>", unitCount, "refused designs by the code of their first reason; no_source where there was nothing to judge"}, counts(func(s *CycleStats) map[string]int { return s.Refused })},

	{Metric{"train/<name>", unitTrainer, "what the trainer says of its step: loss, grad_norm, entropy and the like"}, func(c *Cycle) map[string]float64 { return c.Stats.Train }},
}
