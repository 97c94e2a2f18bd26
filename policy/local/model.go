package local

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Model is a transformer: its shape and weights. It is safe for concurrent use as long as nobody trains it.
type Model struct {
	config  Config
	weights *weights
	rope    rope
}

// NewModel returns a model of the given shape with fresh weights drawn from r.
func NewModel(config Config, r *rand.Rand) (*Model, error) {
	m, err := emptyModel(config)
	if err != nil {
		return nil, err
	}
	m.weights.init(&m.config, r)
	return m, nil
}

// emptyModel returns a model whose weights are all zero.
func emptyModel(config Config) (*Model, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("shape of the model: %w", err)
	}
	m := &Model{config: config, rope: newRope(&config)}
	m.weights = newWeights(&m.config, make([]float32, config.parameters()))
	return m, nil
}

// Config returns the model's shape.
func (m *Model) Config() Config { return m.config }

// Parameters returns the number of weights.
func (m *Model) Parameters() int { return len(m.weights.flat) }

// scoreScale multiplies the products of queries and keys.
func (m *Model) scoreScale() float32 { return float32(1 / math.Sqrt(float64(m.config.HeadDim))) }

// rope holds the rotary angles: the cosine and sine of position p and frequency i at p*half + i.
type rope struct {
	half     int
	cos, sin []float32
}

// newRope computes the angle p / theta^(2i/head dim) for every position p and frequency i.
func newRope(c *Config) rope {
	half := c.HeadDim / 2
	r := rope{half: half, cos: make([]float32, c.Context*half), sin: make([]float32, c.Context*half)}
	for p := range c.Context {
		for i := range half {
			angle := float64(p) * math.Pow(c.RopeTheta, -float64(2*i)/float64(c.HeadDim))
			r.cos[p*half+i] = float32(math.Cos(angle))
			r.sin[p*half+i] = float32(math.Sin(angle))
		}
	}
	return r
}

// at returns the cosines and sines of position p.
func (r *rope) at(p int) (cos, sin []float32) {
	return r.cos[p*r.half:][:r.half], r.sin[p*r.half:][:r.half]
}
