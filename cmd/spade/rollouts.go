package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"spade"
	"spade/learn"
	"spade/reward"
	"spade/selfplay"
	"spade/serve/rollouts"
	"spade/store"
)

// runSource reads the rollouts of a run for other trainers. It is safe for concurrent use.
type runSource struct {
	run    *store.Run
	config selfplay.Config

	mu    sync.Mutex
	cache map[int][][]rollouts.Sample
	order []int // cycles in the cache, oldest first
}

// cachedCycles is how many cycles are kept in memory.
const cachedCycles = 8

func openRunSource(dir string) (*runSource, error) {
	run, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	cfg, err := decodeConfig(dir+"/config.yaml", run.Config())
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return &runSource{run: run, config: cfg, cache: map[int][][]rollouts.Sample{}}, nil
}

// Last implements rollouts.Source: a run that has its summary is over.
func (s *runSource) Last() (int, bool, error) {
	summary, err := s.run.Summary()
	if err != nil {
		return 0, false, err
	}
	last, _, _, ok, err := s.run.Last()
	if !ok {
		last = 0
	}
	return last, summary == nil, err
}

// Groups implements rollouts.Source.
func (s *runSource) Groups(cycle int) ([][]rollouts.Sample, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if groups, ok := s.cache[cycle]; ok {
		return groups, nil
	}
	c, err := s.run.Cycle(cycle)
	if err != nil {
		return nil, err
	}
	groups, err := groupsOf(&c, s.config.Learn)
	if err != nil {
		return nil, fmt.Errorf("cycle %d: %w", cycle, err)
	}
	s.cache[cycle], s.order = groups, append(s.order, cycle)
	if len(s.order) > cachedCycles {
		delete(s.cache, s.order[0])
		s.order = s.order[1:]
	}
	return groups, nil
}

// groupsOf makes the samples of a cycle that teach something, exactly those that our own trainer would take: the
// episodes of each environment and arm, then the designs of each skill. A sample's reward is its advantage times the
// weight of its arm or role.
func groupsOf(c *spade.Cycle, cfg learn.Config) ([][]rollouts.Sample, error) {
	b := &grouping{cycle: c.Number, at: map[string]int{}}
	advantages, _ := reward.AgentAdvantages(reward.PopulationStd, c.Episodes)
	weights := map[spade.Arm]float64{spade.Unhinted: 1, spade.Hinted: cfg.HintedWeight}
	skills := map[string]string{}
	for _, score := range c.Scores {
		skills[score.EnvID] = score.Skill
	}
	for i := range c.Episodes {
		e := &c.Episodes[i]
		if value := advantages[i] * weights[e.Arm]; e.Counts() && value != 0 {
			sample := rollouts.Sample{Reward: value, Response: conversationOf(e), Metadata: rollouts.Metadata{Role: string(spade.Agent),
				EnvID: e.EnvID, Arm: string(e.Arm), Skill: skills[e.EnvID], Seed: e.Seed, RawReward: e.Return}}
			if len(e.Turns) > 0 {
				sample.Prompt = e.Turns[0].Observation
			}
			b.add("episodes/"+e.EnvID+"/"+string(e.Arm), sample, e.Trajectory(), e.Stop != spade.StopTerminated)
		}
	}
	for i := range c.Designs {
		d := &c.Designs[i]
		if value := d.Advantage * cfg.DesignerWeight; !d.Masked && value != 0 {
			sample := rollouts.Sample{Reward: value, Response: d.Reply, Metadata: rollouts.Metadata{Role: string(spade.Designer),
				EnvID: d.EnvID, Skill: d.Skill, RawReward: d.Raw}}
			for _, m := range d.Prompt {
				sample.Prompt += m.Content + "\n"
			}
			b.add("designs/"+d.Skill, sample, d.Trajectory, false)
		}
	}
	return b.groups, b.err
}

// conversationOf is an episode after its first observation, as text.
func conversationOf(e *spade.Episode) string {
	text := ""
	for i, t := range e.Turns {
		if i > 0 {
			text += "\n" + t.Observation + "\n"
		}
		text += t.Reply
	}
	return text
}

// grouping collects samples into groups, in the order in which these first appear.
type grouping struct {
	cycle  int
	groups [][]rollouts.Sample
	at     map[string]int
	next   int
	err    error
}

// add completes a sample with its tokens. One without a sampled token teaches nothing.
func (b *grouping) add(group string, s rollouts.Sample, t spade.Trajectory, truncated bool) {
	if len(t.LogProbs) != len(t.Tokens) || len(t.Mask) != len(t.Tokens) {
		b.err = spade.Errorf(spade.ByUser, "play with a server that gives token ids and log-probabilities", "its replies are text without tokens")
		return
	}
	first := slices.Index(t.Mask, true)
	if first < 1 {
		return
	}
	s.Index, s.Tokens, s.ResponseLength, s.LogProbs = b.cycle*cycleStride+b.next, t.Tokens, len(t.Tokens)-first, t.LogProbs[first:]
	for _, trained := range t.Mask[first:] {
		bit := 0
		if trained {
			bit = 1
		}
		s.LossMask = append(s.LossMask, bit)
	}
	s.Status, s.WeightVersions, s.Metadata.Cycle = "completed", []string{strconv.FormatInt(t.Version, 10)}, b.cycle
	if truncated {
		s.Status = "truncated"
	}
	i, ok := b.at[group]
	if !ok {
		i = len(b.groups)
		b.at[group], b.groups = i, append(b.groups, nil)
	}
	s.GroupIndex = b.cycle*cycleStride + i
	b.groups[i] = append(b.groups[i], s)
	b.next++
}

func (s *runSource) close() error { return s.run.Close() }

// cycleStride keeps the numbers of the samples and groups of different cycles apart.
const cycleStride = 1_000_000
