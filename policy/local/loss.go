package local

import (
	"math"

	"spade/policy"
	"spade/policy/local/kernel"
)

// logSoftmax holds what a loss needs of one row of logits.
type logSoftmax struct {
	// logSum is the logarithm of the sum of the exponentials of the logits.
	logSum float64
	// probabilities are not normalised: dividing by sum normalises them.
	probabilities []float32
	sum           float32
}

// newLogSoftmax uses scratch, as long as logits, for the probabilities.
func newLogSoftmax(k *kernel.Scratch, logits, scratch []float32) logSoftmax {
	top := kernel.Max(logits)
	sum := k.Exp(scratch, logits, 1, top)
	return logSoftmax{logSum: float64(top) + math.Log(float64(sum)), probabilities: scratch, sum: sum}
}

// policyTarget is a token that the policy sampled and that is trained on.
type policyTarget struct {
	token int32
	// old is its log-probability when it was sampled.
	old float64
	// advantage, weight, entropy and kl are those of its sequence.
	advantage, weight, entropy, kl float64
	// reference is its log-probability under the reference, wanted where kl is not 0.
	reference float64
}

// policyStats are sums over trained tokens.
type policyStats struct {
	loss, entropy, kl float64
	clipped, tokens   int
}

func (s *policyStats) add(o policyStats) {
	s.loss += o.loss
	s.entropy += o.entropy
	s.kl += o.kl
	s.clipped += o.clipped
	s.tokens += o.tokens
}

// policyLoss is the policy-gradient surrogate with an entropy bonus and the distance to a reference. A token with
// log-probability l, ratio r = e^(l-old), advantage A, weight w, entropy weight e and distance weight k, in a distribution
// of entropy H, adds
//
//	-w·min(r·A, clip(r, 1-low, 1+high)·A) - e·H + k·(e^(q-l) - (q-l) - 1)
//
// where q is its log-probability under the reference. If truncation is positive the first term is -w·min(r, truncation)·A·l
// with the ratio held constant.
type policyLoss struct {
	policy.Loss
	targets []policyTarget
	scratch []float32
	stats   policyStats
}

// gradient uses dl/dz[j] = [j is the token] - p[j] and dH/dz[j] = -p[j]·(ln p[j] + H).
func (l *policyLoss) gradient(k *kernel.Scratch, i int, logits []float32) {
	t := &l.targets[i]
	grow(&l.scratch, len(logits))
	s := newLogSoftmax(k, logits, l.scratch)
	logProb := float64(logits[t.token]) - s.logSum
	entropy := s.logSum - float64(kernel.Dot(s.probabilities, logits)/s.sum)

	slope := l.surrogate(t, logProb) // of the loss in the log-probability
	if t.kl != 0 {
		away := t.reference - logProb
		slope += t.kl * (1 - math.Exp(away))
		l.stats.loss += t.kl * (math.Exp(away) - away - 1)
	}
	l.stats.loss -= t.entropy * entropy
	l.stats.entropy += entropy
	l.stats.kl += t.old - logProb
	l.stats.tokens++

	// dz[j] = p[j]·(e·(z[j] - logSum + H) - slope), plus slope at the token.
	perLogit := float32(t.entropy) / s.sum
	constant := float32(t.entropy*(entropy-s.logSum)-slope) / s.sum
	for j, p := range s.probabilities {
		logits[j] = p * (perLogit*logits[j] + constant)
	}
	logits[t.token] += float32(slope)
}

// surrogate adds the first term to the statistics and returns its slope.
func (l *policyLoss) surrogate(t *policyTarget, logProb float64) float64 {
	ratio := math.Exp(logProb - t.old)
	if l.Truncation > 0 {
		if ratio > l.Truncation {
			l.stats.clipped++
		}
		slope := -t.weight * min(ratio, l.Truncation) * t.advantage
		l.stats.loss += slope * logProb
		return slope
	}
	free := ratio * t.advantage
	bounded := min(max(ratio, 1-l.ClipLow), 1+l.ClipHigh) * t.advantage
	l.stats.loss -= t.weight * min(free, bounded)
	if bounded < free {
		l.stats.clipped++
		return 0
	}
	return -t.weight * free
}

// supervisedTarget is a token to imitate.
type supervisedTarget struct {
	token  int32
	weight float64
}

// supervisedLoss is the weighted cross-entropy: -weight·ln p(token) a token.
type supervisedLoss struct {
	targets []supervisedTarget
	scratch []float32
	loss    float64
}

func (l *supervisedLoss) gradient(k *kernel.Scratch, i int, logits []float32) {
	t := &l.targets[i]
	grow(&l.scratch, len(logits))
	s := newLogSoftmax(k, logits, l.scratch)
	l.loss += t.weight * (s.logSum - float64(logits[t.token]))
	factor := float32(t.weight) / s.sum
	for j, p := range s.probabilities {
		logits[j] = p * factor
	}
	logits[t.token] -= float32(t.weight)
}
