package admit

import (
	"strings"
	"testing"
)

func TestOtherClasses(t *testing.T) {
	const both = ":\n  def reset(self, seed=None): pass\n  def step(self, action): pass\n"
	tests := []struct{ source, chosen, named string }{
		{"class AEnv" + both, "AEnv", ""},
		{"class A" + both + "class B" + both, "B", ""},
		{"class A" + both + "class BEnv" + both, "BEnv", ""},
		{"class AEnv" + both + "class BEnv" + both + "class CEnv" + both, "CEnv", "CEnv was judged; AEnv, BEnv could"},
		{"class BaseEnv" + both + "class MidEnv(BaseEnv):\n  n = 1\nclass LastEnv(MidEnv):\n  n = 2\n", "LastEnv", ""},
		{"class BaseEnv" + both + "class OneEnv(BaseEnv):\n  n = 1\nclass TwoEnv(BaseEnv):\n  n = 2\n", "TwoEnv", "OneEnv could"},
		{"class AEnv:\n  def reset(self): pass\nclass BEnv" + both, "BEnv", ""},
		{"class AEnv(ToolUseBaseEnv):\n  n = 1\nclass BEnv(ToolUseBaseEnv):\n  n = 2\n", "BEnv", "BEnv was judged; AEnv could"},
		{"class AEnv(BEnv):\n  n = 1\nclass BEnv(AEnv)" + both, "BEnv", ""},
	}
	for _, test := range tests {
		warnings := otherClasses(lex(test.source), test.chosen)
		switch {
		case test.named == "" && len(warnings) > 0:
			t.Errorf("%s: warnings %v", test.source, warnings)
		case test.named != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].Detail, test.named)):
			t.Errorf("%s: warnings %v, want %q", test.source, warnings, test.named)
		}
	}
}
