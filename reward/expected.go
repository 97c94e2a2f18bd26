package reward

import "gonum.org/v1/gonum/mathext"

// ExpectedAnchor is the mean of Anchor(p) over what is known of a win rate p after wins in plays episodes, when every
// win rate was equally likely before: p has the Beta(1+wins, 1+plays-wins) distribution. It rates environments of which
// few plays are known, where Anchor of the observed share would take luck for difficulty.
func ExpectedAnchor(wins, plays int) float64 {
	alpha, beta := float64(1+wins), float64(1+plays-wins)
	// Over an interval of p: mass is its probability, moment the integral of p.
	mass := func(from, to float64) float64 {
		return mathext.RegIncBeta(alpha, beta, to) - mathext.RegIncBeta(alpha, beta, from)
	}
	moment := func(from, to float64) float64 {
		return alpha / (alpha + beta) * (mathext.RegIncBeta(alpha+1, beta, to) - mathext.RegIncBeta(alpha+1, beta, from))
	}
	const low, bandFrom, bandTo, high, ramp = 0.15, 0.4, 0.6, 0.85, 0.25
	rising := (moment(low, bandFrom) - low*mass(low, bandFrom)) / ramp
	falling := (high*mass(bandTo, high) - moment(bandTo, high)) / ramp
	return rising + mass(bandFrom, bandTo) + falling
}
