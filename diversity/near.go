package diversity

import "slices"

// NearDuplicate is the resemblance from which on two environments count as one: with both parts seen, 0.8 lets a fifth
// of the code of a copy be rewritten if it plays as before, and a fifth of its plays differ if the code is the same.
const NearDuplicate = 0.8

// resemblanceShingle is how many tokens make a shingle here. It is longer than that of the likeness, so that idioms which
// all environments share weigh little.
const resemblanceShingle = 8

// Print is what an environment is compared by. PrintOf makes one.
type Print struct {
	shingles  []uint64 // of the normalised source, in ascending order, each once
	behaviour []string
}

// PrintOf returns the print of source. behaviour is what it was seen to do, one text for each of several fixed
// probes in a fixed order, for example the transcript of its solution on a seed; nil if nothing was seen. A probe's text
// should hold what a copy shares under any names and theme, such as rewards and lengths, or be left out.
func PrintOf(source string, behaviour []string) Print {
	found := shingles(normalTokens(lex(source)), resemblanceShingle)
	slices.Sort(found)
	return Print{slices.Compact(found), behaviour}
}

// Resemblance says how far two environments are one, in [0, 1]. The structural part is the share of the shingles of
// both normalised sources that they have in common (Jaccard): 1 for copies with other names, literals and layout. The
// other part is the share of probes on which both behaved alike, over those that both saw. The result is the mean of the
// two, or the structural part alone if either behaviour was not seen.
func (p Print) Resemblance(q Print) float64 {
	structure := jaccard(p.shingles, q.shingles)
	probes := min(len(p.behaviour), len(q.behaviour))
	if probes == 0 {
		return structure
	}
	alike := 0
	for i := range probes {
		if p.behaviour[i] == q.behaviour[i] {
			alike++
		}
	}
	return (structure + float64(alike)/float64(probes)) / 2
}

// jaccard is the size of the intersection of two sorted sets over that of their union; two empty ones are alike.
func jaccard(a, b []uint64) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
