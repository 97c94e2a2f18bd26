package trainer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"spade"
	"spade/policy/local"
	"spade/policy/token"
)

// BaseModel is the name under which clients ask for the embedded model.
const BaseModel = "spade/embedded"

// The bounds of what a server holds in memory.
const (
	// maxModels is the number of models in training. A new one takes the place of the least recently used of those
	// whose session has ended.
	maxModels = 64
	// maxSamplers is the number of samplers; the least recently used ones are dropped.
	maxSamplers = 128
	// maxSampling is the number of sequences that may be asked for and not yet sampled.
	maxSampling = 8192
	// sessionTimeout is how long a session lives after its last sign of life.
	sessionTimeout = 5 * time.Minute
)

// Options say how a server runs.
type Options struct {
	// Dir is the folder of saved weights, which is made if it is not there.
	Dir string
	// Hold is how long a request for a result waits for it before it answers that there is none yet; 0 stands for 30 s.
	Hold time.Duration
}

// Server trains copies of one model for others. It is safe for concurrent use.
type Server struct {
	model     *local.Model
	tokenizer *token.Tokenizer
	base      *local.Policy // samples the base model
	dir       string
	hold      time.Duration
	handler   http.Handler
	futures   *futures

	ctx     context.Context // ends with the server
	stop    context.CancelFunc
	working sync.WaitGroup
	// training is held by the one training request that is in work: each uses all processors.
	training sync.Mutex
	sampling atomic.Int64

	mu       sync.Mutex
	closed   bool
	sessions map[string]time.Time // last sign of life
	models   map[string]*model
	samplers map[string]*sampler
	uses     int64 // counts the uses of models and samplers, to know the least recent ones

	// numbered are the ids of the futures of requests that make models, by the id of the model.
	numberedMu sync.Mutex
	numbered   map[string]string
}

// model is one model in training.
type model struct {
	id, session string
	policy      *local.Policy
	queue       *queue
	used        int64
}

// sampler is one sampling session.
type sampler struct {
	id, path string
	policy   *local.Policy
	used     int64

	mu   sync.Mutex
	seen map[int64]entry
	// sweepAt is the size at which seen is next rid of requests whose results are gone.
	sweepAt int
}

// leastSweep is the number of requests below which a sampler is not swept.
const leastSweep = 64

// sweep forgets requests whose results are gone, once their number has doubled: a request costs no more for it on average.
// The caller holds mu.
func (s *sampler) sweep(f *futures) {
	if len(s.seen) < s.sweepAt {
		return
	}
	maps.DeleteFunc(s.seen, func(_ int64, e entry) bool { return f.get(e.future) == nil })
	s.sweepAt = max(leastSweep, 2*len(s.seen))
}

// New returns a server over the model of a checkpoint. Close must be called.
func New(m *local.Model, t *token.Tokenizer, o Options) (*Server, error) {
	base, err := local.New(m, t, local.Options{Name: BaseModel})
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of saved weights: %w", err)
	}
	// The tokenizer is there for clients on this machine: transformers reads it from this folder.
	if err := local.Save(filepath.Join(dir, "base"), m, t); err != nil {
		return nil, err
	}
	if o.Hold == 0 {
		o.Hold = 30 * time.Second
	}
	s := &Server{
		model: m, tokenizer: t, base: base, dir: dir, hold: o.Hold, futures: newFutures(),
		sessions: map[string]time.Time{}, models: map[string]*model{}, samplers: map[string]*sampler{}, numbered: map[string]string{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends all work and waits for it. Futures that are open fail.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.working.Wait()
}

// begin announces a goroutine, unless the server is being closed; end takes leave of it.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.working.Add(1)
	}
	return !s.closed
}

func (s *Server) end() { s.working.Done() }

// start runs a request that waits for no other.
func (s *Server) start(one *future, run func() result) {
	if !s.begin() {
		s.futures.resolve(one, failed(errClosing))
		return
	}
	go func() {
		defer s.end()
		s.futures.resolve(one, run())
	}()
}

