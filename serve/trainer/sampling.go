package trainer

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/policy"
	"spade/policy/local"
	"spade/policy/tinker/wire"
	"spade/serve"
)

// maxSamples is the number of sequences of one request.
const maxSamples = 1024

func (s *Server) createSampler(w http.ResponseWriter, r *http.Request) {
	var ask wire.CreateSampler
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	if !s.touch(ask.SessionID) {
		serve.Fail(w, http.StatusNotFound, fmt.Errorf("there is no session %q here", ask.SessionID))
		return
	}
	one := &sampler{id: fmt.Sprintf("%s:sample:%d", ask.SessionID, ask.SamplerSeq), path: ask.ModelPath}
	if _, err := s.getSampler(one.id); err != nil { // not the same request once more
		var failure error
		if one.policy, failure = s.source(ask.BaseModel, ask.ModelPath); failure != nil {
			serve.Fail(w, http.StatusBadRequest, failure)
			return
		}
		s.addSampler(one)
	}
	serve.WriteJSON(w, http.StatusOK, wire.SamplerCreated{SamplerID: one.id, Type: "create_sampling_session"})
}

// source is the policy that samples a base model or saved weights.
func (s *Server) source(base, path string) (*local.Policy, error) {
	if path == "" {
		if err := checkBase(base, nil); err != nil {
			return nil, err
		}
		return s.base, nil
	}
	saved, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	return s.openWeights(saved)
}

func (s *Server) samplerInfo(w http.ResponseWriter, r *http.Request) {
	one, err := s.getSampler(r.PathValue("id"))
	if err != nil {
		serve.Fail(w, http.StatusNotFound, err)
		return
	}
	info := map[string]string{"sampler_id": one.id, "base_model": BaseModel}
	if one.path != "" {
		info["model_path"] = one.path
	}
	serve.WriteJSON(w, http.StatusOK, info)
}

func (s *Server) sample(w http.ResponseWriter, r *http.Request) {
	body, ok := serve.Body(w, r, otherBody)
	if !ok {
		return
	}
	var ask wire.SampleRequest
	if err := json.Unmarshal(body, &ask); err != nil {
		serve.Fail(w, http.StatusUnprocessableEntity, fmt.Errorf("the body is no asample request: %w", err))
		return
	}
	n := reserved(ask.NumSamples)
	if s.sampling.Add(n) > maxSampling {
		s.sampling.Add(-n)
		serve.Fail(w, http.StatusTooManyRequests, fmt.Errorf("%d sequences are being sampled already", maxSampling))
		return
	}
	id, status, err := s.submit(&ask, body, n)
	if err != nil {
		s.sampling.Add(-n)
		serve.Fail(w, status, err)
		return
	}
	answer := wire.Future{RequestID: id}
	for i := range n {
		answer.SequenceIDs = append(answer.SequenceIDs, fmt.Sprintf("%s/%d", id, i))
	}
	serve.WriteJSON(w, http.StatusOK, answer)
}

// reserved is how many sequences a request takes of the room for them. A number that makes no sense takes what a sensible
// one might: the request fails as a future and is not put off.
func reserved(samples int) int64 { return int64(min(max(samples, 1), maxSamples)) }

// submit starts sampling and returns the id of the future, that of the same request where it came before and its result is
// still there. It gives back what was taken of the room for n sequences.
func (s *Server) submit(ask *wire.SampleRequest, body []byte, n int64) (id string, status int, err error) {
	run := func(p *local.Policy) string {
		one := s.futures.open()
		s.start(one, func() result {
			defer s.sampling.Add(-n)
			return s.complete(p, ask)
		})
		return one.id
	}
	if ask.SessionID == "" {
		p, err := s.source(ask.BaseModel, ask.ModelPath)
		if err != nil {
			return "", http.StatusBadRequest, err
		}
		return run(p), 0, nil
	}
	from, err := s.getSampler(ask.SessionID)
	if err != nil {
		return "", http.StatusNotFound, err
	}
	if ask.Seq == nil {
		return "", http.StatusBadRequest, errors.New("seq_id is missing: requests of a sampling session are numbered")
	}
	digest := sha256.Sum256(body)
	from.mu.Lock()
	defer from.mu.Unlock()
	if old, ok := from.seen[*ask.Seq]; ok && s.futures.get(old.future) != nil {
		if old.digest != digest {
			return "", http.StatusConflict, errReused{*ask.Seq}
		}
		s.sampling.Add(-n)
		return old.future, 0, nil
	}
	from.sweep(s.futures)
	id = run(from.policy)
	from.seen[*ask.Seq] = entry{digest, id}
	return id, 0, nil
}

