// Package chat serves any policy as an OpenAI-compatible endpoint: /v1/chat/completions, streamed or not, and
// /v1/models.
//
// It owns the form of requests and answers: those of OpenAI, with token ids where vLLM puts them (prompt_token_ids of the
// answer, token_ids of a choice). It does not own the policy. Two models are listed, one for each role in which a policy
// can be asked: NAME plays, NAME:designer writes environments. A message's name may be memory, passage, observation or
// hint, for models that mark these; without one, what a user says is an observation to the one and a passage to the other.
//
// A reply is sampled whole; a stream hands it out afterwards.
package chat

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/policy"
	"spade/serve"
)

const (
	// maxBody bounds a request, in bytes.
	maxBody = 8 << 20
	// maxChoices is the number of replies to one request.
	maxChoices = 128
	// maxWaiting is the number of requests that may be in work.
	maxWaiting = 512
)

// designerSuffix ends the name of the model that writes environments.
const designerSuffix = ":designer"

// Options say how a policy is served.
type Options struct {
	// Name is the model's name.
	Name string
	// Text is the text of tokens; without it, tokens are named by their ids.
	Text func(tokens []int32) string
}

// Server serves one policy. It is safe for concurrent use.
type Server struct {
	policy  policy.Sampler
	options Options
	slots   chan struct{}
	mux     *http.ServeMux
}

// New returns a server for a policy.
func New(p policy.Sampler, o Options) *Server {
	s := &Server{policy: p, options: o, slots: make(chan struct{}, maxWaiting), mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("POST /v1/chat/completions", s.complete)
	s.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", fmt.Errorf("there is no %s %s here; there are /v1/chat/completions and /v1/models", r.Method, r.URL.Path))
	})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, status int, code string, err error) {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	serve.WriteJSON(w, status, map[string]any{"error": map[string]any{"message": err.Error(), "type": kind, "param": nil, "code": code}})
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	list := []any{}
	for _, name := range []string{s.options.Name, s.options.Name + designerSuffix} {
		list = append(list, map[string]any{"id": name, "object": "model", "created": 0, "owned_by": "spade", "max_model_len": s.policy.Info().Context})
	}
	serve.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var ask request
	if !serve.ReadJSON(w, r, maxBody, &ask) {
		return
	}
	spec, messages, err := s.read(&ask)
	if err != nil {
		status, code := http.StatusBadRequest, "invalid_value"
		if errors.Is(err, errNoModel) {
			status, code = http.StatusNotFound, "model_not_found"
		}
		refuse(w, status, code, err)
		return
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", fmt.Errorf("%d requests are in work already", maxWaiting))
		return
	}
	replies, err := s.sample(r, &ask, spec, messages)
	switch {
	case byClient(err):
		refuse(w, http.StatusBadRequest, "invalid_value", err)
		return
	case err != nil:
		refuse(w, http.StatusInternalServerError, "policy_failed", err)
		return
	case slices.ContainsFunc(replies, roomless):
		refuse(w, http.StatusBadRequest, "context_length_exceeded",
			fmt.Errorf("this model's maximum context length is %d tokens, and the messages leave no room for a reply", s.policy.Info().Context))
		return
	}
	answer := s.answer(&ask, replies)
	if ask.Stream {
		stream(w, &ask, answer)
		return
	}
	serve.WriteJSON(w, http.StatusOK, answer)
}

// byClient reports whether the policy could not reply because of what the client said, such as an assistant's message that
// it could not have written itself.
func byClient(err error) bool {
	known := (*spade.Error)(nil)
	return errors.As(err, &known) && known.Boundary == spade.ByUser
}

// roomless reports whether the context left no room for a reply. A reply that filled it is one, also of a policy that
// tells no tokens.
func roomless(r policy.Reply) bool {
	return r.Stop == policy.StopContext && r.Text == "" && !slices.Contains(r.Mask, true)
}

// sample asks the policy for the replies of a request, each with a stream of its own.
func (s *Server) sample(r *http.Request, ask *request, spec policy.Spec, messages []spade.Message) ([]policy.Reply, error) {
	seed, err := ask.seed()
	if err != nil {
		return nil, err
	}
	replies := make([]policy.Reply, ask.choices())
	group, ctx := errgroup.WithContext(r.Context())
	for i := range replies {
		group.Go(func() error {
			spec := spec
			spec.Rand = spade.Stream(seed, 0, i, "chat")
			session, err := s.policy.Open(ctx, spec)
			if err != nil {
				return err
			}
			defer session.Close()
			replies[i], err = session.Reply(ctx, messages...)
			return err
		})
	}
	return replies, group.Wait()
}

// seed is the one that was given, or one that nobody knows.
func (q *request) seed() (uint64, error) {
	if q.Seed != nil {
		return uint64(*q.Seed), nil
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("draw a seed: %w", err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}
