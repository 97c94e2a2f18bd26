package admit

import (
	"slices"
	"testing"

	"spade"
)

func TestHintsThatGiveAway(t *testing.T) {
	maze := readFile(t, "testdata/own/ok-first-keyword-counts.py")
	oven := readFile(t, "testdata/own/ok-heating-dose.py")
	sum := readFile(t, "testdata/own/ok-loses-one.py")
	tests := []struct {
		name, source, hint string
		leaks              bool
	}{
		{"advice", maze, "Walk east or west until the east distance is 0, then north or south.", false},
		{"a list of what can be done", maze, "You may go north, south, east or west; the first one named counts.", false},
		{"moves in a row", maze, "Go east, east, east, then north.", true},
		{"boxes", maze, `Say \boxed{west}, then \boxed{west}, then \boxed{north}.`, true},
		{"a formula", oven, "Burn one log, see how many degrees it gives, and divide what is missing by that.", false},
		{"a method with steps", oven, "First heat 1, then work out the gain, then heat the rest at once.", false},
		{"an answer announced", sum, "The answer is 124.", true},
		{"a sum of this seed", sum, "Think of 124 when you add.", true},
		{"hidden state", sum, "Compare with self.a and add.", true},
		{"code", sum, "It checks found = BOX.search(action) and then the sum.", true},
		{"a remark", sum, "The answer is the sum of both numbers.", false},
		{"a number of its own", sum, "Numbers are below 1000.", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := judgeCandidate(t, Candidate{Source: test.source, Hint: test.hint}, nil)
			expect(t, result.Verdict, nil)
			var codes []spade.Code
			if test.leaks {
				codes = []spade.Code{spade.HintLeak}
			}
			expect(t, *result.Hint, codes)
		})
	}
}

// relay takes three turns in an order that the seed decides.
const relay = `import random
class RelayEnv:
 def reset(s,seed=None):
  r=random.Random(seed);s.w=["red","blue","tan"];s.i=s.n=0
  if r.random()<.5:s.w=s.w[::-1]
  return "relay: name red, blue and tan in the right order",{}
 def solution(s):
  return s.w[s.i]
 def step(s,a):
  s.n+=1
  if a[7:-1]!=s.w[s.i]:return "no",0.,False,s.n>4,{}
  s.i+=1
  return "ok",float(s.i==3),s.i==3,False,{}
`

func TestAScriptThatWinsOnSomeSeeds(t *testing.T) {
	for hint, leaks := range map[string]bool{"Red first, blue after that, tan in the end.": true, "Blue stands in the middle, red or tan first.": false} {
		result := judgeCandidate(t, Candidate{Source: relay, Hint: hint}, nil)
		expect(t, result.Verdict, nil)
		if result.Hint.Admit == leaks {
			t.Errorf("hint %q: verdict %+v", hint, result.Hint)
		}
	}
}

// TestAScriptIsPlayedInAFreshProcess: an environment whose process did not survive the last part of the plan has its hint
// held against play all the same, and no dead process is handed on.
func TestAScriptIsPlayedInAFreshProcess(t *testing.T) {
	source := change(t, relay, " def step(s,a):\n", " def step(s,a):\n  if s.i>2:\n   import time;time.sleep(60)\n")
	result := judgeCandidate(t, Candidate{Source: source, Hint: "Red first, blue after that, tan in the end."}, nil)
	expect(t, result.Verdict, nil)
	expect(t, *result.Hint, []spade.Code{spade.HintLeak})
	if result.Process != nil {
		t.Error("a process is handed on")
	}
}

func TestNamedActions(t *testing.T) {
	actions := map[string]bool{"left": true, "right": true, "heat 50": true, "3": true}
	tests := []struct {
		text         string
		named, inRow []string
	}{
		{"Turn left, then right.", []string{"left", "right"}, nil},
		{"left, left and then RIGHT", []string{"left", "left", "right"}, []string{"left", "left", "right"}},
		{"left until the wall, then left", []string{"left", "left"}, nil},
		{"heat 50 and heat 50", []string{"heat 50", "heat 50"}, []string{"heat 50", "heat 50"}},
		{"leftover 33", nil, nil},
	}
	for _, test := range tests {
		named, inRow := namedActions(test.text, actions)
		if !slices.Equal(named, test.named) || !slices.Equal(inRow, test.inRow) {
			t.Errorf("namedActions(%q) = %q, %q; want %q, %q", test.text, named, inRow, test.named, test.inRow)
		}
	}
}
