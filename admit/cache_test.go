package admit

import (
	"fmt"
	"reflect"
	"testing"

	"spade"
)

func TestASourceIsRunOnce(t *testing.T) {
	auditor := &scribe{answer: `{"admit": true}`}
	admission := New(jail, Default()).Audited(auditor)
	judge := func(c Candidate) Result {
		t.Helper()
		result, err := admission.Judge(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		closeProcess(result.Process)
		return result
	}
	first := judge(Candidate{Source: crane, Hint: "keep the sum"})
	again := judge(Candidate{Source: crane, Hint: "The answer is 5."})
	if auditor.asked != 1 || again.Process != nil {
		t.Errorf("asked %d times, process %v: the source was run again", auditor.asked, again.Process)
	}
	if !reflect.DeepEqual(first.Verdict, again.Verdict) || again.Class != first.Class || again.Kind != first.Kind {
		t.Errorf("kept result %+v, first %+v", again, first)
	}
	if !first.Hint.Admit || again.Hint.Admit {
		t.Errorf("hints %+v, %+v: each hint has to be judged", first.Hint, again.Hint)
	}
	other := judge(Candidate{Source: crane, Passage: &spade.Passage{Text: "Ocean tides follow the moon."}})
	expect(t, other.Verdict, []spade.Code{spade.OffTopic})
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache()
	for i := range cacheSize + 5 {
		c.put(fmt.Sprint(i), &judged{})
	}
	if c.get("4") != nil || c.get("5") == nil || len(c.entries) != cacheSize {
		t.Errorf("%d entries, oldest kept: %v", len(c.entries), c.get("4") != nil)
	}
}
