package library

import "strings"

// wording is another way to say what a mechanic says: pairs of old and new text in its source.
type wording []string

// wordings holds two other ways to speak for every mechanic. All words are known from elsewhere, so that what is new is
// what they mean: it has to be found out from what the environment says.
var wordings = map[string][2]wording{
	"table":  {{`" ask {i}"`, `" get {i}"`}, {`" ask {i}"`, `" at {i}"`}},
	"next":   {{`" after"`, `" ask"`}, {`" after"`, `" go"`}},
	"sum":    {{`" add {x}"`, `" in {x}"`}, {`" add {x}"`, `" to {x}"`}},
	"rank":   {{`" {x} {y} {z}"`, `" in {x} {y} {z}"`}, {`" {x} {y} {z}"`, `" {x} at {y} at {z}"`}},
	"stack":  {{`" pull"`, `" get"`, `" push "`, `" set "`}, {`" pull"`, `" out"`, `" push "`, `" in "`}},
	"alt":    {{`" {x} {y}"`, `" get {x} {y}"`}, {`" {x} {y}"`, `" {x} to {y}"`}},
	"walk":   {{`("west","east")`, `("left","right")`}, {`("west","east")`, `("down","up")`, ` goal {`, ` to {`}},
	"lag":    {{`" see "`, `" get "`}, {`" see "`, `" "`}},
	"tune":   {{` off {d}"`, ` add {d}"`}, {`" {x} off {d}"`, `" at {x} off {d}"`}},
	"tank":   {{`('out','in')`, `('down','up')`}, {`('out','in')`, `('pull','push')`}},
	"face":   {{"north east south west", "up right down left"}, {`(" right"," back"," left")`, `(" add"," off"," near")`}},
	"cell":   {{`" set {s.y}"`, `" push {s.y}"`, `" get"`, `" pull"`}, {`" get"`, `" ask"`, `" add {x}"`, `" in {x}"`}},
	"bounce": {{`" go"`, `" ask"`}, {`('down','up')`, `('west','east')`}},
	"duel":   {{"rock paper blade", "west south east"}, {`" "+s.w[i]`, `" see "+s.w[i]`}},
	"wheel":  {{`" back {x}"`, `" left {x}"`, `" ahead {x}"`, `" right {x}"`}, {`" back {x}"`, `" down {x}"`, `" ahead {x}"`, `" up {x}"`}},
	"gap":    {{`" to {s.x}"`, `" {s.x}"`}, {`" to {s.x}"`, `" at {s.x}"`}},
}

func (s *suiteMaker) wordings() {
	for i, m := range mechanics {
		for j, w := range wordings[m.name] {
			s.add(FamilyWording, func() Item {
				it := Sample(s.r, Options{Mechanic: m.name, Twist: Plain, Horizon: 4 + 2*((i+j)%3), Bare: true})
				for k := 0; k < len(w); k += 2 {
					it = it.edited(w[k], w[k+1])
				}
				if j == 1 {
					return it.edited(fullVerdict, strings.NewReplacer("ok", "up", "no", "down").Replace(fullVerdict))
				}
				return it
			})
		}
	}
}
