// Package eval measures a policy on held-out suites.
//
// It owns the suites' form, the streams that make two measurements comparable, and win rates by family. It
// owns no way of playing: that is play's, so that what is measured is what is trained. It runs before the first
// cycle, after the last one, and every few cycles in between where a run asks for it. It trains nothing.
package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/play"
)

// Item is one environment of a suite with the seeds that it is played on.
type Item struct {
	// Family groups items for reporting.
	Family string
	Env    spade.Environment
	Seeds  []int64
}

// Suite is a fixed set of environments that nothing in training may read.
type Suite struct {
	Name string
	// Seed names the streams of the agent's draws, so that every measurement of a policy draws alike.
	Seed  uint64
	Items []Item
	// Hinted suites are played with the hints of their environments: a measurement of what hints are worth.
	Hinted bool
}

// First returns the suite with at most the first n seeds of every item, all of them if n is 0: a quicker measurement
// that draws as the whole suite does on the seeds that they share.
func (s Suite) First(n int) Suite {
	if n == 0 {
		return s
	}
	items := make([]Item, len(s.Items))
	for i, item := range s.Items {
		item.Seeds = item.Seeds[:min(n, len(item.Seeds))]
		items[i] = item
	}
	s.Items = items
	return s
}

// Rate is a win rate over episodes.
type Rate struct {
	Wins     int `json:"wins"`
	Episodes int `json:"episodes"`
}

// Value returns the share of wins, 0 without episodes.
func (r Rate) Value() float64 {
	if r.Episodes == 0 {
		return 0
	}
	return float64(r.Wins) / float64(r.Episodes)
}

// Family is the result of one family of a suite.
type Family struct {
	Name string `json:"name"`
	Rate
	WinRate float64 `json:"win_rate"`
}

// Result is what a policy did on a suite.
type Result struct {
	Suite string `json:"suite"`
	Rate
	WinRate  float64  `json:"win_rate"`
	Families []Family `json:"families"`
	// Wins holds the wins of every item, in the order of the suite.
	Wins []int `json:"-"`
	// Faults counts episodes that do not count, because the environment misbehaved or the policy gave no reply. Failures
	// counts the latter among them, by class.
	Faults   int            `json:"faults"`
	Failures map[string]int `json:"failures,omitempty"`
}

// Run plays the suite once, every item on every seed, without hints unless the suite is Hinted. Items are played concurrently; the result does
// not depend on the order.
func Run(ctx context.Context, player *play.Player, suite Suite) (Result, error) {
	played := make([][]spade.Episode, len(suite.Items))
	group, gctx := errgroup.WithContext(ctx)
	for i, item := range suite.Items {
		group.Go(func() error {
			program := player.Sandbox.Program(item.Env.Source, true)
			defer program.Close()
			var err error
			played[i], err = player.Episodes(gctx, program, tasks(suite, i))
			if err != nil {
				return fmt.Errorf("evaluate %s: %w", suite.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Result{}, err
	}
	return count(suite, played), nil
}

func tasks(suite Suite, i int) []play.Task {
	item := suite.Items[i]
	arm := spade.Unhinted
	if suite.Hinted {
		arm = spade.Hinted
	}
	tasks := make([]play.Task, len(item.Seeds))
	for k, seed := range item.Seeds {
		tasks[k] = play.Task{
			Env: item.Env, Slot: i, Arm: arm, Index: k, Seed: seed, Hint: item.Env.Hint,
			Rand: func() *rand.Rand { return spade.Stream(suite.Seed, 0, i, fmt.Sprintf("eval/%s/%d", suite.Name, k)) },
		}
	}
	return tasks
}

func (r *Result) failed(class string) {
	if r.Failures == nil {
		r.Failures = map[string]int{}
	}
	r.Failures[class]++
}

func count(suite Suite, played [][]spade.Episode) Result {
	result := Result{Suite: suite.Name, Wins: make([]int, len(suite.Items))}
	families := map[string]*Rate{}
	for i, item := range suite.Items {
		if families[item.Family] == nil {
			families[item.Family] = &Rate{}
		}
		for k := range played[i] {
			e := &played[i][k]
			if !e.Counts() {
				result.Faults++
				if e.Stop == spade.StopPolicy {
					result.failed(e.Failure)
				}
				continue
			}
			if e.Won() {
				result.Wins[i]++
			}
			for _, rate := range []*Rate{&result.Rate, families[item.Family]} {
				rate.Episodes++
				if e.Won() {
					rate.Wins++
				}
			}
		}
	}
	for name, rate := range families {
		result.Families = append(result.Families, Family{Name: name, Rate: *rate, WinRate: rate.Value()})
	}
	sort.Slice(result.Families, func(a, b int) bool { return result.Families[a].Name < result.Families[b].Name })
	result.WinRate = result.Value()
	return result
}
