package reward

import "math"

// Return is the return of an episode: its last reward clamped into [-1, 1] if the environment terminated it, else
// 0. Rewards on the way shape nothing and truncation earns nothing. A NaN stays NaN, which no group counts.
func Return(rewards []float64, terminated bool) float64 {
	if !terminated || len(rewards) == 0 {
		return 0
	}
	return clip(rewards[len(rewards)-1], -1, 1)
}

// Plateau is 1 where lo <= winRate <= hi and falls linearly to 0 over a distance of ramp on either side.
func Plateau(winRate, lo, hi, ramp float64) float64 {
	switch {
	case winRate < lo:
		return max(0, 1-(lo-winRate)/ramp)
	case winRate > hi:
		return max(0, 1-(winRate-hi)/ramp)
	}
	return 1
}

// Anchor is the deployed plateau: 1 for win rates in [0.4, 0.6], 0 at and beyond 0.15 and 0.85.
func Anchor(winRate float64) float64 { return Plateau(winRate, 0.4, 0.6, 0.25) }

// SolverVariance is exp(-(v-0.25)²/0.02) for the population variance v of returns in {0, 1}: 1 where half of the
// plays are won, near 0.04 where all or none are. It is an alternative to the plateau.
func SolverVariance(returns []float64) float64 {
	d := variance(returns) - 0.25
	return math.Exp(-d * d / 0.02)
}

// mean is 0 for no values.
func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// variance is the population variance, 0 for no values.
func variance(xs []float64) float64 {
	m := mean(xs)
	squares := make([]float64, len(xs))
	for i, x := range xs {
		squares[i] = (x - m) * (x - m)
	}
	return mean(squares)
}

// winRate is the share of returns of at least 1, 0 for no returns.
func winRate(returns []float64) float64 {
	won := 0
	for _, r := range returns {
		if r >= 1 {
			won++
		}
	}
	if won == 0 {
		return 0
	}
	return float64(won) / float64(len(returns))
}

func clip(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
