package local

import (
	"errors"
	"fmt"
)

// Config is the shape of a model. Its JSON keys are those of Hugging Face's Qwen3Config.
type Config struct {
	// VocabSize is the number of token ids.
	VocabSize int `json:"vocab_size"`
	// HiddenSize is the width of the residual stream, IntermediateSize that of the feed-forward layers.
	HiddenSize       int `json:"hidden_size"`
	IntermediateSize int `json:"intermediate_size"`
	// Layers is the number of transformer blocks.
	Layers int `json:"num_hidden_layers"`
	// Heads is the number of query heads, KVHeads (a divisor of it) that of key and value heads; each has HeadDim
	// (even) components.
	Heads   int `json:"num_attention_heads"`
	KVHeads int `json:"num_key_value_heads"`
	HeadDim int `json:"head_dim"`
	// Context is the largest number of tokens of one conversation.
	Context int `json:"max_position_embeddings"`
	// RopeTheta is the base of the rotary frequencies.
	RopeTheta float64 `json:"rope_theta"`
	// NormEpsilon is added to the mean square in every RMSNorm.
	NormEpsilon float64 `json:"rms_norm_eps"`
}

// DefaultConfig returns the shape of the shipped model for a vocabulary of the given size.
func DefaultConfig(vocabSize int) Config {
	return Config{
		VocabSize:        vocabSize,
		HiddenSize:       96,
		IntermediateSize: 256,
		Layers:           4,
		Heads:            4,
		KVHeads:          2,
		HeadDim:          32,
		Context:          1024,
		RopeTheta:        10000,
		NormEpsilon:      1e-6,
	}
}

// Largest sizes that a checkpoint may ask for: far above what this package is made for, and small enough that
// a damaged config.json is an error rather than an exhausted machine.
const (
	maxDimension  = 1 << 16
	maxVocab      = 1 << 20
	maxLayers     = 256
	maxContext    = 1 << 20
	maxParameters = 1 << 30
)

// Validate reports the first thing that makes c no usable shape.
func (c Config) Validate() error {
	sizes := []struct {
		name       string
		value, max int
	}{
		{"vocab_size", c.VocabSize, maxVocab},
		{"hidden_size", c.HiddenSize, maxDimension},
		{"intermediate_size", c.IntermediateSize, maxDimension},
		{"num_hidden_layers", c.Layers, maxLayers},
		{"num_attention_heads", c.Heads, maxDimension},
		{"num_key_value_heads", c.KVHeads, maxDimension},
		{"head_dim", c.HeadDim, maxDimension},
		{"max_position_embeddings", c.Context, maxContext},
	}
	for _, s := range sizes {
		if s.value < 1 || s.value > s.max {
			return fmt.Errorf("%s is %d, want 1 to %d", s.name, s.value, s.max)
		}
	}
	switch {
	case c.Heads%c.KVHeads != 0:
		return fmt.Errorf("num_attention_heads %d is no multiple of num_key_value_heads %d", c.Heads, c.KVHeads)
	case c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim %d is odd", c.HeadDim)
	case !(c.RopeTheta > 0):
		return errors.New("rope_theta is not positive")
	case !(c.NormEpsilon > 0):
		return errors.New("rms_norm_eps is not positive")
	case c.parameters() > maxParameters:
		return fmt.Errorf("the model has %d parameters, at most %d are supported", c.parameters(), maxParameters)
	}
	return nil
}

// group is the number of query heads that share one key and value head.
func (c *Config) group() int { return c.Heads / c.KVHeads }

// queryWidth and keyWidth are the widths of all query heads, and of all key (or value) heads.
func (c *Config) queryWidth() int { return c.Heads * c.HeadDim }
func (c *Config) keyWidth() int   { return c.KVHeads * c.HeadDim }

// fusedWidth is the width of the fused projection to queries, keys and values, in that order.
func (c *Config) fusedWidth() int { return c.queryWidth() + 2*c.keyWidth() }

// parameters is the number of weights.
func (c *Config) parameters() int { return c.matrixParameters() + c.normParameters() }

// matrixParameters counts the weights of matrices, to which weight decay applies.
func (c *Config) matrixParameters() int {
	block := c.HiddenSize * (c.fusedWidth() + c.queryWidth() + 3*c.IntermediateSize)
	return c.VocabSize*c.HiddenSize + c.Layers*block
}

// normParameters counts the weights of RMSNorms, which are not decayed.
func (c *Config) normParameters() int {
	return c.HiddenSize + c.Layers*2*(c.HiddenSize+c.HeadDim)
}
