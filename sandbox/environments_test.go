package sandbox

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spade"
)

// casesFolder holds the environments that admission is tested with, too.
const casesFolder = "../admit/testdata/cases"

// testCase is what plain Python did with one of them.
type testCase struct {
	Admit  bool
	Probes []struct {
		Seed    int64
		Actions []string
		Expect  []struct {
			Reward                float64
			Terminated, Truncated bool
		}
	}
}

func readCase(t *testing.T, name string) (source string, c testCase) {
	t.Helper()
	code, err := os.ReadFile(filepath.Join(casesFolder, name, "input.py"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata/environments", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return string(code), c
}

// checkEnvironments plays environments of every shape that the contract allows, as plain Python plays them.
func checkEnvironments(t *testing.T, _ string, s *Sandbox) {
	for _, test := range []struct {
		name, class string
		kind        spade.Kind
		maxTurns    int
	}{
		{"ok-global-seeded", "MarketStallEnv", spade.Game, 6},
		{"ok-dataclass-future", "WeightedRowEnv", spade.Game, 6},
		{"ok-tool-use", "DepotStockEnv", spade.ToolUse, 10},
		{"ok-reset-string", "ClockDriftEnv", spade.Game, 6},
		{"ok-unicode", "", spade.Game, 6},
		{"ok-long-observation", "", spade.Game, 4},
		{"ok-abstract-base-first", "TriangleStackEnv", spade.Game, 6},
		{"ok-helper-named-env", "KiteRangeEnv", spade.Game, 6},
		{"ok-own-pacing", "ShaftDescentEnv", spade.Game, 9},
		{"ok-missing-stdlib-imports", "SignalChainEnv", spade.Game, 6},
		{"ok-no-constructor", "LoomCountEnv", spade.Game, 0},
		{"ok-shaped-negative", "SandbarPilotEnv", spade.Game, 10},
		{"ok-main-guard", "ScaffoldEnv", spade.Game, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			source, c := readCase(t, test.name)
			p := load(t, s, source)
			if test.class != "" && p.Class() != test.class || p.Kind() != test.kind || !p.HasSolution() {
				t.Errorf("chose %s, %s, solution %v", p.Class(), p.Kind(), p.HasSolution())
			}
			play(t, p, c, test.maxTurns)
		})
	}
}

func play(t *testing.T, p *Process, c testCase, maxTurns int) {
	t.Helper()
	for _, probe := range c.Probes {
		i := instance(t, p)
		if i.MaxTurns() != maxTurns {
			t.Errorf("max_turns is %d, want %d", i.MaxTurns(), maxTurns)
		}
		if _, fault, err := i.Reset(t.Context(), probe.Seed); fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		for n, action := range probe.Actions {
			if action == "@sol" {
				solution, fault, err := i.Solution(t.Context())
				if fault != nil || err != nil || !solution.Has {
					t.Fatal(solution, fault, err)
				}
				action = `\boxed{` + solution.Text + `}`
			}
			step, fault, err := i.Step(t.Context(), action)
			if fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			if n >= len(probe.Expect) {
				continue
			}
			want := probe.Expect[n]
			if math.Abs(step.Reward-want.Reward) > 1e-9 || step.Terminated != want.Terminated || step.Truncated != want.Truncated {
				t.Errorf("seed %d, action %d %.40q: got %+v, want %+v", probe.Seed, n, action, step, want)
			}
		}
		i.Close()
	}
}

// TestPackages uses the packages that environments may import, where they can be downloaded.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads packages")
	}
	var notices []string
	s, err := Open(context.Background(), Config{Limits: patient, Notice: func(m string) { notices = append(notices, m) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.packages(t.Context())
	if len(notices) > 0 {
		source, _ := readCase(t, "ok-numpy")
		_, fault, err := s.Load(t.Context(), source, LoadOptions{})
		if err != nil || fault == nil || fault.Phase != "load" || !strings.Contains(fault.Message, "numpy") {
			t.Errorf("without packages: %v, %v", fault, err)
		}
		t.Skipf("no packages here: %s", notices[0])
	}
	for _, name := range []string{"ok-numpy", "ok-optional-import"} {
		t.Run(name, func(t *testing.T) {
			source, c := readCase(t, name)
			play(t, load(t, s, source), c, 6)
		})
	}
	t.Run("all", func(t *testing.T) {
		i := instance(t, load(t, s, allPackages))
		first, fault, err := i.Reset(t.Context(), 1)
		if fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		second, _, _ := instance(t, i.Process()).Reset(t.Context(), 1)
		if first.Text != second.Text || first.Text == "" {
			t.Errorf("the seeded legacy generator gave %q and %q", first.Text, second.Text)
		}
		step, fault, err := i.Step(t.Context(), "")
		if fault != nil || err != nil || step.Observation != "True 3 x**2 + 2*x + 1" {
			t.Errorf("got %+v, %v, %v", step, fault, err)
		}
	})
}

const allPackages = `
import networkx, sympy
from math_verify import parse, verify
class AllEnv:
    def reset(self, seed=None):
        np.random.seed(seed)
        return str(np.random.rand()), {"array": np.arange(3), "scalar": np.float32(1)}
    def step(self, action):
        x = sympy.symbols("x")
        length = networkx.shortest_path_length(networkx.path_graph(4), 0, 3)
        return f"{verify(parse('1/2'), parse('0.5'))} {length} {sympy.expand((x + 1)**2)}", np.float32(0.5), np.bool_(True), False, {}
`
