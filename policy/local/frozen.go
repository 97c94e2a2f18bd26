package local

import (
	"slices"

	"spade/policy/local/kernel"
)

// frozen is the model as it was when the policy was made. Training may be kept near it.
type frozen struct {
	model  *Model
	passes []*pass // one a worker, made when first used
}

func newFrozen(m *Model, workers int) *frozen {
	copied := *m
	copied.weights = newWeights(&copied.config, slices.Clone(m.weights.flat))
	return &frozen{model: &copied, passes: make([]*pass, workers)}
}

// score sets the reference's log-probability of every target whose distance to it counts; targets[i] are those of
// examples[i]. Most of a batch is an agent's, whose distance does not, and is not read.
func (f *frozen) score(examples []example, targets [][]policyTarget) {
	held := make([]example, len(examples))
	for i, t := range targets {
		if len(t) > 0 && t[0].kl != 0 { // it is that of the whole sequence
			held[i] = examples[i]
		}
	}
	batches := partition(held)
	parallel(len(f.passes), len(batches), func(worker, i int) {
		if f.passes[worker] == nil {
			f.passes[worker] = newPass(f.model)
		}
		var rows []*policyTarget
		for _, member := range batches[i].members {
			for t := range targets[member] {
				rows = append(rows, &targets[member][t])
			}
		}
		var scratch []float32
		f.passes[worker].score(&batches[i].packed, func(k *kernel.Scratch, row int, logits []float32) {
			grow(&scratch, len(logits))
			s := newLogSoftmax(k, logits, scratch)
			rows[row].reference = float64(logits[rows[row].token]) - s.logSum
		})
	})
}
