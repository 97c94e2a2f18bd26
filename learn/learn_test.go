package learn

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"spade"
	"spade/policy"
)

// spoken is a turn with fed tokens and sampled ones, numbered from first on.
func spoken(first int32, fed, sampled int) spade.Turn {
	var t spade.Turn
	for i := range fed + sampled {
		t.Tokens = append(t.Tokens, first+int32(i))
		t.Mask = append(t.Mask, i >= fed)
		t.LogProbs = append(t.LogProbs, 0)
		if i >= fed {
			t.LogProbs[i] = -0.5
		}
	}
	return t
}

func episode(env string, arm spade.Arm, stop spade.StopReason, turns ...spade.Turn) spade.Episode {
	return spade.Episode{Cycle: 1, EnvID: env, Arm: arm, Stop: stop, Turns: turns}
}

func design(advantage float64, masked bool, turn spade.Turn) spade.Design {
	return spade.Design{
		Advantage: advantage, Masked: masked,
		Trajectory: spade.Trajectory{Tokens: turn.Tokens, LogProbs: turn.LogProbs, Mask: turn.Mask},
	}
}

func example() (episodes []spade.Episode, advantages []float64, designs []spade.Design) {
	episodes = []spade.Episode{
		episode("a", spade.Unhinted, spade.StopTerminated, spoken(0, 3, 2), spoken(10, 1, 2)), // 4 sampled
		episode("a", spade.Unhinted, spade.StopTruncated, spoken(20, 3, 1)),                   // 1
		episode("a", spade.Hinted, spade.StopTerminated, spoken(30, 5, 3)),                    // 3
		episode("b", spade.Unhinted, spade.StopTerminated, spoken(40, 3, 9)),                  // flat group
		episode("a", spade.Unhinted, spade.StopEnvironment, spoken(50, 3, 9)),                 // does not count
		episode("a", spade.Placebo, spade.StopTerminated, spoken(60, 3, 9)),                   // measures only
		episode("a", spade.Unhinted, spade.StopContext, spoken(70, 3, 0)),                     // nothing sampled
		episode("c", spade.Unhinted, spade.StopEnvironment, spoken(80, 3, 2)),                 // group without an episode
	}
	advantages = []float64{1, -1, 2, 0, 7, 7, 7, 0}
	designs = []spade.Design{
		design(0.5, false, spoken(100, 4, 6)), // 6
		design(-2, false, spoken(120, 4, 4)),  // 4
		design(0, false, spoken(140, 4, 4)),   // average
		design(3, true, spoken(160, 4, 4)),    // masked
		design(3, false, spade.Turn{}),        // the policy gave nothing
	}
	return episodes, advantages, designs
}

func TestBuild(t *testing.T) {
	cfg := Default()
	cfg.DesignerWeight = 3
	episodes, advantages, designs := example()
	batch, counts := Build(cfg, episodes, advantages, designs)
	wantCounts := Counts{
		Groups: 2, Informative: 1, AgentSequences: 3, DesignerSequences: 2, AgentTokens: 8, DesignerTokens: 10, Tokens: 18,
	}
	if counts != wantCounts {
		t.Errorf("got %+v, want %+v", counts, wantCounts)
	}
	want := []struct {
		role                       spade.Role
		first                      int32
		length                     int
		advantage, weight, entropy float64
	}{
		{spade.Agent, 0, 8, 1, 1. / 8, 0.003 / 8},
		{spade.Agent, 20, 4, -1, 1. / 8, 0.003 / 8},
		{spade.Agent, 30, 8, 2, 0.5 / 8, 0.5 * 0.003 / 8},
		{spade.Designer, 100, 10, 0.5, 3. / 10, 3 * 0.02 / 10},
		{spade.Designer, 120, 8, -2, 3. / 10, 3 * 0.02 / 10},
	}
	if len(batch.Sequences) != len(want) {
		t.Fatalf("%d sequences, want %d", len(batch.Sequences), len(want))
	}
	for i, w := range want {
		s := batch.Sequences[i]
		if s.Role != w.role || s.Tokens[0] != w.first || len(s.Tokens) != w.length || len(s.LogProbs) != w.length ||
			len(s.Mask) != w.length || s.Advantage != w.advantage ||
			math.Abs(s.Weight-w.weight) > 1e-15 || math.Abs(s.Entropy-w.entropy) > 1e-15 {
			t.Errorf("sequence %d: got %+v, want %+v", i, s, w)
		}
	}
	if batch.LearningRate != 3e-4 || batch.MaxGradNorm != 1 || batch.Loss != (policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}) {
		t.Errorf("got rate %v, norm %v, loss %+v", batch.LearningRate, batch.MaxGradNorm, batch.Loss)
	}
}

