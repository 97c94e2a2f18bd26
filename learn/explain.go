package learn

import (
	"encoding/json"
	"fmt"
	"slices"

	"spade"
)

// part is one piece of a conversation as `spade explain advantages` takes it.
type part struct {
	From        string    `json:"from"`
	IDs         []int32   `json:"ids"`
	LogProbs    []float32 `json:"logprobs"`
	Retokenised []int32   `json:"retokenised"`
}

type accounting struct {
	Tokens         []int32   `json:"tokens"`
	LossMask       []int     `json:"loss_mask"`
	LogProbs       []float32 `json:"logprobs"`
	ResponseLength int       `json:"response_length"`
	DriftedTurns   []int     `json:"drifted_turns"`
}

// ExplainTokens shows the sequence that an episode would be trained on. The input is
//
//	{"turns": [{"from": "prompt"|"engine"|"env", "ids": [..], "logprobs": [..], "retokenised": [..]}]}
//
// in which "engine" turns were sampled and carry one log-probability a token; retokenised, if given, is what the text
// of the turn encodes to. The output is {"tokens", "loss_mask", "logprobs", "response_length", "drifted_turns"}: the
// tokens that were really sent and sampled, 1 on sampled ones, 0 as the log-probability of the rest, the number of
// tokens from the first sampled one on, and the indices of turns where encoding the text again would give other
// tokens. Errors are the user's.
func ExplainTokens(input []byte) ([]byte, error) {
	var in struct {
		Turns []part `json:"turns"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, spade.Errorf(spade.ByUser, "give a JSON object of the documented form", "reading the turns: %w", err)
	}
	episode, drifted, err := replayed(in.Turns)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "correct this turn", "reading the turns: %w", err)
	}
	t := episode.Trajectory()
	answer := accounting{
		Tokens: nonNil(t.Tokens), LossMask: make([]int, len(t.Mask)), LogProbs: nonNil(t.LogProbs), DriftedTurns: nonNil(drifted),
	}
	for i, m := range t.Mask {
		if m {
			answer.LossMask[i] = 1
		}
	}
	if first := slices.Index(t.Mask, true); first >= 0 {
		answer.ResponseLength = len(t.Tokens) - first
	}
	return json.Marshal(answer)
}

// replayed makes the episode that a rollout would have stored: what was fed goes before what was sampled for it, in
// one turn. drifted are the indices of parts that encode differently.
func replayed(parts []part) (episode spade.Episode, drifted []int, err error) {
	var turn spade.Turn
	for i, p := range parts {
		engine := p.From == "engine"
		switch {
		case engine && len(p.LogProbs) != len(p.IDs):
			return episode, nil, fmt.Errorf("turn %d has %d tokens, but %d log-probabilities", i, len(p.IDs), len(p.LogProbs))
		case !engine && p.From != "prompt" && p.From != "env":
			return episode, nil, fmt.Errorf("turn %d is from %q, not from prompt, engine or env", i, p.From)
		}
		turn.Tokens = append(turn.Tokens, p.IDs...)
		turn.Mask = append(turn.Mask, slices.Repeat([]bool{engine}, len(p.IDs))...)
		if !engine {
			turn.LogProbs = append(turn.LogProbs, make([]float32, len(p.IDs))...)
			continue
		}
		turn.LogProbs = append(turn.LogProbs, p.LogProbs...)
		episode.Turns = append(episode.Turns, turn)
		turn = spade.Turn{}
		if p.Retokenised != nil && !slices.Equal(p.Retokenised, p.IDs) {
			drifted = append(drifted, i)
		}
	}
	if len(turn.Tokens) > 0 { // sent, but not answered
		episode.Turns = append(episode.Turns, turn)
	}
	return episode, drifted, nil
}

// nonNil makes an empty list print as one.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
