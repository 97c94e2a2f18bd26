package reward

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"spade"
)

// explained is one environment of `spade explain reward`: what was given, then what follows from it.
type explained struct {
	ID             string               `json:"id"`
	Skill          string               `json:"skill"`
	HintedMean     *float64             `json:"hinted_mean"`
	PlaysByStep    map[string][]float64 `json:"plays_by_step"`
	PlaceboMean    *float64             `json:"placebo_mean,omitempty"`
	WithheldSecret bool                 `json:"withheld_secret,omitempty"`
	StepTimeout    bool                 `json:"step_timeout,omitempty"`

	Regret  float64 `json:"regret"`
	WinRate float64 `json:"win_rate"`
	Plateau float64 `json:"plateau"`
	MicroLP float64 `json:"micro_lp"`
	Raw     float64 `json:"raw"`
	Masked  bool    `json:"masked"`
	// Reward is null for masked environments.
	Reward *float64 `json:"reward"`
	// Notes say what was done beyond the published formula.
	Notes []string `json:"notes,omitempty"`
}

type explanation struct {
	Config         Config      `json:"config"`
	Environments   []explained `json:"environments"`
	MaskedFraction float64     `json:"masked_fraction"`
}

// Explain fills in what the designers of a cycle's environments earn. The input is
//
//	{"config": {…}, "environments": [{"id", "skill", "hinted_mean", "plays_by_step": {"0": [returns], …}}]}
//
// and an environment may also carry "placebo_mean", "withheld_secret" and "step_timeout" (see Plays). The output
// is the same object with regret (as measured), win_rate, plateau, micro_lp, raw, masked and reward (null where
// masked) in each environment, notes where a term was withheld, the resolved config, and masked_fraction. Without
// a config, or with an empty one, the deployed weights hold; weights that a config leaves out are 0. Centring is
// as published unless the config says otherwise. Errors are the user's.
func Explain(input []byte) ([]byte, error) {
	var in struct {
		Config       json.RawMessage `json:"config"`
		Environments []explained     `json:"environments"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, unreadable(err)
	}
	cfg, err := explainConfig(in.Config)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "Correct the key \"config\".", "reading the reward configuration: %w", err)
	}
	plays := make([]Plays, len(in.Environments))
	for i, e := range in.Environments {
		if plays[i], err = e.plays(); err != nil {
			return nil, spade.Errorf(spade.ByUser, "Correct this environment's \"plays_by_step\".",
				"reading environment %q (number %d): %w", e.ID, i+1, err)
		}
	}
	out := explanation{Config: cfg, Environments: in.Environments}
	masked := 0
	for i, r := range Blend(cfg, plays) {
		out.Environments[i].fill(r)
		if r.Masked {
			masked++
		}
	}
	out.MaskedFraction = quotient(float64(masked), float64(len(plays)))
	return answer(out)
}

func explainConfig(raw json.RawMessage) (Config, error) {
	var given map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return Config{}, err
		}
	}
	if len(given) == 0 {
		cfg := Default()
		cfg.Centring = SkillMean
		return cfg, nil
	}
	cfg := neutral()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&cfg); err != nil {
		return Config{}, err
	}
	return cfg, cfg.Validate()
}

func (e explained) plays() (Plays, error) {
	p := Plays{
		Skill: e.Skill, HintedMean: e.HintedMean, PlaceboMean: e.PlaceboMean,
		WithheldSecret: e.WithheldSecret, Hang: e.StepTimeout,
	}
	for name, returns := range e.PlaysByStep {
		number, err := strconv.Atoi(name)
		if err != nil {
			return Plays{}, fmt.Errorf("step %q is not a whole number", name)
		}
		if len(returns) > 0 {
			p.Steps = append(p.Steps, Step{Number: number, Returns: returns})
		}
	}
	slices.SortFunc(p.Steps, func(a, b Step) int { return a.Number - b.Number })
	for i := 1; i < len(p.Steps); i++ {
		if p.Steps[i].Number == p.Steps[i-1].Number {
			return Plays{}, fmt.Errorf("step %d is given twice", p.Steps[i].Number)
		}
	}
	return p, nil
}

func (e *explained) fill(r Result) {
	e.Regret, e.WinRate, e.Plateau, e.MicroLP = r.Regret, r.WinRate, r.Plateau, r.MicroLP
	e.Raw, e.Masked, e.Reward, e.Notes = r.Raw, r.Masked, nil, nil
	if !r.Masked {
		e.Reward = &r.Reward
	}
	switch {
	case e.StepTimeout:
		e.Notes = append(e.Notes, fmt.Sprintf("a step hung: raw is %v whatever was played", HangRaw))
	case e.WithheldSecret:
		e.Notes = append(e.Notes, "the hint tells a secret that play cannot find out: the regret term is 0")
	case r.Credited != r.Regret:
		e.Notes = append(e.Notes, fmt.Sprintf(
			"any hint explains %.6g of the regret: %.6g is rewarded", r.Regret-r.Credited, r.Credited))
	}
}

// answer encodes what is printed; only numbers too large to add up cannot be.
func answer(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "Use smaller numbers.", "writing the answer: %w", err)
	}
	return data, nil
}

func unreadable(err error) error {
	return spade.Errorf(spade.ByUser, "Give a JSON object of the documented form.", "reading the input: %w", err)
}
