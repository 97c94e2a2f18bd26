package diversity

import (
	"slices"
	"strings"
	"testing"
)

func TestLex(t *testing.T) {
	source := "def größe(s, *x): # a comment\n  return s.r_1 == 3.5e2, \\\n    x[\n0 ];  y = rb'\\'' + f\"\"\"a\n#b\"\"\"\n'open"
	var got []string
	for _, token := range lex(source) {
		got = append(got, token.text)
	}
	want := strings.Split("def|größe|(|s|,|*|x|)|:|\n|return|s|.|r_1|=|=|3.5e2|,|x|[|0|]|\n|y|=|rb'\\''|+|f\"\"\"a\n#b\"\"\"|\n|'open", "|")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNormalised(t *testing.T) {
	first := `
import random
class CraneEnv:
    """Lift the crate."""
    def reset(self, seed=None):
        self.loads = [3, 14, 15]
        return "The crane " "waits.", {}
    def step(self, action):
        if action == "\\boxed{lift}": return 'Up.', 1.0, True, False, {}
        count = self.loads.pop(0)
        return f"{count} left", 0.0, False, False, {}
`
	second := `
# Another theme.
from random import *
class KettleEnv:
  def reset(s, seed = None):
    s.cups = [7]
    return '''Tea?''', {}
  def step(s, action):
    if action == 'pour':
       return "Ah.", 1, True, False, {}
    find = s.cups.pop( 3 ); return 'No.', 0, False, False, {}
`
	want := `class n : def reset ( n , seed = None ) : n . n = [ 0 ]
return s , { }
def step ( n , action ) : if action = = s : return s , 0 , True , False , { }
n = n . n . pop ( 0 )
return s , 0 , False , False , { }
`
	for _, source := range []string{first, second} {
		if got := strings.ReplaceAll(Normalised(source), " \n", "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func FuzzNormalised(f *testing.F) {
	f.Add("class A:\n def f(s): return '")
	f.Add("\"\"\"\\")
	f.Add("x = ((\n1;;\\")
	f.Fuzz(func(t *testing.T, source string) {
		normal := Normalised(source)
		if again := Normalised("# with a comment\n" + source); again != normal {
			t.Errorf("%q becomes %q, with a comment before it %q", source, normal, again)
		}
	})
}
