package admit

import (
	"sync"

	"spade"
	"spade/sandbox"
)

// judged is what an Admission keeps of a source that it has run. Neither passage, hint nor pool have a part in it.
type judged struct {
	class string
	kind  spade.Kind
	// fault is why the source could not be loaded; nil if it could.
	fault *sandbox.Fault
	// costs is what it has just cost to play it, nil if that was earlier.
	costs []Cost
	// verdict is that of the survey's stages, evidence what hints are held against.
	verdict  spade.Verdict
	evidence *evidence
}

// cacheSize bounds the sources that are kept. A run judges few sources again, and soon.
const cacheSize = 128

// cache keeps the newest judgements by environment id. It is safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	entries map[string]*judged
	order   []string
}

func newCache() *cache { return &cache{entries: make(map[string]*judged)} }

func (c *cache) get(id string) *judged {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[id]
}

// put keeps j without its costs.
func (c *cache) put(id string, j *judged) {
	kept := *j
	kept.costs = nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[id] == nil {
		c.order = append(c.order, id)
	}
	c.entries[id] = &kept
	if len(c.order) > cacheSize {
		delete(c.entries, c.order[0])
		c.order = c.order[1:]
	}
}

// forHints returns the part of the evidence that hints are held against.
func (e *evidence) forHints() *evidence {
	part := &evidence{kind: e.kind, tokens: e.tokens, packed: e.packed, plain: &view{looks: e.plain.looks}}
	for _, ep := range e.plain.order {
		if ep.player == solver || ep.player == fuzzPlayer {
			part.plain.order = append(part.plain.order, ep)
		}
	}
	return part
}
