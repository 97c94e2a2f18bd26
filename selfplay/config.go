package selfplay

import (
	"encoding/json"
	"fmt"

	"spade"
	"spade/admit"
	"spade/design"
	"spade/learn"
	"spade/play"
	"spade/reward"
	"spade/sandbox"
)

// NoCorpus is the corpus of runs whose designer reads no passage.
const NoCorpus = "none"

// NoSuite is the suite of runs in which nothing held out is measured: those of a model for which the embedded model's
// suites say little, or say it too dearly.
const NoSuite = "none"

// Config is a run's complete configuration. A run records it resolved, so that nothing about the run depends
// on later defaults.
type Config struct {
	// Seed names every random stream of the run.
	Seed uint64 `yaml:"seed" json:"seed"`
	// Cycles is the length of the run.
	Cycles int `yaml:"cycles" json:"cycles"`
	// Arm is the experiment arm, for example "spade" or "fixed:96" (see ParseArm).
	Arm string `yaml:"arm" json:"arm"`
	// Policy names the model: "local" is the embedded one, "local:DIR" a checkpoint of it, "openai:URL#MODEL" a model
	// behind a server of chat completions. It is what trains, if it can be trained.
	Policy string `yaml:"policy" json:"policy"`
	// Designer and Agent name the model of a role where that is another one than Policy, "" where it is not. A role that
	// another model plays does not train.
	Designer string `yaml:"designer" json:"designer,omitempty"`
	Agent    string `yaml:"agent" json:"agent,omitempty"`
	// Corpus is a file or folder of passages, "builtin", or NoCorpus: designs are then grounded on nothing.
	Corpus string `yaml:"corpus" json:"corpus"`
	// Auditor names the model that has the last word in admission, "" where nobody has. Other than the embedded model it
	// need not be reproducible: then two runs of one configuration may differ.
	Auditor string `yaml:"auditor" json:"auditor,omitempty"`
	// Isolation is the tier in which generated code runs: "full", "gvisor" or "degraded".
	Isolation string `yaml:"isolation" json:"isolation"`
	// Skills rotate over designs whose passage does not name a skill itself. OnlySkills passes over passages that name
	// another one.
	Skills     []string `yaml:"skills" json:"skills"`
	OnlySkills bool     `yaml:"only_skills" json:"only_skills"`
	// Environments is the number of designs of a regeneration; every admitted one is played, but for a Race.
	Environments int  `yaml:"environments" json:"environments"`
	Race         Race `yaml:"race" json:"race"`
	// Plays and HintedPlays are the episodes of one environment in the unhinted and the hinted arm, on common
	// seeds: 0 <= HintedPlays <= Plays.
	Plays       int `yaml:"plays" json:"plays"`
	HintedPlays int `yaml:"hinted_plays" json:"hinted_plays"`
	// PlaceboShare is the share of environments, in [0, 1], that are also played with the hint of another one, as
	// often as with their own.
	PlaceboShare float64 `yaml:"placebo_share" json:"placebo_share"`
	// RegenerateEvery is the number of cycles for which a set of environments stays in force; its designer is
	// trained once, at the end.
	RegenerateEvery int `yaml:"regenerate_every" json:"regenerate_every"`
	// Replays is the number of remembered environments that are measured again in each cycle.
	Replays int `yaml:"replays" json:"replays"`
	// Positives and Negatives are the numbers of remembered environments shown to the designer.
	Positives int `yaml:"positives" json:"positives"`
	Negatives int `yaml:"negatives" json:"negatives"`
	// RegretExamples is the share of designs, in [0, 1], whose positive examples are those with the largest regret, so
	// that what a hint explains stays in the curriculum; the others are shown those with a win rate near one half. The
	// published form is 1.
	RegretExamples float64 `yaml:"regret_examples" json:"regret_examples"`
	// EvalEvery is the number of cycles between held-out measurements; 0 measures at the start and the end only.
	EvalEvery int `yaml:"eval_every" json:"eval_every"`
	// HeldOutSeeds is the number of seeds on which every held-out environment is played at most; 0 stands for all of
	// the suite.
	HeldOutSeeds int `yaml:"held_out_seeds" json:"held_out_seeds"`
	// Suite is the suite that held-out measurements play: "library", "tuning" where settings are chosen by them, or NoSuite.
	Suite string `yaml:"suite" json:"suite"`

	Design  design.Config  `yaml:"design" json:"design"`
	Sandbox sandbox.Limits `yaml:"sandbox" json:"sandbox"`
	Admit   admit.Config   `yaml:"admit" json:"admit"`
	Play    play.Config    `yaml:"play" json:"play"`
	Reward  reward.Config  `yaml:"reward" json:"reward"`
	Learn   learn.Config   `yaml:"learn" json:"learn"`
}

