package admit

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spade"
)

func TestLex(t *testing.T) {
	tests := []struct {
		name, source string
		want         []string
	}{
		{"comment and continuation", "a = 1 + \\\n  2  # b\n", []string{"a", "=", "1", "+", "2"}},
		{"strings", `x = r'\d' + "it's"`, []string{"x", "=", `\d`, "+", "it's"}},
		{"triple quotes", "'''a\n'b'\n'''\nc", []string{"a\n'b'\n", "c"}},
		{"formatted", `f"at {s.y:>3} of {{n}}"`, []string{"at {} of {n}", "s", ".", "y", ":", ">", "3"}},
		{"unclosed string", "a = 'b\nc", []string{"a", "=", "b", "c"}},
		{"unclosed bracket in text", `f"{a`, []string{"{}", "a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, token := range lex(test.source) {
				got = append(got, token.text)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("lex(%q) = %q, want %q", test.source, got, test.want)
			}
		})
	}
}

func FuzzLex(f *testing.F) {
	f.Add("class A:\n def f(s, x={'a': f\"{s.b}\"}):\n  return x # y\n")
	f.Add("f'{{{a}}}' \"\"\"")
	f.Add("\\\n\t'\\")
	f.Fuzz(func(t *testing.T, source string) {
		for _, line := range logicalLines(withoutMain(lex(source))) {
			if len(line) == 0 {
				t.Fatal("an empty logical line")
			}
		}
		if a, b := Fingerprint(source), Fingerprint(source); a != b {
			t.Fatalf("two fingerprints of one source: %s, %s", a, b)
		}
	})
}

func TestFingerprint(t *testing.T) {
	const source = "import random\nclass AEnv:\n  def step(s, a):\n    x = a + 'lit'\n    return (x, 1)\n"
	tests := []struct {
		name, other string
		same        bool
	}{
		{"names", strings.NewReplacer("x", "y", "AEnv", "BEnv").Replace(source), true},
		{"comments and layout", strings.ReplaceAll(source, "    ", "        ") + "\n# end\n", true},
		{"docstring and imports", "\"\"\"doc\"\"\"\nimport re\n" + source, true},
		{"quotes and parentheses", strings.NewReplacer("'lit'", `"lit"`, "(x, 1)", "x, 1").Replace(source), true},
		{"a demo under the main guard", source + "if __name__ == '__main__':\n  print(1)\n", true},
		{"another number", strings.Replace(source, "1)", "2)", 1), false},
		{"another text", strings.Replace(source, "lit", "lot", 1), false},
		{"two names for one", strings.Replace(source, "return (x", "return (a", 1), false},
	}
	for _, test := range tests {
		if got := Fingerprint(test.other) == Fingerprint(source); got != test.same {
			t.Errorf("%s: same = %v, want %v", test.name, got, test.same)
		}
	}
}

func TestImportReasons(t *testing.T) {
	tests := []struct {
		source   string
		code     spade.Code // "" where nothing is found
		evidence string
	}{
		{"import subprocess", spade.ForbiddenImport, "subprocess"},
		{"import re, socket as s", spade.ForbiddenImport, "socket"},
		{"from urllib.request import urlopen", spade.ForbiddenImport, "urllib.request"},
		{"from concurrent import futures", spade.ForbiddenImport, "concurrent.futures"},
		{"def f():\n import ctypes.util", spade.ForbiddenImport, "ctypes.util"},
		{"import tempfile", spade.HiddenIO, "tempfile"},
		{"with open('x') as f: pass", spade.HiddenIO, "open()"},
		{"k = os.environ['K']", spade.HiddenIO, "os.environ"},
		{"Path('a').write_text('b')", spade.HiddenIO, "write_text()"},
		{"os.system('ls')", spade.ForbiddenImport, "os.system"},
		{"import_module('socket')", spade.ForbiddenImport, "socket"},
		{"np.save('x', a)", spade.HiddenIO, "np.save"},
		{"io.open('x')", spade.HiddenIO, "io.open"},
		{"import random, re\nfrom math import *", "", ""},
		{"from http import HTTPStatus\nfrom urllib.parse import quote", "", ""},
		{"class A:\n def open(self): self.open()\n", "", ""},
		{"x = 'open(1)' # open(2)", "", ""},
		{"if __name__ == '__main__':\n open('x')\n", "", ""},
		{"socket = 1; signal = socket", "", ""},
	}
	for _, test := range tests {
		reasons := importReasons(withoutMain(lex(test.source)))
		if test.code == "" {
			if len(reasons) > 0 {
				t.Errorf("%q: reasons %+v, want none", test.source, reasons)
			}
			continue
		}
		if len(reasons) == 0 || reasons[0].Code != test.code || reasons[0].Evidence.Literal != test.evidence {
			t.Errorf("%q: reasons %+v, want %s for %s", test.source, reasons, test.code, test.evidence)
		}
	}
}

