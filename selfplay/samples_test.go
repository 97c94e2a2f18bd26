package selfplay

import (
	"math"
	"testing"

	"spade"
)

func TestSamples(t *testing.T) {
	episode := func(arm spade.Arm, value float64, stop spade.StopReason) spade.Episode {
		return spade.Episode{Arm: arm, Return: value, Stop: stop}
	}
	ended, cut := spade.StopTerminated, spade.StopTruncated
	late := spade.Episode{Arm: spade.Hinted, Stop: spade.StopEnvironment, Outcome: spade.CPULimit}
	slotOf := func(skill string, episodes ...spade.Episode) *slot {
		return &slot{force: &inForce{Env: spade.Environment{Skill: skill}}, episodes: episodes}
	}
	slots := []*slot{
		slotOf("sum", episode(spade.Unhinted, 1, ended), episode(spade.Unhinted, 0, cut), episode(spade.Hinted, 1, ended)),
		slotOf("sum", episode(spade.Unhinted, 0.1, ended), episode(spade.Unhinted, 0.1, ended), late),
		slotOf("lag", episode(spade.Unhinted, 0, cut), episode(spade.Unhinted, 0, spade.StopContext), episode(spade.Unhinted, 1, spade.StopPolicy)),
		slotOf("lag", episode(spade.Unhinted, -1, ended)),
		slotOf("lag"),
	}
	var record spade.Cycle
	gather(&record, slots)
	advantages := []float64{1, -1, 9, 0.5, 0.5, 0, 0, 0, 9, 0.4}
	s := &spade.SampleStats{}
	sampleEpisodes(s, record.Episodes, advantages)
	sampleGroups(s, slots)
	sampleDesigns(s, []spade.Design{{Raw: 0.5, Reward: 0.25}, {Raw: -0.5, Reward: -0.75}, {Raw: -0.1, Masked: true}, {}})
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("blind", float64(s.Blind), 7)
	near("return", s.Return, (1+0.1+0.1-1)/7)
	near("win rate", s.WinRate, 1./7)
	near("advantage", s.Advantage, 1.4/7)
	near("truncated", s.Truncated, 3./7)
	near("timeouts", float64(s.Timeouts), 1)
	near("groups", float64(s.Groups), 4)
	near("zero std", s.ZeroStd, 2./3)
	near("all zero", s.AllZero, 1./3)
	near("all positive", s.AllPositive, 1./3)
	near("group std", s.GroupStd, 0.5/3)
	near("mean of sum", s.Skills["sum"].Mean, 0.3)
	near("std of sum", s.Skills["sum"].Std, math.Sqrt((0.49+0.09+0.04+0.04)/4))
	near("mean of lag", s.Skills["lag"].Mean, -1./3)
	near("rewarded", float64(s.Rewarded), 4)
	near("training", float64(s.Training), 3)
	near("designer reward", s.DesignerReward, -0.5/3)
	near("hung", s.Hung, 0.25)
}
