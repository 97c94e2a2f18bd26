package selfplay

import (
	"context"
	"slices"
	"sync"

	"spade"
	"spade/admit"
	"spade/diversity"
)

// claims tells admission which sources exist already. Slots of one cycle run at the same time; that the earlier
// slot owns a source which two of them wrote must not depend on which was faster, so a slot that asks waits
// until every slot before it has shown its first answer.
type claims struct {
	known map[string]string // fingerprint → environment id, from before this cycle
	near  []diversity.Known // what a source must not be near to, from before this cycle
	first []claim           // by slot; valid once the slot's shown is closed
}

type claim struct {
	print, id, source string
	shown             chan struct{}
	once              *sync.Once
}

// newClaims returns the claims of a cycle whose designing slots are numbered from 0.
func newClaims(known map[string]string, near []diversity.Known, slots int) *claims {
	c := &claims{known: known, near: near, first: make([]claim, slots)}
	for i := range c.first {
		c.first[i] = claim{shown: make(chan struct{}), once: new(sync.Once)}
	}
	return c
}

// claim returns the index that a slot's source is to be judged against: everything known before the cycle and
// the first answers of earlier slots. The slot's own first answer is put down on the way.
func (c *claims) claim(ctx context.Context, slot int, source string) (admit.Index, error) {
	fingerprint := admit.Fingerprint(source)
	own := &c.first[slot]
	own.once.Do(func() {
		own.print, own.id, own.source = fingerprint, spade.ContentID(source), source
		close(own.shown)
	})
	ruling := taken{print: fingerprint, by: c.known[fingerprint], near: c.near}
	for i := range c.first[:slot] {
		select {
		case <-c.first[i].shown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if ruling.by == "" && c.first[i].print == fingerprint {
			ruling.by = c.first[i].id
		}
		if earlier := c.first[i]; earlier.id != "" {
			ruling.earlier = append(ruling.earlier, earlier)
		}
	}
	return ruling, nil
}

// pass says that a slot will show no first answer, so that nobody waits for it. It does nothing for a slot that
// has shown one.
func (c *claims) pass(slot int) {
	own := &c.first[slot]
	own.once.Do(func() { close(own.shown) })
}

// taken is the index of one source: it has been seen if somebody owns it.
type taken struct {
	print, by string
	near      []diversity.Known
	earlier   []claim
}

// Seen implements admit.Index.
func (t taken) Seen(fingerprint string) (id string, ok bool) {
	if fingerprint != t.print || t.by == "" {
		return "", false
	}
	return t.by, true
}

// Near implements admit.Index.
func (t taken) Near(source string, behaviour func(string) ([]string, error)) (string, float64, error) {
	known := slices.Clone(t.near)
	for _, c := range t.earlier {
		known = append(known, diversity.NewKnown(c.id, c.source))
	}
	k, resemblance, err := diversity.Nearest(source, known, behaviour)
	return k.ID, resemblance, err
}
