package local

import "sync"

// cacheBlock holds the keys and values of one conversation, for up to capacity tokens. For every transformer
// block it has the keys, as [kv head][component][capacity], and then the values, as
// [kv head][capacity][component]: so laid out, scores and mixtures are products that read them in place.
type cacheBlock struct {
	capacity int
	data     []float32
}

// leastCapacity is the capacity of the smallest cache; larger ones double. It is a multiple of the width in
// which scores are computed.
const leastCapacity = 64

// layer returns the keys and values of transformer block i.
func (b *cacheBlock) layer(c *Config, i int) (keys, values []float32) {
	size := c.keyWidth() * b.capacity
	return b.data[2*i*size:][:size], b.data[(2*i+1)*size:][:size]
}

// cachePool recycles the caches of closed conversations.
type cachePool struct {
	config *Config
	mu     sync.Mutex
	free   map[int][]*cacheBlock // by capacity
}

func newCachePool(c *Config) *cachePool {
	return &cachePool{config: c, free: map[int][]*cacheBlock{}}
}

// get returns a cache for at least n tokens, with arbitrary finite contents.
func (p *cachePool) get(n int) *cacheBlock {
	capacity := leastCapacity
	for capacity < n {
		capacity *= 2
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.free[capacity]; len(free) > 0 {
		b := free[len(free)-1]
		p.free[capacity] = free[:len(free)-1]
		return b
	}
	return &cacheBlock{capacity: capacity, data: make([]float32, p.config.Layers*2*p.config.keyWidth()*capacity)}
}

// put takes a cache back; nil is allowed.
func (p *cachePool) put(b *cacheBlock) {
	if b == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[b.capacity] = append(p.free[b.capacity], b)
}

// ensure returns a cache for at least n tokens with the first used tokens of b, which may be nil and is taken
// back if it is too small.
func (p *cachePool) ensure(b *cacheBlock, used, n int) *cacheBlock {
	if b != nil && b.capacity >= n {
		return b
	}
	larger := p.get(n)
	if b != nil {
		larger.copyFirst(p.config, b, used)
		p.put(b)
	}
	return larger
}

// copyFirst copies the first n tokens of another cache, whose capacity may differ.
func (b *cacheBlock) copyFirst(c *Config, from *cacheBlock, n int) {
	for i := range c.Layers {
		fromKeys, fromValues := from.layer(c, i)
		keys, values := b.layer(c, i)
		for j := range c.keyWidth() {
			copy(keys[j*b.capacity:][:n], fromKeys[j*from.capacity:])
		}
		for h := range c.KVHeads {
			copy(values[h*b.capacity*c.HeadDim:][:n*c.HeadDim], fromValues[h*from.capacity*c.HeadDim:])
		}
	}
}
