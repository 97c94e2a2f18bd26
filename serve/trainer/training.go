package trainer

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"spade/policy/local"
	"spade/policy/tinker/wire"
	"spade/serve"
)

// maxData is the number of data of one request.
const maxData = 4096

// forwardBackward accumulates a gradient, or scores data where only that is asked for.
func (s *Server) forwardBackward(w http.ResponseWriter, r *http.Request) {
	body, ok := serve.Body(w, r, trainingBody)
	if !ok {
		return
	}
	if r.Header.Get("Content-Encoding") != "" {
		serve.Fail(w, http.StatusUnsupportedMediaType, errors.New("this server reads bodies that are not compressed"))
		return
	}
	decode := wire.DecodeTrainingJSON
	if strings.Contains(r.Header.Get("Content-Type"), binaryType) {
		decode = wire.DecodeTraining
	}
	ask, err := decode(body)
	if invalid := (*wire.Invalid)(nil); err != nil && !errors.As(err, &invalid) {
		serve.Fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	// What makes no sense takes its place too: the numbers of the requests after it count on that.
	s.place(w, ask.ModelID, ask.Seq, "forward_backward", body, func(m *model) result {
		if err != nil {
			return refused(err)
		}
		return s.train(m, ask)
	})
}

func (s *Server) train(m *model, ask *wire.Training) result {
	loss, err := wire.NewLoss(ask.Loss, ask.Config)
	if err != nil {
		return refused(err)
	}
	if len(ask.Data) > maxData {
		return refused(fmt.Errorf("%d data in one request, at most %d are read", len(ask.Data), maxData))
	}
	data := make([]local.Datum, len(ask.Data))
	for i := range ask.Data {
		e := &ask.Data[i]
		if err := loss.Check(e); err != nil {
			return refused(fmt.Errorf("datum %d: %w", i, err))
		}
		data[i] = local.Datum{Inputs: e.Tokens, Targets: e.Targets}
	}
	if err := m.policy.Check(data); err != nil {
		return refused(err)
	}
	slope := func(d, i int, logProb float64) float64 {
		_, slope := loss.At(&ask.Data[d], i, logProb)
		return slope
	}
	if ask.ForwardOnly {
		slope = nil
	}
	scores, err := m.policy.Accumulate(s.ctx, data, slope)
	if err != nil {
		return failed(err)
	}
	sum := 0.0
	for d, list := range scores {
		for i, logProb := range list {
			value, _ := loss.At(&ask.Data[d], i, float64(logProb))
			sum += value
		}
	}
	trained := wire.Trained{LogProbs: scores, Metrics: map[string]float64{"loss:sum": sum}}
	binary, err := trained.Encode()
	if err != nil {
		return failed(err)
	}
	return inBinary(binary, wire.DecodeTrained)
}

// optimStep takes a step along what was accumulated.
func (s *Server) optimStep(w http.ResponseWriter, r *http.Request) {
	body, ok := serve.Body(w, r, otherBody)
	if !ok {
		return
	}
	ask := wire.OptimStep{Adam: wire.DefaultAdamParams()}
	if err := json.Unmarshal(body, &ask); err != nil {
		serve.Fail(w, http.StatusUnprocessableEntity, fmt.Errorf("the body is no optim_step request: %w", err))
		return
	}
	s.place(w, ask.ModelID, ask.Seq, "optim_step", body, func(m *model) result {
		a := ask.Adam
		switch {
		case ask.Other != nil:
			return refused(fmt.Errorf("this server has no optimiser %q; it has adamw", ask.Other.Type))
		case !(a.LearningRate >= 0 && a.LearningRate <= 1) || !(a.Beta1 >= 0 && a.Beta1 < 1) || !(a.Beta2 >= 0 && a.Beta2 < 1) ||
			!(a.Eps > 0) || !(a.WeightDecay >= 0) || !(a.GradClipNorm >= 0):
			return refused(fmt.Errorf("adam_params %+v are out of range", a))
		}
		norm, err := m.policy.Step(s.ctx, local.AdamW{Beta1: a.Beta1, Beta2: a.Beta2, Epsilon: a.Eps, WeightDecay: a.WeightDecay},
			a.LearningRate, a.GradClipNorm)
		if err != nil {
			return failed(err)
		}
		return result{value: wire.Stepped{Metrics: map[string]float64{"grad_norm": norm}}}
	})
}
