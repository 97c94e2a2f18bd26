package admit

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"spade"
)

// crane is of the size that the embedded model writes.
const crane = `import random
class CraneEnv:
 def reset(s,seed=None):
  r=s.r=random.Random(seed);s.t=0;s.L=6;s.b=2
  s.m=8;s.y=r.randrange(s.m)
  return f"crane mod {s.m} at {s.y}"+s.q(),{}
 def q(s):
  x=s.r.randrange(1,4);s.y=(s.y+x)%s.m;s.c=str(s.y)
  return f" add {x}"
 def solution(s):
  return s.c
 def step(s,a):
  c=s.c;a=a[7:-1];s.t+=1;s.b-=a!=c
  if s.b<1:return "lost",0.,True,False,{}
  if s.t==s.L:return "won",1.,True,False,{}
  return ("ok" if a==c else "no "+c)+s.q(),0.,False,False,{}
`

// change replaces parts of source, each of which must be there.
func change(t *testing.T, source string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(source, pairs[i]) {
			t.Fatalf("%q is not in the source", pairs[i])
		}
		source = strings.Replace(source, pairs[i], pairs[i+1], 1)
	}
	return source
}

func TestSmallEnvironments(t *testing.T) {
	withoutSolution := []string{" def solution(s):\n  return s.c\n", ""}
	tests := []struct {
		name    string
		changes []string
		codes   []spade.Code
	}{
		{"sound", nil, nil},
		{"without solution()", withoutSolution, nil},
		{"another name", []string{"class CraneEnv", "class Crane"}, []spade.Code{spade.Contract}},
		{"state outlives an episode", []string{"s.b=2\n", "s.b=2;CraneEnv.n=getattr(CraneEnv,'n',0)+1\n", "at {s.y}", "at {s.y}/{CraneEnv.n}"}, []spade.Code{spade.Nondeterministic}},
		{"reset keeps state", []string{"s.b=2\n", "s.b=2;s.n=getattr(s,'n',0)+1\n", "at {s.y}", "at {s.y}/{s.n}"}, []spade.Code{spade.Nondeterministic}},
		{"reset forgets the turn", []string{"s.t=0;s.L", "s.t=getattr(s,'t',0);s.L", "at {s.y}", "at {s.y}/{s.t}"}, []spade.Code{spade.Nondeterministic}},
		{"an address in a text", []string{`"ok" if`, `str(id(s)) if`, "randrange(1,4)", "randrange(1,4)+id(s)%5"}, []spade.Code{spade.Nondeterministic}},
		{"draws without a seed", []string{"x=s.r.randrange", "x=random.randrange"}, []spade.Code{spade.UnseededGlobalState}},
		{"module generator seeded in reset", []string{"r=s.r=random.Random(seed)", "random.seed(seed);r=s.r=random"}, nil},
		{"an action hangs", []string{"c=s.c;", "c=s.c\n  while a=='\\\\boxed{nan}':pass\n  "}, []spade.Code{spade.Hang}},
		{"step raises on text", []string{"s.b-=a!=c", "s.b-=int(a)!=int(c)"}, []spade.Code{spade.Contract}},
		{"solution() raises", []string{"return s.c", "return s.nothing"}, []spade.Code{spade.Contract}},
		{"solution() loses", []string{"return s.c", "return s.c+'0'"}, []spade.Code{spade.Unsolvable}},
		{"solution() wins on the last permitted turn", []string{"s.L=6", "s.L=25"}, nil},
		{"longer than the budget", []string{"s.L=6", "s.L=26"}, []spade.Code{spade.Unsolvable}},
		{"reward of ten", []string{`"won",1.`, `"won",10.`}, []spade.Code{spade.RewardRange}},
		{"reward is a text", []string{`"won",1.`, `"won","1"`}, []spade.Code{spade.Contract}},
		{"reward is nothing", []string{`"won",1.`, `"won",None`}, []spade.Code{spade.Contract}},
		{"large shaping", []string{`s.q(),0.,False`, `s.q(),5.,False`}, nil},
		{"huge shaping", []string{`s.q(),0.,False`, `s.q(),50.,False`}, []spade.Code{spade.RewardRange}},
		{"reads a file that is not there", []string{"s.t=0", "s.t=0;__builtins__['op'+'en']('x')"}, []spade.Code{spade.HiddenIO}},
		{"imports by name", []string{"s.t=0", "s.t=0;__import__('socket')"}, []spade.Code{spade.ForbiddenImport}},
		{"truncated is a number", []string{`1.,True,False`, `1.,True,0`}, []spade.Code{spade.Contract}},
		{"leaves", []string{"c=s.c;", "c=s.c;import sys;sys.exit(0);"}, []spade.Code{spade.Contract}},
		{"reset ignores its seed", append([]string{"Random(seed)", "Random(5)"}, withoutSolution...), []spade.Code{spade.Trivial}},
		{"the same actions win", []string{"s.c=str(s.y)", "s.c='4'"}, []spade.Code{spade.Trivial}},
		{"no class", []string{"class CraneEnv:", "class Crane(int):", "def reset", "def restart"}, []spade.Code{spade.LoadError}},
		{"empty", []string{crane, "# nothing\n"}, []spade.Code{spade.LoadError}},
		{"too long", []string{"import random\n", "import random\nx='" + strings.Repeat("a", maxSource) + "'\n"}, []spade.Code{spade.LoadError}},
		{"opens a file", []string{"s.t=0", "s.t=0;open('x','w')"}, []spade.Code{spade.HiddenIO}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := change(t, crane, test.changes...)
			expect(t, judgeCandidate(t, Candidate{Source: source}, nil).Verdict, test.codes)
		})
	}
}

