package selfplay

import (
	"fmt"
	"slices"

	"spade"
)

// noWitness is the warning of admission that it has seen nobody win.
const noWitness = "no_witness"

// secondVerdict refuses an environment after its plays if admission had no witness for it and neither arm ever
// won: nothing shows that it can be won at all.
func secondVerdict(f *inForce) {
	d := f.Design
	if d == nil || !f.inPlay() || !slices.ContainsFunc(d.Verdict.Warnings, func(w spade.Warning) bool { return w.Code == noWitness }) {
		return
	}
	played := 0
	for i := range f.Plays {
		if f.Plays[i].Won() {
			return
		}
		if f.Plays[i].Counts() {
			played++
		}
	}
	if played == 0 {
		return
	}
	d.Verdict.Admit, d.Verdict.Stage = false, "play"
	d.Verdict.Reasons = append(slices.Clone(d.Verdict.Reasons), spade.Reason{
		Code:   spade.Unsolvable,
		Detail: fmt.Sprintf("no witness was found at admission, and none of %d episodes in either arm was won", played),
	})
}