func TestMeasureGrounding(t *testing.T) {
	const passage = "The crane swings its load over the yard; hoisting and lowering are done by the crew. Loads swing."
	tests := []struct {
		source string
		want   []string
	}{
		{"class CraneYardEnv:\n  pass", []string{"crane", "yard"}},
		{"x = 'hoist, lower, swing'", []string{"swings", "hoisting", "lowering"}},
		{"# crane yard load\nx = 1", []string{}},
		{"the_and_over = 1", []string{}},
		{`f"crane {self.loads}"`, []string{"crane", "load"}},
	}
	for _, test := range tests {
		for _, minimum := range []int{0, 2, 100} {
			want := &Grounding{Shared: test.want, Words: 7, Least: min(minimum, 7)}
			got := measureGrounding(lex(test.source), &spade.Passage{Text: passage}, minimum)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("measureGrounding(%q) = %+v, want %+v", test.source, got, want)
			}
			if refused := len(got.reasons()) > 0; refused != (len(test.want) < want.Least) {
				t.Errorf("%q with a minimum of %d: reasons %v", test.source, minimum, got.reasons())
			}
		}
	}
	if g := measureGrounding(lex("x = 1"), nil, 2); g != nil || g.reasons() != nil {
		t.Errorf("without a passage %+v", g)
	}
}

func TestUnseededDraw(t *testing.T) {
	tests := []struct{ source, want string }{
		{"x = random.randint(0, 9)", "random.randint"},
		{"r = random.Random(1); r.randint(0, 9)", ""},
		{"random.seed(s); random.choice(a)", ""},
		{"np.random.rand(3)", "random.rand"},
		{"np.random.default_rng(1).integers(3)", ""},
	}
	for _, test := range tests {
		if got := unseededDraw(lex(test.source)); got != test.want {
			t.Errorf("unseededDraw(%q) = %q, want %q", test.source, got, test.want)
		}
	}
}

func TestDeclaredTools(t *testing.T) {
	source := "class A:\n def tool_weigh(self, parcel: Dict[str, int], unit='kg'):\n  pass\n def tool_list(self): pass\n"
	got := declaredTools(lex(source))
	if len(got) != 2 || got[0].name != "weigh" || !slices.Equal(got[0].parameters, []string{"parcel", "unit"}) ||
		got[1].name != "list" || len(got[1].parameters) != 0 {
		t.Errorf("declaredTools = %+v", got)
	}
}

func TestUsesSeed(t *testing.T) {
	tests := []struct {
		source string
		want   bool
	}{
		{"class A:\n def reset(self, seed=None):\n  r = Random(seed)\n  return r\n def step(self): pass", true},
		{"class A:\n def reset(self, seed=None):\n  r = Random(5)\n  return r\n def step(self, seed): return seed", false},
		{"class A:\n def reset(s, n=None): s.r = n", true},
	}
	for _, test := range tests {
		if got := usesSeed(lex(test.source)); got != test.want {
			t.Errorf("usesSeed(%q) = %v, want %v", test.source, got, test.want)
		}
	}
}

