package selfplay

import (
	"strings"
	"testing"

	"spade"
)

// TestNearDuplicates: an environment in other words and with an idle line more is refused where the configuration asks for
// that, as one of memory or of an earlier slot; another task in the same shell is not.
func TestNearDuplicates(t *testing.T) {
	disguised := strings.NewReplacer("CopyEnv", "ParrotEnv", "Remember ", "Parrots say ", "self.turn = 0", "self.turn = 0\n        spare = 3").
		Replace(source(0))
	for _, refuse := range []bool{true, false} {
		cfg := small(2)
		cfg.Environments, cfg.Admit.NearDuplicates = 2, refuse
		r, _ := runLoop(t, cfg, newModel(func(draw int, _ []spade.Message) string {
			return written([]string{source(0), disguised, strings.Replace(disguised, "spare = 3", "spare = 4 + 4", 1), source(180000)}[draw%4])
		}))
		second, third, fourth := r.cycles[1].Designs[1].Verdict, r.cycles[2].Designs[0].Verdict, r.cycles[2].Designs[1].Verdict
		for _, v := range []spade.Verdict{second, third} {
			if v.Admit == refuse || v.Has(spade.Duplicate) != refuse {
				t.Errorf("near-duplicates refused %v: verdict %+v", refuse, v)
			}
			if refuse && v.Reasons[0].Evidence.Literal != spade.ContentID(source(0)) {
				t.Errorf("the evidence %+v does not name the first", v.Reasons[0].Evidence)
			}
		}
		if !fourth.Admit {
			t.Errorf("verdict on another one: %+v", fourth)
		}
	}
}
