package trainer

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"spade"
	"spade/policy/tinker/wire"
	"spade/serve"
)

func (s *Server) createSession(w http.ResponseWriter, r *http.Request) {
	var ask wire.CreateSession
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	id := newID("session")
	s.mu.Lock()
	s.sessions[id] = time.Now()
	s.mu.Unlock()
	serve.WriteJSON(w, http.StatusOK, wire.SessionCreated{SessionID: id, Type: "create_session",
		Info: "spade trains all weights of its embedded model; lora_config is not used"})
}

func (s *Server) heartbeat(w http.ResponseWriter, r *http.Request) {
	var ask wire.SessionRef
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	if !s.touch(ask.SessionID) {
		serve.Fail(w, http.StatusGone, fmt.Errorf("there is no session %q here", ask.SessionID))
		return
	}
	serve.WriteJSON(w, http.StatusOK, map[string]string{"type": "session_heartbeat"})
}

// modelID is the id of the model that a session creates as its number-th.
func modelID(session string, number int64) string { return fmt.Sprintf("%s:train:%d", session, number) }

func (s *Server) createModel(w http.ResponseWriter, r *http.Request) {
	var ask wire.CreateModel
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	if !s.touch(ask.SessionID) {
		serve.Fail(w, http.StatusNotFound, fmt.Errorf("there is no session %q here", ask.SessionID))
		return
	}
	id := modelID(ask.SessionID, ask.ModelSeq)
	future := s.once(id, func() result {
		if err := checkBase(ask.BaseModel, ask.Optimizer); err != nil {
			return of(nil, err)
		}
		_, err := s.addModel(ask.SessionID, id)
		return of(wire.Created{ModelID: id, Type: "create_model"}, err)
	})
	accept(w, future, id)
}

// checkBase refuses models and optimisers that this server has not.
func checkBase(base string, optimizer *wire.Optimizer) error {
	if base != BaseModel {
		return spade.Errorf(spade.ByUser, "", "this server has no base model %q; it has %s", base, BaseModel)
	}
	if optimizer != nil && optimizer.Type != "adamw" {
		return spade.Errorf(spade.ByUser, "", "this server has no optimiser %q; it has adamw", optimizer.Type)
	}
	return nil
}

func (s *Server) getInfo(w http.ResponseWriter, r *http.Request) {
	var ask wire.ModelRef
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	if _, err := s.getModel(ask.ModelID); err != nil {
		serve.Fail(w, http.StatusNotFound, err)
		return
	}
	info := wire.ModelInfo{ModelID: ask.ModelID, Name: BaseModel, Type: "get_info"}
	info.Data.Arch, info.Data.Name, info.Data.Tokenizer = "qwen3", BaseModel, filepath.Join(s.dir, "base")
	serve.WriteJSON(w, http.StatusOK, info)
}

func (s *Server) unload(w http.ResponseWriter, r *http.Request) {
	var ask wire.ModelRef
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	s.mu.Lock()
	_, there := s.models[ask.ModelID]
	delete(s.models, ask.ModelID)
	s.mu.Unlock()
	one := s.futures.open()
	if !there {
		s.futures.resolve(one, refused(fmt.Errorf("there is no model %q here", ask.ModelID)))
	} else {
		s.futures.resolve(one, result{value: wire.Created{ModelID: ask.ModelID, Type: "unload_model"}})
	}
	accept(w, one.id, ask.ModelID)
}

func (s *Server) saveWeights(w http.ResponseWriter, r *http.Request) {
	var ask wire.SaveWeights
	body, ok := read(w, r, &ask)
	if !ok {
		return
	}
	s.place(w, ask.ModelID, ask.Seq, "save_weights", body, func(m *model) result {
		path, err := newPath(m.id, trainingWeights, ask.Path)
		if err == nil {
			err = s.save(path, ask.Overwrite, func(dir string) error { return m.policy.Save(s.ctx, dir) })
		}
		return of(wire.Saved{Path: path.String(), Type: "save_weights"}, err)
	})
}