// The weights of a role's tokens add up to the weight of the role, whatever the number and length of its sequences.
func TestWeightsAddUp(t *testing.T) {
	cfg := Default()
	cfg.HintedWeight, cfg.DesignerWeight, cfg.AgentKL, cfg.DesignerKL = 1, 3, 0.1, 0.02
	kl := map[spade.Role]float64{spade.Agent: cfg.AgentKL, spade.Designer: cfg.DesignerKL}
	r := spade.Stream(1, 0, 0, "test")
	for range 50 {
		var episodes []spade.Episode
		var advantages []float64
		var designs []spade.Design
		for range 1 + r.IntN(20) {
			arm := []spade.Arm{spade.Unhinted, spade.Hinted}[r.IntN(2)]
			episodes = append(episodes, episode("a", arm, spade.StopTerminated, spoken(0, 2, 1+r.IntN(9))))
			advantages = append(advantages, 0.1+r.Float64())
			designs = append(designs, design(-1, false, spoken(0, 2, 1+r.IntN(9))))
		}
		batch, counts := Build(cfg, episodes, advantages, designs)
		sums := map[spade.Role]float64{}
		tokens := 0
		for _, s := range batch.Sequences {
			sums[s.Role] += s.Weight * float64(sampled(s.Mask))
			tokens += sampled(s.Mask)
			if s.KL != kl[s.Role]*s.Weight {
				t.Fatalf("the distance of the %s weighs %v beside %v", s.Role, s.KL, s.Weight)
			}
		}
		if math.Abs(sums[spade.Agent]-1) > 1e-12 || math.Abs(sums[spade.Designer]-3) > 1e-12 || tokens != counts.Tokens {
			t.Fatalf("weights add up to %v, %d tokens; counts %+v", sums, tokens, counts)
		}
	}
}

func TestWeightZeroLeavesOut(t *testing.T) {
	cfg := Default()
	cfg.HintedWeight, cfg.DesignerWeight = 0, 0
	episodes, advantages, designs := example()
	batch, counts := Build(cfg, episodes, advantages, designs)
	if len(batch.Sequences) != 2 || counts.AgentTokens != 5 || counts.DesignerTokens != 0 {
		t.Fatalf("got %d sequences, %+v", len(batch.Sequences), counts)
	}
	for _, s := range batch.Sequences {
		if math.Abs(s.Weight-1./5) > 1e-15 {
			t.Errorf("weight %v, want 1/5", s.Weight)
		}
	}
}

func TestBuildNothing(t *testing.T) {
	batch, counts := Build(Default(), nil, nil, nil)
	if len(batch.Sequences) != 0 || counts != (Counts{}) {
		t.Errorf("got %+v, %+v", batch, counts)
	}
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Config){
		"rate":    func(c *Config) { c.LearningRate = 0 },
		"norm":    func(c *Config) { c.MaxGradNorm = -1 },
		"clip":    func(c *Config) { c.Loss.ClipLow = 1 },
		"nan":     func(c *Config) { c.DesignerWeight = math.NaN() },
		"entropy": func(c *Config) { c.AgentEntropy = math.Inf(1) },
		"kl":      func(c *Config) { c.DesignerKL = -1 },
		"ratios":  func(c *Config) { c.Loss.Truncation = math.NaN() },
	} {
		c := Default()
		spoil(&c)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestExplainTokensCase(t *testing.T) {
	input, err := os.ReadFile("testdata/token-accounting/input.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/token-accounting/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Expected any }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	output, err := ExplainTokens(input)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want.Expected) {
		t.Errorf("got  %v\nwant %v", got, want.Expected)
	}
}

func TestExplainTokens(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"nothing", `{"turns":[]}`, `{"tokens":[],"loss_mask":[],"logprobs":[],"response_length":0,"drifted_turns":[]}`},
		{"never sampled", `{"turns":[{"from":"prompt","ids":[1,2]}]}`,
			`{"tokens":[1,2],"loss_mask":[0,0],"logprobs":[0,0],"response_length":0,"drifted_turns":[]}`},
		{"ends unanswered", `{"turns":[{"from":"engine","ids":[3],"logprobs":[-1]},{"from":"env","ids":[4]}]}`,
			`{"tokens":[3,4],"loss_mask":[1,0],"logprobs":[-1,0],"response_length":2,"drifted_turns":[]}`},
		{"encodes to nothing", `{"turns":[{"from":"engine","ids":[3],"logprobs":[-1],"retokenised":[]}]}`,
			`{"tokens":[3],"loss_mask":[1],"logprobs":[-1],"response_length":1,"drifted_turns":[0]}`},
	}
	for _, test := range tests {
		got, err := ExplainTokens([]byte(test.input))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v\nwant %s", test.name, got, err, test.want)
		}
	}
	for name, input := range map[string]string{
		"no object":                 `[]`,
		"log-probabilities missing": `{"turns":[{"from":"engine","ids":[3]}]}`,
		"unknown speaker":           `{"turns":[{"from":"user","ids":[3]}]}`,
	} {
		_, err := ExplainTokens([]byte(input))
		var failure *spade.Error
		if !errors.As(err, &failure) || failure.Boundary != spade.ByUser {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
