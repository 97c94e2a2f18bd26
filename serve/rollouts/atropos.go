package rollouts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"spade"
)

// scored is a group in the form of atropos' broker.
type scored struct {
	EnvID    int         `json:"env_id"`
	Tokens   [][]int32   `json:"tokens"`
	Masks    [][]int32   `json:"masks"` // -100 where nothing is trained, else the token
	Scores   []float64   `json:"scores"`
	LogProbs [][]float32 `json:"inference_logprobs"`
}

// untrained marks tokens that atropos' trainers leave alone.
const untrained = -100

func newScored(env int, group []Sample) scored {
	s := scored{EnvID: env}
	for _, one := range group {
		mask, logProbs := make([]int32, len(one.Tokens)), make([]float32, len(one.Tokens))
		first := len(one.Tokens) - one.ResponseLength
		for t := range mask {
			mask[t] = untrained
			if t >= first {
				logProbs[t] = one.LogProbs[t-first]
				if one.LossMask[t-first] == 1 {
					mask[t] = one.Tokens[t]
				}
			}
		}
		s.Tokens, s.Masks, s.LogProbs = append(s.Tokens, one.Tokens), append(s.Masks, mask), append(s.LogProbs, logProbs)
		s.Scores = append(s.Scores, one.Metadata.RawReward)
	}
	return s
}

// Atropos hands groups to atropos' broker at url until there are no more or ctx ends. Each group is leased under a number
// of its own and acknowledged once the broker has it; one whose acknowledgement was lost is handed over again. The broker
// normalises scores itself, so they are the plain returns, and a group of one sample, which has nothing to be compared
// with, is left out. maxTokens is the length of the longest sample; told is called for each group that was handed over.
func (s *Server) Atropos(ctx context.Context, url string, maxTokens int, told func(number int)) error {
	url = strings.TrimRight(url, "/")
	var registered struct {
		EnvID int `json:"env_id"`
	}
	err := post(ctx, url+"/register-env", map[string]any{"max_token_length": maxTokens, "desired_name": "spade", "weight": 1.0, "group_size": 1}, &registered)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		post(ctx, url+"/disconnect-env", map[string]int{"env_id": registered.EnvID}, nil)
	}()
	_, acked := s.journal.counts()
	for number := acked + 1; ctx.Err() == nil; number++ {
		lease, err := s.take(ctx, number, 1)
		for err == nil && lease.Pending && ctx.Err() == nil {
			lease, err = s.take(ctx, number, 1)
		}
		if err != nil || lease.Done || lease.Pending {
			return err
		}
		if group := lease.Groups[0]; len(group) > 1 {
			if err := post(ctx, url+"/scored_data", newScored(registered.EnvID, group), nil); err != nil {
				return err
			}
			told(number)
		}
		if err := s.journal.ack(number); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// brokerPatience is how often a broker that does not answer is asked again.
const brokerPatience = 8

// post sends v as JSON, some times if the broker cannot be reached, and reads the answer into out.
func post(ctx context.Context, url string, v, out any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	wait := 250 * time.Millisecond
	for try := 1; ; try++ {
		if err = once(ctx, url, body, out); err == nil || ctx.Err() != nil {
			return err
		}
		if final := (*refusal)(nil); errors.As(err, &final) && final.status < 500 || try == brokerPatience {
			return spade.Errorf(spade.ByPolicy, "see that atropos' run-api runs under this address", "hand rollouts to atropos: %w", err)
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refusal is an answer other than 200.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("the broker answers %d: %s", r.status, r.text) }

func once(ctx context.Context, url string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &refusal{response.StatusCode, string(answer[:min(len(answer), 300)])}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
