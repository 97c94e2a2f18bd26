package eval

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"spade"
	"spade/play"
	"spade/policy"
	"spade/policy/policytest"
	"spade/reward"
)

// guessing is won by saying the seed; on seed 13 it raises.
const guessing = `
class GuessingEnv:
    def reset(self, seed=None):
        self.seed = seed
        return f"NAME {seed}", {}
    def step(self, action):
        if self.seed == 13:
            raise ValueError("unlucky")
        return "over", float(action == "\\boxed{%d}" % self.seed), True, False, {}
`

func item(family, name string, seeds ...int64) Item {
	env := spade.NewEnvironment(strings.ReplaceAll(guessing, "NAME", name))
	env.Kind, env.Hint = spade.Game, "say the seed"
	return Item{Family: family, Env: env, Seeds: seeds}
}

func player(answer func(spec policy.Spec, messages []spade.Message) string) *play.Player {
	return &play.Player{
		Policy: policytest.NewScript(answer), Sandbox: jail, Return: reward.Return,
		Config: play.Config{MaxTurns: 25, MaxTokens: 100, Temperature: 1},
	}
}

func run(t *testing.T, p *play.Player, suite Suite) Result {
	t.Helper()
	result, err := Run(t.Context(), p, suite)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestRun measures an agent that knows even seeds only.
func TestRun(t *testing.T) {
	p := player(func(_ policy.Spec, messages []spade.Message) string {
		if len(messages) != 1 {
			t.Errorf("the agent reads %+v: measurements are unhinted", messages)
		}
		seed := strings.Fields(messages[0].Content)[1]
		if strings.ContainsAny(seed[len(seed)-1:], "02468") {
			return `\boxed{` + seed + `}`
		}
		return `\boxed{no}`
	})
	got := run(t, p, Suite{Name: "seeds", Seed: 1, Items: []Item{
		item("odd", "a", 1, 3, 4), item("even", "b", 2, 4), item("odd", "c", 5, 13), item("faulty", "d", 13),
	}})
	want := Result{
		Suite: "seeds", Rate: Rate{Wins: 3, Episodes: 6}, WinRate: 0.5, Faults: 2, Wins: []int{1, 2, 0, 0},
		Families: []Family{
			{Name: "even", Rate: Rate{2, 2}, WinRate: 1}, {Name: "faulty"}, {Name: "odd", Rate: Rate{1, 4}, WinRate: 0.25},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestFirst(t *testing.T) {
	suite := Suite{Name: "seeds", Items: []Item{item("one", "a", 1, 2, 3), item("one", "b", 4)}}
	for n, want := range [][2]int{{3, 1}, {1, 1}, {2, 1}, {3, 1}, {3, 1}} {
		first := suite.First(n)
		if got := [2]int{len(first.Items[0].Seeds), len(first.Items[1].Seeds)}; got != want {
			t.Errorf("the first %d seeds: %v, want %v", n, got, want)
		}
	}
	if len(suite.Items[0].Seeds) != 3 {
		t.Error("the suite itself was cut")
	}
}

func TestHinted(t *testing.T) {
	p := player(func(_ policy.Spec, messages []spade.Message) string {
		if messages[len(messages)-1].Name != spade.NameHint || messages[len(messages)-1].Content != "say the seed" {
			return `\boxed{no hint}`
		}
		return `\boxed{` + strings.Fields(messages[0].Content)[1] + `}`
	})
	suite := Suite{Name: "seeds", Seed: 1, Items: []Item{item("one", "a", 1, 2)}, Hinted: true}
	if got := run(t, p, suite); got.Rate.Wins != 2 {
		t.Errorf("with hints: %+v", got)
	}
	suite.Hinted = false
	if got := run(t, p, suite); got.Rate.Wins != 0 {
		t.Errorf("without hints: %+v", got)
	}
}

func TestNothingToMeasure(t *testing.T) {
	got := run(t, player(nil), Suite{Name: "none"})
	if !reflect.DeepEqual(got, Result{Suite: "none", Wins: []int{}}) {
		t.Errorf("got %+v", got)
	}
}

// TestDraws: two measurements draw alike, two episodes and two suites do not.
func TestDraws(t *testing.T) {
	var mu sync.Mutex
	draws := map[string]uint64{}
	p := player(func(spec policy.Spec, messages []spade.Message) string {
		mu.Lock()
		defer mu.Unlock()
		draws[messages[0].Content] = spec.Rand.Uint64()
		return `\boxed{no}`
	})
	suite := Suite{Name: "draws", Seed: 1, Items: []Item{item("x", "a", 1, 2, 3), item("x", "b", 1, 2), item("y", "c", 4)}}
	measure := func(s Suite) map[string]uint64 {
		draws = map[string]uint64{}
		run(t, p, s)
		return draws
	}
	first := measure(suite)
	if second := measure(suite); len(first) != 6 || !reflect.DeepEqual(first, second) {
		t.Errorf("two measurements draw %v and %v", first, second)
	}
	other := suite
	other.Seed = 2
	another := measure(other)
	var all []uint64
	for key, draw := range first {
		all = append(all, draw, another[key])
	}
	slices.Sort(all)
	if n := len(all); len(slices.Compact(all)) != n {
		t.Errorf("draws repeat: %v and %v", first, another)
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, player(nil), Suite{Name: "seeds", Items: []Item{item("x", "a", 1), item("x", "b", 2)}})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "evaluate seeds: ") {
		t.Errorf("got %v", err)
	}
}

// TestLost tells episodes that the policy owed from those that the environment broke.
func TestLost(t *testing.T) {
	got := count(Suite{Name: "lost", Items: []Item{{Family: "a"}}}, [][]spade.Episode{{
		{Stop: spade.StopPolicy, Failure: "timeout"}, {Stop: spade.StopEnvironment}, {Stop: spade.StopTruncated},
	}})
	if got.Episodes != 1 || got.Faults != 2 || !reflect.DeepEqual(got.Failures, map[string]int{"timeout": 1}) {
		t.Errorf("got %+v", got)
	}
}