// regretTarget is the mean regret below which the embedded model's designs must not fall: a hidden rule in about one of ten designs.
const regretTarget = 0.03

// Default is the configuration of a first run: the embedded model on the built-in corpus, a few minutes on two
// cores.
func Default() Config {
	c := Config{
		Seed: 1, Cycles: 160, Arm: "spade", Policy: "local", Corpus: "builtin", Isolation: "full", Suite: "library",
		Skills: []string{"table", "next", "sum", "rank", "stack", "alt", "walk", "lag", "tune",
			"tank", "face", "cell", "bounce", "duel", "wheel", "gap"},
		Environments: 16, Plays: 12, HintedPlays: 6, RegenerateEvery: 1, Replays: 2, Positives: 1, RegretExamples: 0.5,
		Design: design.Default(), Sandbox: sandbox.DefaultLimits(), Admit: admit.Default(), Play: play.Default(),
		Reward: reward.Default(), Learn: learn.Default(),
	}
	c.Reward.RegretTarget = regretTarget
	return c
}

// Validate reports the first setting that makes no sense. What it says begins, after "configuration: ", with the dotted
// key of the setting.
func (c Config) Validate() error {
	arm, err := ParseArm(c.Arm)
	if err != nil {
		return err
	}
	for _, bound := range []struct {
		name      string
		value     int
		low, high int
	}{
		{"cycles", c.Cycles, 0, 1 << 30}, {"environments", c.Environments, 1, 1 << 20}, {"plays", c.Plays, 1, 1 << 20},
		{"hinted_plays", c.HintedPlays, 0, c.Plays}, {"regenerate_every", c.RegenerateEvery, 1, 1 << 20},
		{"replays", c.Replays, 0, 1 << 20}, {"positives", c.Positives, 0, 100}, {"negatives", c.Negatives, 0, 100},
		{"eval_every", c.EvalEvery, 0, 1 << 30}, {"held_out_seeds", c.HeldOutSeeds, 0, 1 << 20},
	} {
		if bound.value < bound.low || bound.value > bound.high {
			return userError("%s is %d: it must lie in [%d, %d]", bound.name, bound.value, bound.low, bound.high)
		}
	}
	if most := poolRounds * c.Environments; arm.Pool > most {
		return userError("arm is %q: with environments: %d a pool holds at most %d (%d rounds of designs)", c.Arm, c.Environments, most, poolRounds)
	}
	if !(c.RegretExamples >= 0 && c.RegretExamples <= 1) {
		return userError("regret_examples is %v: it must lie in [0, 1]", c.RegretExamples)
	}
	if !(c.PlaceboShare >= 0 && c.PlaceboShare <= 1) { // NaN is neither
		return userError("placebo_share is %v: it must lie in [0, 1]", c.PlaceboShare)
	}
	if err := c.Race.validate(c.Environments, c.Plays); err != nil {
		return userError("%w", err)
	}
	if c.Isolation != "full" && c.Isolation != "gvisor" && c.Isolation != "degraded" {
		return userError("isolation is %q: it must be full, gvisor or degraded", c.Isolation)
	}
	if c.Suite != "library" && c.Suite != "tuning" && c.Suite != NoSuite {
		return userError("suite is %q: it must be library, tuning or none", c.Suite)
	}
	if len(c.Skills) == 0 {
		return userError("skills is empty: designs need at least one")
	}
	for _, part := range []interface{ Validate() error }{c.Design, c.Sandbox, c.Admit, c.Play} {
		if err := part.Validate(); err != nil {
			return userError("%w", err)
		}
	}
	if err := c.Reward.Validate(); err != nil { // also read apart from a run, without the name of the section
		return userError("reward.%w", err)
	}
	if err := c.Learn.Validate(); err != nil {
		return userError("learn.%w", err)
	}
	return nil
}

// configID identifies a configuration but for the length of the run, which may be changed when it is resumed.
func configID(c Config) string {
	c.Cycles = 0
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // a Validated configuration holds plain finite values only
	}
	return spade.ContentID(string(data))
}

func userError(format string, args ...any) error {
	return spade.Errorf(spade.ByUser, "correct the configuration and start again", "configuration: %w", fmt.Errorf(format, args...))
}
