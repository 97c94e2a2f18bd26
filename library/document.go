package library

import (
	"math/rand/v2"

	"spade"
)

// Document is one conversation to warm the embedded model up with.
type Document struct {
	Role     spade.Role
	Messages []spade.Message
	// Weights holds the weight of each message's tokens in the loss: 1 for replies, 0.1 for the observations
	// that answer them, 0 for the rest.
	Weights []float64
}

func (d *Document) add(speaker spade.Speaker, name, content string, weight float64) {
	d.Messages = append(d.Messages, spade.Message{Speaker: speaker, Name: name, Content: content})
	d.Weights = append(d.Weights, weight)
}

// The mixture of the warm start. Shares are of documents; those of designs and hinted play are of all, the
// others of what their name says.
const (
	designShare     = 0.15
	hintedShare     = 0.3
	ungroundedShare = 0.15 // designs without a passage
	rememberedShare = 0.5  // designs that see an earlier environment
	retoldShare     = 0.5  // grounded designs whose passage is retold
	heldOutWords    = 0.06 // plays with the words of a held-out theme
	hintedTwists    = 0.65 // hinted plays under a twist

	// What follows an earlier environment with a twist has one itself more often than what follows a plain one.
	twistAfterTwist = 0.75
	twistAfterPlain = 0.25

	playContinue       = 0.8
	rememberedContinue = 0.85
	leastSlip          = 0.05
	mostSlip           = 0.25
	observationWeight  = 0.1
)

// Documents returns document i of the warm start, a function of its arguments only. The passages must have the
// metadata "topic" and "skill" of the built-in corpus; with no passages all designs are ungrounded.
func Documents(seed uint64, i int, passages []spade.Passage) Document {
	r := spade.Stream(seed, 0, i, "library document")
	switch kind := r.Float64(); {
	case kind < designShare:
		return designDocument(r, passages)
	default:
		return playDocument(r, kind < designShare+hintedShare)
	}
}

func playDocument(r *rand.Rand, hinted bool) Document {
	o := Options{Mechanic: mechanics[r.IntN(len(mechanics))].name, Continue: playContinue}
	if r.Float64() < heldOutWords {
		held := themesFor(true)
		o.Topic = held[r.IntN(len(held))].Topic
	}
	if hinted && r.Float64() < hintedTwists {
		o.Twist = anyTwist(r, o.Mechanic)
	}
	it := Sample(r, o)
	p := player{hinted: hinted, slip: leastSlip + (mostSlip-leastSlip)*r.Float64()}
	d := Document{Role: spade.Agent}
	for i, t := range p.play(r, &it).turns {
		weight := observationWeight
		if i == 0 {
			weight = 0
		}
		d.add(spade.User, spade.NameObservation, t.observation, weight)
		if i == 0 && hinted {
			d.add(spade.User, spade.NameHint, it.Hint, 0)
		}
		d.add(spade.Assistant, "", boxOpen+t.action+boxClose, 1)
	}
	return d
}

func designDocument(r *rand.Rand, passages []spade.Passage) Document {
	var o Options
	text := ""
	if len(passages) > 0 && r.Float64() >= ungroundedShare {
		text, o.Topic, o.Mechanic = ground(r, passages)
	} else {
		o.Mechanic = mechanics[r.IntN(len(mechanics))].name
	}
	d := Document{Role: spade.Designer}
	if r.Float64() < rememberedShare {
		earlier, decile := remembered(r, o.Mechanic), r.IntN(10)
		follow(r, &o, earlier, decile)
		d.add(spade.User, spade.NameMemory, MemoryText(earlier.Source, (float64(decile)+0.5)/10), 0)
	}
	if text != "" {
		d.add(spade.User, spade.NamePassage, text, 0)
	}
	it := Sample(r, o)
	d.add(spade.Assistant, "", Reply(it.Source, it.Hint), 1)
	return d
}

// ground draws a passage, as it stands or retold, with the topic and the mechanic that it calls for.
func ground(r *rand.Rand, passages []spade.Passage) (text, topic, mechanic string) {
	p := passages[r.IntN(len(passages))]
	topic, _ = p.Meta["topic"].(string)
	if r.Float64() >= retoldShare {
		return p.Text, topic, p.Skill()
	}
	text, topic = retell(r, p.Text, topic)
	return text, topic, p.Skill()
}

// remembered draws an environment that a designer is shown: longer ones than a designer without memory writes.
func remembered(r *rand.Rand, mechanic string) Item {
	o := Options{Mechanic: mechanic, Twist: Plain}
	least := 1
	if r.Float64() < twistShare {
		o.Twist, least = anyTwist(r, mechanic), leastTwisted
	}
	o.Horizon = drawHorizon(r, rememberedContinue, least, MaxHorizon)
	return Sample(r, o)
}

// follow fixes horizon and twist of a design that follows an earlier one with the win rate in tenths.
func follow(r *rand.Rand, o *Options, earlier Item, decile int) {
	o.Horizon, o.Twist = nextHorizon(r, earlier.Horizon, decile), Plain
	share := twistAfterPlain
	if earlier.Twist != Plain {
		share = twistAfterTwist
	}
	if r.Float64() < share && o.Horizon >= leastTwisted {
		o.Twist = anyTwist(r, o.Mechanic)
	}
}

// nextHorizon draws the horizon of a design that follows one of the given horizon with the win rate in tenths:
// near it, rather longer than shorter, longer still after wins and shorter after losses.
func nextHorizon(r *rand.Rand, horizon, decile int) int {
	next := horizon + r.IntN(6) - 2
	switch {
	case decile >= 7:
		next++
	case decile <= 2:
		next--
	}
	return min(max(next, 1), MaxHorizon)
}
