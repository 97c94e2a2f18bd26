package local

import "spade"

// Weighted lays a conversation out as a document of the warm start: weights[i] is the weight of message i in the
// loss. Of the assistant's messages only what it would have sampled counts, not the opener that is fed.
func (f *Format) Weighted(messages []spade.Message, weights []float64, role spade.Role) (Document, error) {
	c := conversation{format: f, role: role}
	var err error
	if c.markup, err = markupOf(role); err != nil {
		return Document{}, err
	}
	var d Document
	for i, m := range messages {
		if err := c.add(messages[i : i+1]); err != nil {
			return Document{}, err
		}
		for k := len(d.Weights); k < len(c.tokens); k++ {
			weight := float32(weights[i])
			if m.Speaker == spade.Assistant && !c.isReply[k] {
				weight = 0
			}
			d.Weights = append(d.Weights, weight)
		}
	}
	d.Tokens = c.tokens
	return d, nil
}
