package rollouts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
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

// broker is atropos' broker as one producer knows it.
type broker struct {
	url       string
	maxTokens int
	waiting   func(why string)
	// envs are the environments as which the producer is registered, by the size of their groups: the broker holds back
	// what does not add up to the size that an environment announced.
	envs map[int]int
}

// env is the environment for groups of a size. The broker takes none before its trainer has started; env waits for that.
func (b *broker) env(ctx context.Context, size int) (int, error) {
	if id, known := b.envs[size]; known {
		return id, nil
	}
	for said := false; ; said = true {
		var answer struct {
			Status string `json:"status"`
			EnvID  *int   `json:"env_id"`
		}
		err := post(ctx, b.url+"/register-env", map[string]any{"max_token_length": b.maxTokens,
			"desired_name": fmt.Sprintf("spade_groups_of_%d", size), "weight": 1.0, "group_size": size}, &answer)
		if err != nil {
			return 0, err
		}
		if answer.EnvID != nil {
			b.envs[size] = *answer.EnvID
			return *answer.EnvID, nil
		}
		if !said {
			b.waiting(answer.Status)
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// hand hands over a group, in parts that the broker can make batches of.
func (b *broker) hand(ctx context.Context, group []Sample) error {
	for _, part := range halves(group) {
		env, err := b.env(ctx, len(part))
		if err != nil {
			return err
		}
		if err := post(ctx, b.url+"/scored_data", newScored(env, part), nil); err != nil {
			return err
		}
	}
	return nil
}

// halves cuts a group into parts whose sizes are powers of two, the largest first: the broker never completes a batch
// with others. A part of one sample has nothing to be compared with and is left out.
func halves(group []Sample) (parts [][]Sample) {
	for len(group) > 1 {
		n := 1 << (bits.Len(uint(len(group))) - 1)
		parts, group = append(parts, group[:n]), group[n:]
	}
	return parts
}

// leave tells the broker that nothing more will come.
func (b *broker) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	for _, id := range b.envs {
		post(ctx, b.url+"/disconnect-env", map[string]int{"env_id": id}, nil) // a broker that is gone needs no farewell
	}
}

// Atropos hands groups to atropos' broker at url until there are no more or ctx ends. Each group is leased under a number
// of its own and acknowledged once the broker has it; one whose acknowledgement was lost is handed over again. The broker
// normalises scores itself, so they are the plain returns. maxTokens is the length of the longest sample; told is called
// for each group that was handed over, waiting once where the broker asks for patience, with its words.
func (s *Server) Atropos(ctx context.Context, url string, maxTokens int, told func(number int), waiting func(why string)) error {
	b := &broker{url: strings.TrimRight(url, "/"), maxTokens: maxTokens, waiting: waiting, envs: map[int]int{}}
	defer b.leave(ctx)
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
			if err := b.hand(ctx, group); err != nil {
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
