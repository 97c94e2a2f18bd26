package diversity

// Known is an environment that others are compared with. NewKnown makes one.
type Known struct {
	ID, Source string
	print      Print
}

// NewKnown prepares the environment with the given id and source for comparisons.
func NewKnown(id, source string) Known { return Known{id, source, PrintOf(source, nil)} }

// Nearest returns the environment among known that resembles source most, if that is at least NearDuplicate, and how
// much; a zero Known if there is none. behaviour returns what an environment was seen to do (see PrintOf); it is asked
// only about environments whose sources alone resemble each other enough. Where nothing was seen of one of the two, they
// do not count as near: structure alone says little about environments that share an idiom.
func Nearest(source string, known []Known, behaviour func(source string) ([]string, error)) (Known, float64, error) {
	const alike = 2*NearDuplicate - 1 // below it, behaviour cannot make up for structure
	own := PrintOf(source, nil)
	var nearest Known
	most := 0.0
	for _, k := range known {
		if own.Resemblance(k.print) < alike {
			continue
		}
		if own.behaviour == nil {
			var err error
			if own.behaviour, err = behaviour(source); err != nil || len(own.behaviour) == 0 {
				return Known{}, 0, err
			}
		}
		seen, err := behaviour(k.Source)
		if err != nil {
			return Known{}, 0, err
		}
		if len(seen) == 0 {
			continue
		}
		if r := own.Resemblance(Print{k.print.shingles, seen}); r >= NearDuplicate && r > most {
			nearest, most = k, r
		}
	}
	return nearest, most, nil
}
