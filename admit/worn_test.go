package admit

import (
	"fmt"
	"testing"
	"time"

	"spade"
	"spade/sandbox"
)

// mill grinds at each step, and is not won by anything that admission tries.
const mill = `import random,time
class MillEnv:
 def reset(s,seed=None):
  s.t=0
  return f"mill {random.Random(seed).randrange(100)}: turn it up, down, left or right",{}
 def step(s,a):
  end=time.process_time()+GRIND
  while time.process_time()<end:pass
  word=RAISES
  if word and word in a:raise ValueError(a)
  s.t+=1
  return f"turn {s.t}: up, down, left or right",0.,False,s.t>24,{}
`

// TestWornOutIsNoHang: what admission itself asks for uses up the processor time of a process, which is no fault of an
// environment that answers in time.
func TestWornOutIsNoHang(t *testing.T) {
	for _, test := range []struct {
		name   string
		cpu    time.Duration
		grind  float64
		on     string // what it raises on
		codes  []spade.Code
		packed bool
	}{
		{"in what looks for exploits", 4 * time.Second, 0.004, "", nil, true},
		{"after the first seed", time.Second, 0.02, "", nil, false},
		{"after a fault on the first seed", time.Second, 0.08, "nan", []spade.Code{spade.Contract}, false},
		{"before anything is known", time.Second, 0.12, "", []spade.Code{spade.Contract}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			jail, err := sandbox.Open(t.Context(), sandbox.Config{Limits: sandbox.Limits{CPU: test.cpu}})
			if err != nil {
				t.Fatal(err)
			}
			defer jail.Close()
			source := change(t, mill, "GRIND", fmt.Sprint(test.grind), "RAISES", fmt.Sprintf("%q", test.on))
			result, err := New(jail, Default()).Judge(t.Context(), Candidate{Source: source}, nil)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, result.Verdict, test.codes)
			if test.codes == nil && (!warns(result.Verdict, "slow") || result.Verdict.Packed != test.packed) {
				t.Errorf("verdict %+v", result.Verdict)
			}
			if result.Process != nil {
				t.Error("a process that is worn out is handed on")
			}
		})
	}
}

func warns(v spade.Verdict, code string) bool {
	for _, w := range v.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}
