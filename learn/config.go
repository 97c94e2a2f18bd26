package learn

import (
	"fmt"
	"math"

	"spade/policy"
)

// Config weighs what a step trains on.
type Config struct {
	// LearningRate is > 0. MaxGradNorm clips the global gradient norm; 0 leaves it alone.
	LearningRate float64 `json:"learning_rate" yaml:"learning_rate"`
	MaxGradNorm  float64 `json:"max_grad_norm" yaml:"max_grad_norm"`
	// Loss is how importance ratios are bounded.
	Loss policy.Loss `json:"loss" yaml:"loss"`
	// HintedWeight multiplies the loss of hinted episodes. At 0 they only measure, as published.
	HintedWeight float64 `json:"hinted_weight" yaml:"hinted_weight"`
	// DesignerWeight multiplies the loss of designs. At 0 the designer does not train.
	DesignerWeight float64 `json:"designer_weight" yaml:"designer_weight"`
	// AgentEntropy and DesignerEntropy are what one nat of entropy per token is worth, beside an advantage of 1.
	AgentEntropy    float64 `json:"agent_entropy" yaml:"agent_entropy"`
	DesignerEntropy float64 `json:"designer_entropy" yaml:"designer_entropy"`
	// AgentKL and DesignerKL are what one nat of distance per token to the weights that the run began with costs, beside
	// an advantage of 1; 0 lets the weights go where they will.
	AgentKL    float64 `json:"agent_kl" yaml:"agent_kl"`
	DesignerKL float64 `json:"designer_kl" yaml:"designer_kl"`
}

// Default returns the settings for the embedded model. The clip range is the published one.
func Default() Config {
	return Config{
		LearningRate: 3e-4, MaxGradNorm: 1,
		Loss:         policy.Loss{ClipLow: 0.2, ClipHigh: 0.28},
		HintedWeight: 0.5, DesignerWeight: 0.3,
		AgentEntropy: 0.003, DesignerEntropy: 0.02, DesignerKL: 0.5,
	}
}

// Validate reports the first setting that is out of range.
func (c Config) Validate() error {
	fields := []struct {
		name     string
		value    float64
		positive bool
	}{
		{"learning_rate", c.LearningRate, true},
		{"max_grad_norm", c.MaxGradNorm, false},
		{"loss.clip_low", c.Loss.ClipLow, true},
		{"loss.clip_high", c.Loss.ClipHigh, true},
		{"hinted_weight", c.HintedWeight, false},
		{"designer_weight", c.DesignerWeight, false},
		{"agent_entropy", c.AgentEntropy, false},
		{"designer_entropy", c.DesignerEntropy, false},
		{"agent_kl", c.AgentKL, false},
		{"designer_kl", c.DesignerKL, false},
		{"loss.truncation", c.Loss.Truncation, false},
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
	if c.LearningRate > 1 {
		return fmt.Errorf("learning_rate must be at most 1, not %v: larger steps destroy the weights", c.LearningRate)
	}
	if c.Loss.ClipLow >= 1 {
		return fmt.Errorf("loss.clip_low must be below 1, not %v", c.Loss.ClipLow)
	}
	return nil
}
