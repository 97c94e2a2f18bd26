package reward

import (
	"fmt"
	"math"
)

// Centring says what is subtracted from a design's raw reward. The set is closed.
type Centring string

const (
	// SkillMean subtracts the mean of the same skill's designs of the cycle: the published form. A skill with a
	// single design in the cycle gives that design no signal.
	SkillMean Centring = "skill_mean"
	// ShrunkMean subtracts what Baseline says: the default for runs with few designs a cycle.
	ShrunkMean Centring = "shrunk_mean"
)

// Config says how the designer of an environment is rewarded (see Blend for the formula).
type Config struct {
	// PlateauWeight, RegretWeight and MicroLPWeight weigh the difficulty anchor, the regret and the micro
	// learning potential; FrontierWeight weighs the penalty for a win rate away from one half. All are >= 0.
	PlateauWeight  float64 `json:"plateau_weight" yaml:"plateau_weight"`
	RegretWeight   float64 `json:"regret_weight" yaml:"regret_weight"`
	MicroLPWeight  float64 `json:"micro_lp_weight" yaml:"micro_lp_weight"`
	FrontierWeight float64 `json:"frontier_weight" yaml:"frontier_weight"`
	// PotentialWeight weighs the learning potential, which Potentials credits after the blend. It is >= 0.
	PotentialWeight float64 `json:"potential_weight" yaml:"potential_weight"`
	// RegretScale and MicroLPScale, both > 0, divide the regret and the micro learning potential.
	RegretScale  float64 `json:"regret_scale" yaml:"regret_scale"`
	MicroLPScale float64 `json:"micro_lp_scale" yaml:"micro_lp_scale"`
	// RegretFloor clips the scaled regret into [0, 1]; without it the regret counts as it is, below zero too.
	RegretFloor bool `json:"regret_floor" yaml:"regret_floor"`
	// RegretTarget is the mean regret of a run's designs, >= 0, up to which regret earns in full; from twice that on it
	// earns nothing (see Supply). At 0, as published, it always earns in full.
	RegretTarget float64 `json:"regret_target" yaml:"regret_target"`
	// MicroLPSlope takes the micro learning potential from a fitted line, otherwise from late half minus early half.
	MicroLPSlope bool `json:"micro_lp_slope" yaml:"micro_lp_slope"`
	// EnvRewardScale, > 0, multiplies the centred reward.
	EnvRewardScale float64 `json:"env_reward_scale" yaml:"env_reward_scale"`
	// Centring is SkillMean or ShrunkMean.
	Centring Centring `json:"centring" yaml:"centring"`
}

// Default returns the deployed reward, 0.6 of the anchor and 0.4 of the floored regret on a scale of 0.15, with
// the centring for small runs.
func Default() Config {
	c := neutral()
	c.PlateauWeight, c.RegretWeight, c.RegretFloor = 0.6, 0.4, true
	c.Centring = ShrunkMean
	return c
}

// neutral is the configuration that rewards nothing and centres as published; the keys of a configuration that is
// explained are set upon it.
func neutral() Config {
	return Config{RegretScale: 0.15, MicroLPScale: 0.1, MicroLPSlope: true, EnvRewardScale: 1, Centring: SkillMean}
}

// Validate reports the first setting that is out of range.
func (c Config) Validate() error {
	fields := []struct {
		name     string
		value    float64
		positive bool
	}{
		{"plateau_weight", c.PlateauWeight, false},
		{"regret_weight", c.RegretWeight, false},
		{"micro_lp_weight", c.MicroLPWeight, false},
		{"frontier_weight", c.FrontierWeight, false},
		{"potential_weight", c.PotentialWeight, false},
		{"regret_target", c.RegretTarget, false},
		{"regret_scale", c.RegretScale, true},
		{"micro_lp_scale", c.MicroLPScale, true},
		{"env_reward_scale", c.EnvRewardScale, true},
	}
	for _, f := range fields {
		switch {
		case math.IsNaN(f.value) || math.IsInf(f.value, 0):
			return fmt.Errorf("%s must be a finite number, not %v", f.name, f.value)
		case f.positive && f.value <= 0:
			return fmt.Errorf("%s must be above 0, not %v", f.name, f.value)
		case f.value < 0:
			return fmt.Errorf("%s must not be below 0, not %v", f.name, f.value)
		}
	}
	if c.Centring != SkillMean && c.Centring != ShrunkMean {
		return fmt.Errorf("centring must be %s or %s, not %q", SkillMean, ShrunkMean, c.Centring)
	}
	return nil
}