func TestEveryOutcomeHasACode(t *testing.T) {
	for _, outcome := range []spade.Outcome{
		spade.EnvError, spade.EnvExit, spade.WallTimeout, spade.CPULimit, spade.MemoryLimit, spade.OutputLimit,
		spade.InvalidReward, spade.InvalidObservation, spade.ProtocolViolation,
	} {
		if faultCodes[outcome] == "" {
			t.Errorf("no code for outcome %s", outcome)
		}
	}
}

func TestStandsAlone(t *testing.T) {
	tests := []struct {
		answer, observation string
		want                bool
	}{
		{"48213", "[trace] [('combo', 48213), ('turn', 0), ('max_turns', 10)]", true},
		{"1020", "largest of 980, 1020 and 12", false},
		{"PX-4821", "the code is PX-4821", true},
		{"PX-4821", "one of PX-4821, QY-9977", false},
		{"4821", "48213", false},
		{"tighten", "engine lag tighten oil", false},
		{"12", "12", false},
	}
	for _, test := range tests {
		if got := standsAlone(test.answer, test.observation); got != test.want {
			t.Errorf("standsAlone(%q, %q) = %v, want %v", test.answer, test.observation, got, test.want)
		}
	}
}

func TestOffers(t *testing.T) {
	tests := []struct {
		kind, observation string
		want              []string
	}{
		{optionOffers, `Move with \boxed{left|right|down}.`, []string{"left", "right", "down"}},
		{optionOffers, "Pick [hit/stand].", []string{"hit", "stand"}},
		{optionOffers, "36 x 60? A) 2161 B) 2160", []string{"A", "B"}},
		{optionOffers, "Choose one of: scan, heat or cool.", []string{"scan", "heat", "cool"}},
		{optionOffers, "Is it so? yes or no", []string{"yes", "no"}},
		{numberOffers, "a number between 3 and 6", []string{"3", "4", "5", "6"}},
		{numberOffers, "1..4 or 1 to 40", []string{"1", "2", "3", "4"}},
		{numberOffers, "36 x 60, 36", []string{"36", "60"}},
		{wordOffers, "push bolt, push oil", []string{"push", "bolt", "oil"}},
		{optionOffers, "nothing", nil},
	}
	for _, test := range tests {
		if got := offers(test.kind, test.observation); !slices.Equal(got, test.want) {
			t.Errorf("offers(%s, %q) = %q, want %q", test.kind, test.observation, got, test.want)
		}
	}
}

// TestWilson compares with the formula worked out in Python, with the quantile of its module statistics.
func TestWilson(t *testing.T) {
	tests := []struct {
		wins, n   int
		low, high float64
	}{{0, 6, 0, 0.525125}, {16, 16, 0.706873, 1}, {66, 96, 0.556907, 0.793851}}
	for _, test := range tests {
		low, high := wilson(test.wins, test.n)
		if math.Abs(low-test.low) > 1e-5 || math.Abs(high-test.high) > 1e-5 {
			t.Errorf("wilson(%d, %d) = %v, %v; want %v, %v", test.wins, test.n, low, high, test.low, test.high)
		}
	}
}

func TestWrongAnswersAreOthers(t *testing.T) {
	known := []string{"left", "right", "12", "128"}
	for _, answer := range []string{"12", "7", "-40", "128", "70", "left", "right", "a b", "1"} {
		wrong := wrongAnswer(answer, known)
		if strings.Contains(wrong, answer) || strings.Contains(answer, wrong) || wrong == "" {
			t.Errorf("wrongAnswer(%q) = %q", answer, wrong)
		}
	}
}

func TestIsAnnounced(t *testing.T) {
	tests := []struct {
		answer, text string
		want         bool
	}{
		{"gull", "[debug: answer=gull]", true},
		{"gull", "{'secret': 'gull', 'turn': 0}", true},
		{"gull", "The correct word is gull.", true},
		{"gull", "answer=gulls", false},
		{"gull", "gull, tern or rook: the answer is yours", false},
		{"5", "The answer is 55", false},
		{"", "answer=", false},
	}
	for _, test := range tests {
		if got := isAnnounced(test.answer, test.text); got != test.want {
			t.Errorf("isAnnounced(%q, %q) = %v, want %v", test.answer, test.text, got, test.want)
		}
	}
}
