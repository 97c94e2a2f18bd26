package reward

// HangRaw is the raw reward of a design whose reset or step hangs; it is never masked.
const HangRaw = -0.5

// Plays is what was measured of one environment.
type Plays struct {
	Skill string
	// Steps holds the unhinted returns, in ascending order of steps; the first is the step at which the
	// environment was made. Steps without a play are left out.
	Steps []Step
	// HintedMean is the mean return with the hint at that first step; nil, where it was not measured, counts as 0.
	HintedMean *float64
	// PlaceboMean is the mean return with another environment's hint at the first step, nil if not measured. What
	// it is above the unhinted mean, any hint explains: that part of the regret earns nothing.
	PlaceboMean *float64
	// WithheldSecret says that the hint tells what no play could find out. Such regret earns nothing.
	WithheldSecret bool
	// Hang says that a reset or step hung.
	Hang bool
}

// Result is what the designer of one environment earns, with the numbers that lead there.
type Result struct {
	// Regret is the hinted minus the unhinted mean return, as measured; Credited is the part of it that counts
	// (less than Regret only after a placebo or with a withheld secret).
	Regret   float64
	Credited float64
	WinRate  float64
	Plateau  float64
	MicroLP  float64
	// Raw is the blended value. Masked environments (a blended value below 0) train no designer: their Reward
	// is 0 and they enter no mean.
	Raw    float64
	Masked bool
	// Reward is Raw after centring and scaling.
	Reward float64
}

// Blend rewards the designers of one cycle's environments:
//
//	raw = plateau_weight·plateau + regret_weight·r + micro_lp_weight·micro_lp/micro_lp_scale
//	      - frontier_weight·(win_rate-0.5)²/0.08
//
// with r = regret/regret_scale, clipped into [0, 1] under regret_floor; a hang makes it HangRaw. The reward is
// env_reward_scale times raw after centring; under ShrunkMean with no earlier cycle. What regret earlier cycles had
// (RegretTarget) does not enter. Results are in the order of plays.
func Blend(cfg Config, plays []Plays) []Result {
	results := make([]Result, len(plays))
	earned := make([]Earned, len(plays))
	for i, p := range plays {
		r := p.result(cfg)
		results[i] = r
		earned[i] = Earned{Skill: p.Skill, Raw: r.Raw, Masked: r.Masked}
	}
	for i, reward := range cfg.centre(&Baseline{}, earned) {
		results[i].Reward = reward
	}
	return results
}

// result is everything but the centred reward.
func (p Plays) result(cfg Config) Result {
	first := 0.0
	if len(p.Steps) > 0 {
		first = mean(p.Steps[0].Returns)
	}
	r := Result{Regret: -first}
	if p.HintedMean != nil {
		r.Regret = *p.HintedMean - first
	}
	r.Credited = r.Regret
	if p.PlaceboMean != nil {
		r.Credited -= max(0, *p.PlaceboMean-first)
	}
	if p.WithheldSecret {
		r.Credited = 0
	}
	return r.blended(cfg, p.Steps, p.Hang)
}

// blended fills in what follows from the regret and the steps.
func (r Result) blended(cfg Config, steps []Step, hang bool) Result {
	r.WinRate = winRate(pooled(steps))
	r.Plateau = Anchor(r.WinRate)
	r.MicroLP = MicroLP(steps, cfg.MicroLPSlope)
	if hang {
		r.Raw = HangRaw
		return r
	}
	r.Raw = cfg.raw(r)
	r.Masked = r.Raw < 0
	return r
}

func (c Config) raw(r Result) float64 {
	regret := r.Credited / c.RegretScale
	if c.RegretFloor {
		regret = clip(regret, 0, 1)
	}
	offFrontier := (r.WinRate - 0.5) * (r.WinRate - 0.5) / 0.08
	return c.PlateauWeight*r.Plateau + c.RegretWeight*regret +
		c.MicroLPWeight*r.MicroLP/c.MicroLPScale - c.FrontierWeight*offFrontier
}
