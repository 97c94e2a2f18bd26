package selfplay

import (
	"strconv"
	"strings"

	"spade"
)

// Arm is one arm of an experiment: where environments come from and whether the designer learns. Everything
// else is the same code path.
type Arm struct {
	// Name is "spade" (a learning designer) or "fixed" (a frozen pool).
	Name string
	// Pool is the number of environments in a fixed pool.
	Pool int
}

const defaultPool = 96

// ParseArm reads an arm: its name, and its parameter after a colon where it takes one ("fixed:96").
func ParseArm(text string) (Arm, error) {
	name, parameter, given := strings.Cut(text, ":")
	switch {
	case name == "spade" && !given:
		return Arm{Name: name}, nil
	case name == "fixed" && !given:
		return Arm{Name: name, Pool: defaultPool}, nil
	case name == "fixed":
		if n, err := strconv.Atoi(parameter); err == nil && n > 0 {
			return Arm{Name: name, Pool: n}, nil
		}
		return Arm{}, spade.Errorf(spade.ByUser, "write fixed:96, for a pool of 96 environments",
			"arm %q: the size of the pool must be a whole number above 0", text)
	}
	return Arm{}, spade.Errorf(spade.ByUser, "choose spade or fixed (fixed:N for a pool of N environments)",
		"there is no arm %q", text)
}

// designs reports whether the arm's designer writes new environments and learns.
func (a Arm) designs() bool { return a.Name == "spade" }
