package local

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"spade/policy/local/kernel"
)

const (
	// microTokens bounds the inputs of one micro-batch, unless a single sequence is longer.
	microTokens = 512
	// gradientLanes is the number of partial gradients. Micro-batch i adds to lane i mod gradientLanes, and lanes
	// are summed in order, so that the sum does not depend on how many workers computed it.
	gradientLanes = 16
)

// example is one sequence to train on: each of the targets, ascending positions from 1 on, is predicted from
// the tokens before it.
type example struct {
	tokens  []int32
	targets []int
}

// inputs is the number of tokens that the model must read to predict every target.
func (e *example) inputs() int {
	if len(e.targets) == 0 {
		return 0
	}
	return e.targets[len(e.targets)-1]
}

// microBatch is a packed group of examples; members are their indices, in order.
type microBatch struct {
	packed
	members []int
}

// partition groups the examples that have targets into micro-batches, longest first. It depends on the
// examples and their order only.
func partition(examples []example) []microBatch {
	var order []int
	for i := range examples {
		if examples[i].inputs() > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(examples[b].inputs(), examples[a].inputs()) })
	var batches []microBatch
	for _, i := range order {
		last := len(batches) - 1
		if last < 0 || len(batches[last].tokens)+examples[i].inputs() > microTokens {
			batches = append(batches, microBatch{packed: packed{starts: []int{0}}})
			last++
		}
		batches[last].add(i, &examples[i])
	}
	return batches
}

func (b *microBatch) add(index int, e *example) {
	start := len(b.tokens)
	b.tokens = append(b.tokens, e.tokens[:e.inputs()]...)
	b.starts = append(b.starts, len(b.tokens))
	for _, target := range e.targets {
		b.rows = append(b.rows, start+target-1)
	}
	b.members = append(b.members, index)
}

// gradients computes the gradient of a batch on several goroutines.
type gradients struct {
	model  *Model
	passes []*pass    // one a worker
	lanes  []*weights // made when first used
}

func newGradients(m *Model, workers int) *gradients {
	g := &gradients{model: m, lanes: make([]*weights, gradientLanes)}
	for range workers {
		g.passes = append(g.passes, newPass(m))
	}
	return g
}

// sum returns the gradient of the losses of all batches, where loss(i) is that of batch i. The result is valid
// until the next call. There is at least one batch.
func (g *gradients) sum(ctx context.Context, batches []microBatch, loss func(i int) tokenLoss) (*weights, error) {
	lanes := g.lanes[:min(gradientLanes, len(batches))]
	parallel(len(g.passes), len(lanes), func(worker, lane int) {
		if lanes[lane] == nil {
			lanes[lane] = newWeights(&g.model.config, make([]float32, g.model.config.parameters()))
		} else {
			clear(lanes[lane].flat)
		}
		for i := lane; i < len(batches) && ctx.Err() == nil; i += gradientLanes {
			g.passes[worker].run(&batches[i].packed, loss(i), lanes[lane])
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	total := lanes[0].flat
	stripes(len(g.passes), len(total), func(from, to int) {
		for _, l := range lanes[1:] {
			kernel.Axpy(1, l.flat[from:to], total[from:to])
		}
	})
	return lanes[0], nil
}

// score has every loss see its logits, without gradients.
func (g *gradients) score(ctx context.Context, batches []microBatch, loss func(i int) tokenLoss) error {
	parallel(len(g.passes), len(batches), func(worker, i int) {
		if ctx.Err() == nil {
			g.passes[worker].score(&batches[i].packed, loss(i).gradient)
		}
	})
	return ctx.Err()
}

// parallel calls f(worker, i) for every i below n on the given number of goroutines and waits for them.
func parallel(workers, n int, f func(worker, i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for w := range min(workers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	group.Wait()
}

// stripe is the number of elements of a vector that one goroutine takes at a time.
const stripe = 1 << 14

// stripes calls f for consecutive parts of [0, n) on the given number of goroutines. Parts begin at multiples
// of stripe, whatever the number of workers.
func stripes(workers, n int, f func(from, to int)) {
	parallel(workers, (n+stripe-1)/stripe, func(_, i int) {
		f(i*stripe, min(n, (i+1)*stripe))
	})
}
