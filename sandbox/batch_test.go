package sandbox

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spade"
)

// counting ends its episodes after three steps, raises on "raise", and says in everything how often it was asked.
const counting = `
class CountingEnv:
    max_turns = 3
    def __init__(self):
        self.resets = self.asked = 0
    def reset(self, seed=None):
        if seed == 13:
            raise ValueError("thirteen")
        self.resets += 1
        self.t = 0
        return f"reset {self.resets} seed {seed}", {}
    def step(self, action):
        self.t += 1
        if action == "raise":
            raise ValueError("raised")
        return f"{action} {self.t}", self.t / 4, self.t == 3, action == "stop", {"t": self.t}
    def solution(self):
        self.asked += 1
        return f"asked {self.asked} at {self.t}"
`

// told writes down what came of operations, one a line.
type told []string

func (t *told) reset(r *Reply[Observation])  { *t = append(*t, line(r.Value.Text, r.Fault, r.LeftOut)) }
func (t *told) solution(r *Reply[Solution])  { *t = append(*t, line(r.Value.Text, r.Fault, r.LeftOut)) }
func (t *told) step(r *Reply[Step])          { *t = append(*t, line(stepText(r.Value), r.Fault, r.LeftOut)) }
func (t *told) single(text string, f *Fault) { *t = append(*t, line(text, f, false)) }
func stepText(s Step) string {
	return fmt.Sprint(s.Observation, s.Reward, s.Terminated, s.Truncated, s.Info)
}
func line(text string, f *Fault, left bool) string {
	switch {
	case left:
		return "left out"
	case f != nil:
		return fmt.Sprintf("%s in %s: %s", f.Outcome, f.Phase, f.Message)
	}
	return text
}

// checkBatch has batches do what single calls do, in one frame and in several.
func checkBatch(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, counting)
	const episodes = 40 // more operations than one frame carries
	single := instance(t, p)
	var want, got told
	for seed := range int64(episodes) {
		first, fault, err := single.Reset(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		want.single(first.Text, fault)
		for range 2 {
			if fault != nil {
				want = append(want, "left out", "left out")
				continue
			}
			said, none, err := single.Solution(t.Context())
			if none != nil || err != nil {
				t.Fatal(none, err)
			}
			want.single(said.Text, nil)
			step, none, err := single.Step(t.Context(), "go")
			if none != nil || err != nil {
				t.Fatal(none, err)
			}
			want.single(stepText(step), nil)
		}
	}
	b := p.Batch()
	i := b.New(0)
	var replies []func()
	for seed := range int64(episodes) {
		first := b.Reset(i, seed)
		replies = append(replies, func() { got.reset(first) })
		for range 2 {
			said, step := b.Solution(i), b.Step(i, "go")
			replies = append(replies, func() { got.solution(said); got.step(step) })
		}
	}
	b.Close(i)
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, read := range replies {
		read()
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if i.MaxTurns() != 3 {
		t.Errorf("max_turns is %d", i.MaxTurns())
	}
	if _, fault, _ := i.Step(t.Context(), "go"); fault == nil {
		t.Error("a closed instance answers")
	}
}

// checkBatchEnds looks at what is left out: what follows the end of an episode or a fault, for that instance only.
func checkBatchEnds(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, counting)
	for _, test := range []struct {
		name    string
		actions []string
		want    []string
	}{
		{"terminated", []string{"a", "b", "c", "d"}, []string{"a 1", "b 2", "c 3", "left out"}},
		{"truncated", []string{"a", "stop", "c"}, []string{"a 1", "stop 2", "left out"}},
		{"fault", []string{"a", "raise", "c"}, []string{"a 1", "env_error in step", "left out"}},
	} {
		b := p.Batch()
		i, beside := b.New(0), b.New(0)
		b.Reset(i, 1)
		b.Reset(beside, 1)
		var steps, others []*Reply[Step]
		for _, action := range test.actions {
			steps, others = append(steps, b.Step(i, action)), append(others, b.Step(beside, "x"))
		}
		said := b.Solution(i)
		again := b.Reset(i, 2)
		after := b.Step(i, "new")
		if err := b.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n, step := range steps {
			if got := line(step.Value.Observation, step.Fault, step.LeftOut); !strings.HasPrefix(got, test.want[n]) {
				t.Errorf("%s: step %d gave %s, want %s", test.name, n, got, test.want[n])
			}
			if other := others[n]; other.LeftOut != (n == 3) {
				t.Errorf("%s: step %d of the instance beside it: %+v", test.name, n, *other)
			}
		}
		if !said.LeftOut || again.Value.Text != "reset 2 seed 2" || after.Value.Observation != "new 1" {
			t.Errorf("%s: then %+v, %+v, %+v", test.name, *said, *again, *after)
		}
		if step, fault, err := i.Step(t.Context(), "stop"); step.Observation != "stop 2" || fault != nil || err != nil {
			t.Errorf("%s: then %v, %v, %v", test.name, step, fault, err)
		}
		if step, fault, err := i.Step(t.Context(), "on"); step.Observation != "on 3" || fault != nil || err != nil {
			t.Errorf("%s: a single step after the end gave %v, %v, %v", test.name, step, fault, err)
		}
	}
}

// checkBatchFaults looks at instances that cannot be made, and at a process that ends.
func checkBatchFaults(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, "class NeverEnv:\n    def __init__(self): raise ValueError('never')\n    def reset(self, seed=None): return '', {}\n    def step(self, a): return '', 0.0, True, False, {}\n")
	b := p.Batch()
	i := b.New(0)
	first, step := b.Reset(i, 1), b.Step(i, "x")
	b.Close(i)
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, fault := range []*Fault{first.Fault, step.Fault} {
		if fault == nil || fault.Phase != "construct" || fault.Message != "ValueError: never" || !p.Alive() {
			t.Errorf("an instance that cannot be made: %v, alive %v", fault, p.Alive())
		}
	}
	p = load(t, s, misbehaving("os._exit(3)"))
	b = p.Batch()
	i = b.New(0)
	first, step = b.Reset(i, 1), b.Step(i, "x")
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first.Fault == nil || step.Fault == nil || step.Fault.Outcome != spade.EnvExit || p.Alive() {
		t.Errorf("a process that ends: %v, %v, alive %v", first.Fault, step.Fault, p.Alive())
	}
}

// checkBatchLeftOut has a batch whose later frames hold nothing that is to be performed.
func checkBatchLeftOut(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, counting)
	b := p.Batch()
	i := b.New(0)
	b.Reset(i, 1)
	var steps []*Reply[Step]
	for range 3 * batchLimit {
		steps = append(steps, b.Step(i, "go"))
	}
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n, step := range steps {
		if step.Fault != nil || step.LeftOut != (n >= 3) {
			t.Fatalf("step %d: %+v", n, *step)
		}
	}
	if first, fault, err := i.Reset(t.Context(), 2); first.Text != "reset 2 seed 2" || fault != nil || err != nil {
		t.Errorf("the next call: %+v, %v, %v", first, fault, err)
	}
}

// checkBatchHangs: the fault of a batch that is not answered names the limit that a person has set.
func checkBatchHangs(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, misbehaving("time.sleep(60)"))
	b := p.Batch()
	i := b.New(0)
	b.Reset(i, 1)
	step := b.Step(i, "x")
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if step.Fault == nil || step.Fault.Outcome != spade.WallTimeout || step.Fault.Message != "no answer within 1s" {
		t.Errorf("got %v", step.Fault)
	}
}