func TestASleeperHangs(t *testing.T) {
	t.Parallel()
	source := change(t, crane, "c=s.c;", "c=s.c;import time;time.sleep(60);")
	expect(t, judgeCandidate(t, Candidate{Source: source}, nil).Verdict, []spade.Code{spade.Hang})
}

func TestSharedStateIsPlayedApart(t *testing.T) {
	// The question is kept in the class: sound only while one episode runs at a time.
	source := change(t, crane, "s.c=str(s.y)", "CraneEnv.c=str(s.y)")
	result := judgeCandidate(t, Candidate{Source: source}, nil)
	expect(t, result.Verdict, nil)
	if result.Verdict.Packed || result.Process != nil {
		t.Errorf("its episodes may share a process: %+v", result)
	}
	if len(result.Verdict.Warnings) != 1 || result.Verdict.Warnings[0].Code != "shared_state" {
		t.Errorf("warnings %+v", result.Verdict.Warnings)
	}
}

func TestResultOfASoundEnvironment(t *testing.T) {
	result := judgeCandidate(t, Candidate{Source: crane, Hint: "keep the sum"}, nil)
	expect(t, result.Verdict, nil)
	if result.Class != "CraneEnv" || result.Kind != spade.Game || result.Process == nil || !result.Verdict.Packed {
		t.Errorf("result %+v", result)
	}
	if len(result.Verdict.Warnings) != 0 || result.Hint == nil || !result.Hint.Admit {
		t.Errorf("warnings %+v, hint %+v", result.Verdict.Warnings, result.Hint)
	}
}

func TestWitness(t *testing.T) {
	unsolved := change(t, crane, " def solution(s):\n  return s.c\n", "")
	tests := []struct {
		name, source string
		warns        bool
	}{
		{"found by search", unsolved, false},
		{"out of its reach", change(t, unsolved, "s.c=str(s.y)", "s.c='x'*(3+s.y)", `"no "+c`, `"no"`), true},
		{"found by adding up", readFile(t, "testdata/own/ok-without-solution.py"), false},
	}
	for _, test := range tests {
		v := judgeCandidate(t, Candidate{Source: test.source}, nil).Verdict
		expect(t, v, nil)
		if warns := len(v.Warnings) == 1 && v.Warnings[0].Code == "no_witness"; warns != test.warns || len(v.Warnings) > 1 {
			t.Errorf("%s: warnings %+v, want no_witness: %v", test.name, v.Warnings, test.warns)
		}
	}
}

func TestVerdictsAreReproducible(t *testing.T) {
	for _, changes := range [][]string{nil, {"x=s.r.randrange", "x=s.r.choice(list({'a','b','c'}));x=s.r.randrange"}, {"s.b-=a!=c", "s.b-=int(a)!=1"}} {
		source := change(t, crane, changes...)
		first := judgeCandidate(t, Candidate{Source: source}, nil).Verdict
		second := judgeCandidate(t, Candidate{Source: source}, nil).Verdict
		if !reflect.DeepEqual(first, second) {
			t.Errorf("two verdicts on one source:\n%+v\n%+v", first, second)
		}
	}
}

func TestGrounding(t *testing.T) {
	tests := []struct {
		passage string
		minimum int
		codes   []spade.Code
	}{
		{"A crane adds load after load until it has won.", 2, nil},
		{"Ocean tides follow the moon.", 2, []spade.Code{spade.OffTopic}},
		{"Ocean tides follow the moon.", 0, nil},
		{"Crane!", 2, nil},
	}
	for _, test := range tests {
		config := Default()
		config.MinOverlap = test.minimum
		candidate := Candidate{Source: crane, Passage: &spade.Passage{Text: test.passage}}
		result, err := New(jail, config).Judge(t.Context(), candidate, nil)
		if err != nil {
			t.Fatal(err)
		}
		closeProcess(result.Process)
		expect(t, result.Verdict, test.codes)
		if g := result.Grounding; g == nil || g.Words == 0 || g.Least > test.minimum {
			t.Errorf("%q with a minimum of %d: grounding %+v", test.passage, test.minimum, g)
		}
	}
}

func TestEvidenceShowsTheDifference(t *testing.T) {
	source := readFile(t, "testdata/cases/set-order/input.py")
	evidence := judgeCandidate(t, Candidate{Source: source}, nil).Verdict.Reasons[0].Evidence
	if evidence.Seed == nil || len(evidence.First) == 0 || reflect.DeepEqual(evidence.First, evidence.Second) {
		t.Errorf("evidence %+v shows no difference", evidence)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(jail, Default()).Judge(ctx, Candidate{Source: crane}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