// complete samples what a request asks for.
func (s *Server) complete(p *local.Policy, ask *wire.SampleRequest) result {
	prompt, spec, ends, err := s.read(p, ask)
	if err != nil {
		return refused(err)
	}
	samples := wire.Samples{Sequences: make([]wire.Sampled, ask.NumSamples)}
	seed, err := seedOf(ask.Params.Seed)
	if err != nil {
		return failed(err)
	}
	group, ctx := errgroup.WithContext(s.ctx)
	for i := range samples.Sequences {
		group.Go(func() error {
			spec := spec
			spec.Rand = spade.Stream(seed, 0, i, "asample")
			r, err := p.Complete(ctx, prompt, spec, ends)
			if err == nil {
				samples.Sequences[i] = wire.Sampled{Tokens: r.Tokens[len(prompt):], LogProbs: r.LogProbs[len(prompt):],
					Length: r.Stop != policy.StopEnd}
			}
			return err
		})
	}
	if ask.PromptLogProbs {
		group.Go(func() (err error) {
			samples.PromptLogProbs, err = scorePrompt(ctx, p, prompt)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return failed(err)
	}
	encoded, err := samples.Encode()
	if err != nil {
		return failed(err)
	}
	return inBinary(encoded, wire.DecodeSamples)
}

// read turns a request into what the policy takes. All its errors are the client's.
func (s *Server) read(p *local.Policy, ask *wire.SampleRequest) (prompt []int32, spec policy.Spec, ends func([]int32) bool, err error) {
	if prompt, err = ask.Prompt.Tokens(); err != nil {
		return nil, spec, nil, err
	}
	context := s.model.Config().Context
	switch {
	case ask.TopKPrompt != 0, ask.TopKSample != 0, ask.PromptAltTokens != 0, ask.LastN != nil,
		len(ask.TargetLogProbs) > 0 && !bytes.Equal(ask.TargetLogProbs, []byte("null")):
		return nil, spec, nil, errors.New("of log-probabilities this server gives those of prompt and sampled tokens only")
	case ask.NumSamples < 1 || ask.NumSamples > maxSamples:
		return nil, spec, nil, fmt.Errorf("num_samples is %d, want 1 to %d", ask.NumSamples, maxSamples)
	case len(prompt) == 0 || len(prompt) >= context:
		return nil, spec, nil, fmt.Errorf("the prompt has %d tokens, want 1 to %d: the context length is %d", len(prompt), context-1, context)
	}
	if err := p.Check([]local.Datum{{Inputs: prompt, Targets: prompt}}); err != nil {
		return nil, spec, nil, err
	}
	spec = policy.Spec{Temperature: 1, MaxTokens: context - len(prompt)}
	q := &ask.Params
	if q.MaxTokens != nil {
		spec.MaxTokens = min(spec.MaxTokens, *q.MaxTokens)
	}
	if q.Temperature != nil {
		spec.Temperature = *q.Temperature
	}
	if q.TopK != nil && *q.TopK > 0 {
		spec.TopK = *q.TopK
	}
	if q.TopP != nil {
		spec.TopP = *q.TopP
	}
	if spec.Temperature == 0 { // the most probable token
		spec.Temperature, spec.TopK = 1, 1
	}
	if spec.MaxTokens < 1 || !(spec.Temperature > 0) || math.IsInf(spec.Temperature, 0) || !(spec.TopP >= 0 && spec.TopP <= 1) {
		return nil, spec, nil, fmt.Errorf("sampling_params are out of range: max_tokens %d, temperature %v, top_p %v", spec.MaxTokens, spec.Temperature, spec.TopP)
	}
	return prompt, spec, s.ends(q.Stop), nil
}

// ends returns what ends a sequence, nil standing for the model's own ends.
func (s *Server) ends(stop *wire.Stop) func([]int32) bool {
	switch {
	case stop == nil:
		return nil
	case stop.Texts != nil:
		format := s.base.Format()
		return func(sampled []int32) bool {
			text := format.Text(sampled)
			for _, end := range stop.Texts {
				if end != "" && strings.Contains(text, end) {
					return true
				}
			}
			return false
		}
	}
	ids := map[int32]bool{}
	for _, id := range stop.Tokens {
		ids[id] = true
	}
	return func(sampled []int32) bool { return ids[sampled[len(sampled)-1]] }
}

// seedOf is the seed that was given, or one that nobody knows.
func seedOf(given *uint64) (uint64, error) {
	if given != nil {
		return *given, nil
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("draw a seed: %w", err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// scorePrompt returns the log-probabilities of a prompt's tokens, of which the first has none.
func scorePrompt(ctx context.Context, p *local.Policy, prompt []int32) ([]float32, error) {
	scores, err := p.Accumulate(ctx, []local.Datum{{Inputs: prompt[:len(prompt)-1], Targets: prompt[1:]}}, nil)
	if err != nil {
		return nil, err
	}
	return append([]float32{float32(math.NaN())}, scores[0]...), nil
}
