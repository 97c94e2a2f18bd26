package selfplay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spade"
	"spade/reward"
)

// Arm is one arm of an experiment. All arms share one code path: an arm says where environments come from, and
// sets some keys of the configuration (Config.Resolve).
type Arm struct {
	// Name is one of ArmNames.
	Name string
	// Pool is the number of environments in the pool of arm fixed, 0 in others.
	Pool int
	// From and To bound the horizon of arm ladder, in turns; 0 in others.
	From, To int
}

const (
	armFixed    = "fixed"
	armLadder   = "ladder"
	armNoMemory = "no-memory"

	defaultPool               = 96
	defaultFrom, defaultTo    = 1, 16
	longestHorizon            = 25
	formOfPool, formOfHorizon = "fixed:96", "ladder:1-16"
)

// preset is what the name of an arm stands for.
type preset struct {
	name string
	// set changes the configuration of arm spade into the arm's own.
	set func(*Config)
}

var presets = []preset{
	{"spade", func(*Config) {}},
	{armFixed, func(*Config) {}},
	{"no-corpus", func(c *Config) { c.Corpus = NoCorpus }},
	{armNoMemory, func(c *Config) { c.Positives, c.Negatives, c.Replays = 0, 0, 0 }},
	{"frozen-designer", func(c *Config) { c.Learn.DesignerWeight = 0 }},
	{armLadder, func(*Config) {}},
	{"regret-only", func(c *Config) { weigh(&c.Reward, 0, 1, 0) }},
	{"solve-rate", func(c *Config) { weigh(&c.Reward, 1, 0, 0) }},
	{"learning-potential", func(c *Config) { weigh(&c.Reward, 0, 0, 1) }},
	{"two-skill", func(c *Config) { c.Skills, c.OnlySkills = c.Skills[:min(2, len(c.Skills))], true }},
}

// weigh makes the designer's reward a blend of the anchor, the regret and the learning potential alone.
func weigh(c *reward.Config, plateau, regret, potential float64) {
	c.PlateauWeight, c.RegretWeight, c.PotentialWeight = plateau, regret, potential
	c.MicroLPWeight, c.FrontierWeight, c.RegretTarget = 0, 0, 0
}

// ArmNames returns the names of all arms, in the order in which they are documented.
func ArmNames() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	return names
}

// ParseArm reads an arm: its name, and its parameter after a colon where it takes one. fixed takes the number of
// environments in its pool ("fixed:96", which is also what "fixed" means), ladder the range of its horizon
// ("ladder:1-16", likewise). Errors are the user's and say what there is.
func ParseArm(text string) (Arm, error) {
	name, parameter, given := strings.Cut(text, ":")
	arm := Arm{Name: name}
	switch {
	case name == armFixed && !given:
		arm.Pool = defaultPool
	case name == armFixed:
		n, err := strconv.Atoi(parameter)
		if err != nil || n < 1 {
			return Arm{}, badParameter(text, formOfPool, "the size of the pool must be a whole number above 0")
		}
		arm.Pool = n
	case name == armLadder && !given:
		arm.From, arm.To = defaultFrom, defaultTo
	case name == armLadder:
		from, to, _ := strings.Cut(parameter, "-")
		var errFrom, errTo error
		arm.From, errFrom = strconv.Atoi(from)
		arm.To, errTo = strconv.Atoi(to)
		if errFrom != nil || errTo != nil || arm.From < 1 || arm.To < arm.From || arm.To > longestHorizon {
			return Arm{}, badParameter(text, formOfHorizon, fmt.Sprintf("the range of the horizon must be two whole numbers within 1-%d, the smaller first", longestHorizon))
		}
	case !slices.Contains(ArmNames(), name):
		return Arm{}, spade.Errorf(spade.ByUser, "choose one of "+strings.Join(ArmNames(), ", ")+"; fixed and ladder take a parameter: "+formOfPool+", "+formOfHorizon,
			"there is no arm %q", name)
	case given:
		return Arm{}, badParameter(text, name, "this arm takes no parameter")
	}
	return arm, nil
}

func badParameter(text, form, why string) error {
	return spade.Errorf(spade.ByUser, "write "+form, "arm %q: %s", text, why)
}

// Resolve returns the configuration with what its arm sets. What it returns resolves to itself.
func (c Config) Resolve() (Config, error) {
	arm, err := ParseArm(c.Arm)
	if err != nil {
		return c, err
	}
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == arm.Name })
	presets[i].set(&c)
	return c, nil
}

// designs reports whether the arm's environments are written by the designer.
func (a Arm) designs() bool { return a.Name != armFixed && a.Name != armLadder }