func (s *Server) saveForSampler(w http.ResponseWriter, r *http.Request) {
	var ask wire.SaveWeights
	body, ok := read(w, r, &ask)
	if !ok {
		return
	}
	s.place(w, ask.ModelID, ask.Seq, "save_weights_for_sampler", body, func(m *model) result {
		if ask.Path == "" {
			return s.ephemeral(m, &ask)
		}
		path, err := newPath(m.id, samplerWeights, ask.Path)
		if err == nil {
			err = s.save(path, ask.Overwrite, func(dir string) error { return m.policy.SaveWeights(s.ctx, dir) })
		}
		return of(wire.Saved{Path: path.String(), Type: "save_weights_for_sampler"}, err)
	})
}

// ephemeral opens a sampler over a copy of the model's weights.
func (s *Server) ephemeral(m *model, ask *wire.SaveWeights) result {
	if ask.Kind != "" && ask.Kind != "snapshot" {
		return refused(fmt.Errorf("samplers of kind %q are not supported: this server's are snapshots", ask.Kind))
	}
	p, err := m.policy.Snapshot()
	if err != nil {
		return failed(err)
	}
	one := &sampler{id: newID("sampler"), policy: p}
	s.addSampler(one)
	return result{value: wire.Saved{SamplerID: one.id, Type: "save_weights_for_sampler"}}
}

// loadWeights loads saved weights into a model that was just created, or into one that it creates.
func (s *Server) loadWeights(w http.ResponseWriter, r *http.Request) {
	var ask wire.LoadWeights
	body, ok := read(w, r, &ask)
	if !ok {
		return
	}
	if ask.SessionID == "" {
		s.place(w, ask.ModelID, ask.Seq, "load_weights", body, func(m *model) result {
			if ask.Seq != 1 {
				return refused(fmt.Errorf("weights are loaded by a model's first request only, not by seq_id %d", ask.Seq))
			}
			return s.load(m, &ask)
		})
		return
	}
	if ask.ModelSeq == nil || !s.touch(ask.SessionID) {
		serve.Fail(w, http.StatusNotFound, fmt.Errorf("there is no session %q here, or model_seq_id is missing", ask.SessionID))
		return
	}
	id := modelID(ask.SessionID, *ask.ModelSeq)
	future := s.once(id, func() result {
		m, err := s.addModel(ask.SessionID, id)
		if err != nil {
			return of(nil, err)
		}
		s.training.Lock()
		defer s.training.Unlock()
		return s.load(m, &ask)
	})
	accept(w, future, id)
}

func (s *Server) load(m *model, ask *wire.LoadWeights) result {
	path, err := parsePath(ask.Path)
	if err != nil {
		return of(nil, err)
	}
	if path.kind != trainingWeights {
		return refused(fmt.Errorf("%s is for sampling only", path))
	}
	if !slices.Contains([]string{"", BaseModel}, ask.BaseModel) {
		return of(nil, checkBase(ask.BaseModel, nil))
	}
	if !exists(s.folder(path)) {
		return refused(fmt.Errorf("there are no weights %s on this server", path))
	}
	if err := m.policy.Restore(s.ctx, s.folder(path)); err != nil {
		return failed(err)
	}
	if !ask.Optimizer {
		m.policy.Forget()
	}
	return result{value: wire.Loaded{Path: path.String(), ModelID: m.id, Type: "load_weights"}}
}

func (s *Server) weightsInfo(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Path string `json:"tinker_path"`
	}
	if !serve.ReadJSON(w, r, otherBody, &ask) {
		return
	}
	path, err := parsePath(ask.Path)
	if err != nil {
		serve.Fail(w, http.StatusBadRequest, err)
		return
	}
	if !exists(s.folder(path)) {
		serve.Fail(w, http.StatusNotFound, fmt.Errorf("there are no weights %s on this server", path))
		return
	}
	serve.WriteJSON(w, http.StatusOK, map[string]any{"base_model": BaseModel, "is_lora": false})
}
