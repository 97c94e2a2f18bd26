package corpus

import "spade"

// permutation is the order of one pass over the corpus.
type permutation struct {
	seed  uint64
	epoch int
	order []uint32
}

// At returns passage number draw >= 0 of the run with the given seed. Draws are without replacement until the
// corpus is used up; then the next pass begins, in a new order. The result depends on seed, draw and the
// corpus only, so that a resumed run needs no cursor.
func (c *Corpus) At(seed uint64, draw int) (spade.Passage, error) {
	return c.Passage(c.position(seed, draw))
}

// position returns which passage a draw takes.
func (c *Corpus) position(seed uint64, draw int) int {
	epoch := draw / c.Len()
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.permutation; p.order == nil || p.seed != seed || p.epoch != epoch {
		c.permutation = permutation{seed: seed, epoch: epoch, order: shuffled(seed, epoch, c.Len())}
	}
	return int(c.permutation.order[draw%c.Len()])
}

func shuffled(seed uint64, epoch, n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	spade.Stream(seed, epoch, 0, "corpus").Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// Coverage returns how many different passages the first draws took, and how many there are.
func (c *Corpus) Coverage(draws int) (used, total int) {
	return min(draws, c.Len()), c.Len()
}
