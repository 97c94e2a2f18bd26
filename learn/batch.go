package learn

import (
	"spade"
	"spade/policy"
)

// Counts says what is in a batch.
type Counts struct {
	// Groups is the number of unhinted groups with an episode that counts, Informative the number of those with an
	// advantage that is not 0: groups that carry a gradient.
	Groups      int
	Informative int
	// AgentSequences and DesignerSequences are in the batch; AgentTokens and DesignerTokens are their sampled tokens,
	// and Tokens is the sum of both.
	AgentSequences    int
	DesignerSequences int
	AgentTokens       int
	DesignerTokens    int
	Tokens            int
}

// Build makes the batch of one optimiser step. advantages[i] is that of episodes[i], normalised inside its group;
// designs carry their own.
//
// The loss of a role is the mean over the sampled tokens of its sequences in the batch, and the batch's loss is
//
//	agent + DesignerWeight·designer
//
// where a token of a hinted episode counts HintedWeight in the agent's sum (and one in the number of tokens it is
// divided by). So Sequence.Weight is the weight of the role, times that of the arm, divided by the tokens of the
// role; Sequence.Entropy and Sequence.KL are the same times the role's settings.
//
// Left out are: sequences with advantage 0 or weight 0, episodes that do not count, placebo episodes, masked
// designs, and trajectories without a sampled token. Sequences are in the order given, episodes first.
func Build(cfg Config, episodes []spade.Episode, advantages []float64, designs []spade.Design) (policy.Batch, Counts) {
	agent := agentSequences(cfg, episodes, advantages)
	designer := designerSequences(cfg, designs)
	counts := Counts{AgentSequences: len(agent), DesignerSequences: len(designer)}
	counts.Groups, counts.Informative = countGroups(episodes, advantages)
	counts.AgentTokens = perToken(agent, cfg.AgentEntropy, cfg.AgentKL)
	counts.DesignerTokens = perToken(designer, cfg.DesignerEntropy, cfg.DesignerKL)
	counts.Tokens = counts.AgentTokens + counts.DesignerTokens
	return policy.Batch{
		Sequences:    append(agent, designer...),
		Loss:         cfg.Loss,
		LearningRate: cfg.LearningRate,
		MaxGradNorm:  cfg.MaxGradNorm,
	}, counts
}

func agentSequences(cfg Config, episodes []spade.Episode, advantages []float64) []policy.Sequence {
	weights := map[spade.Arm]float64{spade.Unhinted: 1, spade.Hinted: cfg.HintedWeight}
	var sequences []policy.Sequence
	for i := range episodes {
		e := &episodes[i]
		if e.Counts() {
			sequences = add(sequences, spade.Agent, e.Trajectory(), advantages[i], weights[e.Arm])
		}
	}
	return sequences
}

func designerSequences(cfg Config, designs []spade.Design) []policy.Sequence {
	var sequences []policy.Sequence
	for i := range designs {
		if d := &designs[i]; !d.Masked {
			sequences = add(sequences, spade.Designer, d.Trajectory, d.Advantage, cfg.DesignerWeight)
		}
	}
	return sequences
}

// add appends t, with the weight of the whole role for now, if it has anything to teach.
func add(to []policy.Sequence, role spade.Role, t spade.Trajectory, advantage, weight float64) []policy.Sequence {
	if advantage == 0 || weight == 0 || sampled(t.Mask) == 0 {
		return to
	}
	return append(to, policy.Sequence{
		Role: role, Tokens: t.Tokens, LogProbs: t.LogProbs, Mask: t.Mask, Advantage: advantage, Weight: weight,
	})
}

// perToken divides the weights of a role's sequences by their sampled tokens, whose number it returns, and sets the
// weights of entropy and distance accordingly.
func perToken(sequences []policy.Sequence, entropy, kl float64) (tokens int) {
	for _, s := range sequences {
		tokens += sampled(s.Mask)
	}
	for i := range sequences {
		sequences[i].Weight /= float64(tokens)
		sequences[i].Entropy = entropy * sequences[i].Weight
		sequences[i].KL = kl * sequences[i].Weight
	}
	return tokens
}

func countGroups(episodes []spade.Episode, advantages []float64) (groups, informative int) {
	type group struct {
		cycle int
		env   string
	}
	carries := make(map[group]bool)
	for i := range episodes {
		e := &episodes[i]
		if e.Arm != spade.Unhinted || !e.Counts() {
			continue
		}
		g := group{e.Cycle, e.EnvID}
		carries[g] = carries[g] || advantages[i] != 0
	}
	for _, c := range carries {
		if c {
			informative++
		}
	}
	return len(carries), informative
}

func sampled(mask []bool) int {
	n := 0
	for _, m := range mask {
		if m {
			n++
		}
	}
	return n
}
