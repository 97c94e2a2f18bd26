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

// score sets the reference's log-probability of every target of the losses, one for each batch.
func (f *frozen) score(batches []microBatch, losses []policyLoss) {
	parallel(len(f.passes), len(batches), func(worker, i int) {
		if f.passes[worker] == nil {
			f.passes[worker] = newPass(f.model)
		}
		targets := losses[i].targets
		var scratch []float32
		f.passes[worker].score(&batches[i].packed, func(k *kernel.Scratch, row int, logits []float32) {
			grow(&scratch, len(logits))
			s := newLogSoftmax(k, logits, scratch)
			targets[row].reference = float64(logits[targets[row].token]) - s.logSum
		})
	})
}