var errClosing = errors.New("the server is closing")

// failed is the result of work that failed for a reason of our own, refused that of a request that makes no sense.
func failed(err error) result  { return result{failure: &failure{err, false}} }
func refused(err error) result { return result{failure: &failure{err, true}} }

// of is a result where err says whether there is one. What a spade.Error blames on the user is refused.
func of(value any, err error) result {
	if known := (*spade.Error)(nil); errors.As(err, &known) && known.Boundary == spade.ByUser {
		return refused(err)
	}
	if err != nil {
		return failed(err)
	}
	return result{value: value}
}

// newID returns an id that nobody can guess.
func newID(kind string) string { return kind + "-" + rand.Text()[:16] }

// touch notes a sign of life of a session, and reports whether there is such a session.
func (s *Server) touch(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sessions[session]; !ok {
		return false
	}
	s.sessions[session] = time.Now()
	return true
}

// addModel makes a model that starts from the base model. The caller has checked that the session exists.
func (s *Server) addModel(session, id string) (*model, error) {
	p, err := s.base.Snapshot()
	if err != nil {
		return nil, err
	}
	m := &model{id: id, session: session, policy: p}
	m.queue = newQueue(func(r request) {
		s.training.Lock()
		defer s.training.Unlock()
		s.futures.resolve(r.future, r.run())
	}, s.begin, s.end)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.models) >= maxModels && !s.dropModel() {
		return nil, spade.Errorf(spade.ByUser, "", "this server holds %d models in training already, all of live sessions: end one", maxModels)
	}
	s.uses++
	m.used = s.uses
	s.models[id] = m
	return m, nil
}

// dropModel drops the least recently used model whose session has ended, and reports whether there was one.
func (s *Server) dropModel() bool {
	var oldest *model
	for _, m := range s.models {
		ended := time.Since(s.sessions[m.session]) > sessionTimeout
		if ended && (oldest == nil || m.used < oldest.used) {
			oldest = m
		}
	}
	if oldest != nil {
		delete(s.models, oldest.id)
	}
	return oldest != nil
}

func (s *Server) getModel(id string) (*model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.models[id]
	if !ok {
		return nil, fmt.Errorf("there is no model %q here: it was unloaded, or the server was started again since; load its last checkpoint", id)
	}
	s.uses++
	m.used = s.uses
	return m, nil
}

func (s *Server) addSampler(one *sampler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.samplers) >= maxSamplers {
		var oldest *sampler
		for _, o := range s.samplers {
			if oldest == nil || o.used < oldest.used {
				oldest = o
			}
		}
		delete(s.samplers, oldest.id)
	}
	s.uses++
	one.used = s.uses
	one.seen = map[int64]entry{}
	s.samplers[one.id] = one
}

func (s *Server) getSampler(id string) (*sampler, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.samplers[id]
	if !ok {
		return nil, fmt.Errorf("there is no sampler %q here: the %d most recently used ones are kept, until the server ends; weights that were saved by name can be opened again", id, maxSamplers)
	}
	s.uses++
	one.used = s.uses
	return one, nil
}

// once returns the id of the future of the request that made a model, or is to: the same request may come again.
func (s *Server) once(modelID string, run func() result) (id string) {
	s.numberedMu.Lock()
	defer s.numberedMu.Unlock()
	if id, ok := s.numbered[modelID]; ok && s.futures.get(id) != nil {
		return id
	}
	one := s.futures.open()
	s.numbered[modelID] = one.id
	s.start(one, run)
	return one.id
}

// openWeights loads saved weights as a policy that samples.
func (s *Server) openWeights(path savedPath) (*local.Policy, error) {
	m, t, err := local.Load(os.DirFS(s.folder(path)))
	if errors.Is(err, os.ErrNotExist) {
		return nil, spade.Errorf(spade.ByUser, "", "there are no weights %s on this server", path)
	}
	if err != nil {
		return nil, err
	}
	return local.New(m, t, local.Options{Name: path.String()})
}
