package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"spade/policy/tinker/wire"
	"spade/serve"
)

// Limits on the bodies of requests, in bytes. The official client sends data in parts of about 5 MB.
const (
	trainingBody = 64 << 20
	otherBody    = 4 << 20
)

const binaryType = "application/x-protobuf"

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, handle := range map[string]http.HandlerFunc{
		"GET healthz": func(w http.ResponseWriter, _ *http.Request) {
			serve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
		},
		"GET get_server_capabilities":   s.capabilities,
		"POST client/config":            constant(map[string]bool{"pjwt_auth_enabled": false}),
		"POST client/dynamic_config":    constant(map[string]int{"refresh_interval_sec": 300}),
		"POST telemetry":                constant(map[string]string{"status": "accepted"}),
		"POST create_session":           s.createSession,
		"POST session_heartbeat":        s.heartbeat,
		"POST create_model":             s.createModel,
		"POST get_info":                 s.getInfo,
		"POST unload_model":             s.unload,
		"POST forward_backward":         s.forwardBackward,
		"POST forward":                  s.forwardBackward,
		"POST optim_step":               s.optimStep,
		"POST save_weights":             s.saveWeights,
		"POST load_weights":             s.loadWeights,
		"POST save_weights_for_sampler": s.saveForSampler,
		"POST create_sampling_session":  s.createSampler,
		"GET samplers/{id}":             s.samplerInfo,
		"POST asample":                  s.sample,
		"POST retrieve_future":          s.retrieve,
		"POST weights_info":             s.weightsInfo,
	} {
		method, name, _ := strings.Cut(path, " ")
		mux.HandleFunc(method+" /api/v1/"+name, handle)
	}
	return mux
}

// constant answers every request alike, and reads none.
func constant(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := serve.Body(w, r, otherBody); ok {
			serve.WriteJSON(w, http.StatusOK, v)
		}
	}
}

func (s *Server) capabilities(w http.ResponseWriter, _ *http.Request) {
	yes := true
	serve.WriteJSON(w, http.StatusOK, wire.Capabilities{Models: []wire.SupportedModel{
		{Name: BaseModel, Context: s.model.Config().Context, Trainable: &yes, Sampleable: &yes}}})
}

// accept answers with the id of a future.
func accept(w http.ResponseWriter, id, modelID string) {
	serve.WriteJSON(w, http.StatusOK, wire.Future{RequestID: id, ModelID: modelID})
}

// retrieve answers with the result of a future, or that there is none yet.
func (s *Server) retrieve(w http.ResponseWriter, r *http.Request) {
	var ask wire.RetrieveFuture
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	one := s.futures.get(ask.RequestID)
	if one == nil {
		serve.Fail(w, http.StatusGone, fmt.Errorf("the result of %q is not here: the newest %d are kept, and no more than %d MiB of them, until the server ends", ask.RequestID, keptResults, keptBytes>>20))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.hold)
	defer cancel()
	if !one.wait(ctx) {
		serve.WriteJSON(w, http.StatusOK, wire.Pending{Type: "try_again", RequestID: one.id, QueueState: "active"})
		return
	}
	res := &one.result
	switch {
	case res.failure != nil:
		category := "server"
		if res.failure.byUser {
			category = "user"
		}
		serve.WriteJSON(w, http.StatusOK, wire.Failed{Error: res.failure.err.Error(), Category: category})
	case res.binary != nil && strings.Contains(r.Header.Get("Accept"), binaryType):
		w.Header().Set("Content-Type", binaryType)
		w.Write(res.binary)
	default:
		value, err := res.json()
		if err != nil {
			serve.Fail(w, http.StatusInternalServerError, fmt.Errorf("the result of %q in JSON: %w", one.id, err))
			return
		}
		serve.WriteJSON(w, http.StatusOK, value)
	}
}

// place gives a request its place in a model's queue.
func (s *Server) place(w http.ResponseWriter, modelID string, seq int64, kind string, body []byte, run func(m *model) result) {
	m, err := s.getModel(modelID)
	if err != nil {
		serve.Fail(w, http.StatusNotFound, err)
		return
	}
	id, err := m.queue.add(seq, kind, body, s.futures.open, func() result {
		if s.ctx.Err() != nil {
			return failed(errClosing)
		}
		return run(m)
	})
	if reused := (errReused{}); errors.As(err, &reused) {
		serve.Fail(w, http.StatusConflict, err)
		return
	}
	if err != nil {
		serve.Fail(w, http.StatusBadRequest, err)
		return
	}
	accept(w, id, m.id)
}

// read reads a request to a model: its body, and v from it.
func read(w http.ResponseWriter, r *http.Request, v any) (body []byte, ok bool) {
	body, ok = serve.Body(w, r, otherBody)
	if !ok {
		return nil, false
	}
	if err := json.Unmarshal(body, v); err != nil {
		serve.Fail(w, http.StatusUnprocessableEntity, fmt.Errorf("the body is not the JSON that %s takes: %w", r.URL.Path, err))
		return nil, false
	}
	return body, true
}
