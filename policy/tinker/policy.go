package tinker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"spade"
	"spade/policy"
	"spade/policy/tinker/wire"
)

// Options say which model is trained, where and how.
type Options struct {
	// URL is the server's, without /api/v1.
	URL string
	// Model is the base model; "" stands for the only one that the server has.
	Model string
	// Key is sent with every request, "" where the server asks for none.
	Key string
	// Layout is that of the model.
	Layout Layout
	// Prompts is how the model wants to be asked.
	Prompts policy.Prompts
	// Loss is the server's loss: "ppo", which clips as the batch says, or "importance_sampling", which does not clip;
	// "" stands for "ppo".
	Loss string
	// Rank is that of the LoRA adapter; 0 stands for 32. Servers that train all weights do not look at it.
	Rank int
	// Seed is that of the adapter's first weights.
	Seed uint64
}

const (
	lossPPO                = "ppo"
	lossImportanceSampling = "importance_sampling"
)

// assumedContext is the context of a model whose server does not say: that of the published runs.
const assumedContext = 32768

// heartbeatPeriod is how often a session gives a sign of life.
const heartbeatPeriod = 10 * time.Second

// sampleLimit is the number of sampling requests that are under way at once, skyrlLimit that of a SkyRL server, which
// answers 500 where its database's 15 connections do not keep up.
const (
	sampleLimit = 2000
	skyrlLimit  = 256
)

// Policy samples and trains a model on a server. It is safe for concurrent use as policy.Trainer asks for it.
type Policy struct {
	options Options
	client  *client
	info    policy.Info
	session string
	skyrl   bool // the server is SkyRL's
	slots   chan struct{}

	stop    context.CancelFunc
	stopped chan struct{}

	mu      sync.Mutex
	models  int64 // how many were created
	samples int64 // how many samplers were asked for
	model   string
	seq     int64 // number of the model's last request
	version int64
	sampler *sampler
	saves   int
	// broken says why the model on the server is in no known state.
	broken error
}

// sampler is a sampling session on the server: fixed weights of one version.
type sampler struct {
	id      string
	version int64

	mu  sync.Mutex
	seq int64 // number of its next request
}

func (s *sampler) next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq - 1
}

var _ policy.Trainer = (*Policy)(nil)

// Open connects to a server and creates a model to train. Close must be called.
func Open(ctx context.Context, o Options) (*Policy, error) {
	o.URL = strings.TrimRight(o.URL, "/")
	if o.Loss == "" {
		o.Loss = lossPPO
	}
	if o.Rank == 0 {
		o.Rank = 32
	}
	if o.Loss != lossPPO && o.Loss != lossImportanceSampling {
		return nil, spade.Errorf(spade.ByUser, "write loss=ppo or loss=importance_sampling", "tinker: there is no loss %q", o.Loss)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	p := &Policy{options: o, slots: make(chan struct{}, sampleLimit), stopped: make(chan struct{}),
		client: &client{url: o.URL, auth: &auth{key: o.Key}, http: &http.Client{Transport: transport}}}
	if err := p.connect(ctx); err != nil {
		transport.CloseIdleConnections()
		return nil, err
	}
	return p, nil
}

// connect opens a session, finds the model and creates it.
func (p *Policy) connect(ctx context.Context) error {
	var config struct {
		Passes bool `json:"pjwt_auth_enabled"`
	}
	if err := p.client.post(ctx, "client/config", map[string]string{"sdk_version": sdkVersion}, &config); err != nil {
		return err
	}
	if config.Passes {
		p.client.auth.usePasses()
	}
	if err := p.find(ctx); err != nil {
		return err
	}
	var opened wire.SessionCreated
	err := p.client.post(ctx, "create_session", wire.CreateSession{Tags: []string{"spade"}, UserMetadata: map[string]any{},
		SDKVersion: sdkVersion, Type: "create_session"}, &opened)
	if err != nil {
		return err
	}
	p.session = opened.SessionID
	life, stop := context.WithCancel(context.Background())
	p.stop = stop
	go p.heartbeat(life)
	if err := p.create(ctx, ""); err != nil {
		p.Close()
		return err
	}
	p.info.Notes = append(p.info.Notes, "the Tinker protocol has no entropy bonus: its gradient is estimated from the sampled tokens")
	if p.skyrl {
		p.info.Notes = append(p.info.Notes, "this is SkyRL tx, whose JAX backend divides a loss by tokens and sequences and does not clip gradients: advantages are multiplied by both, so that learning_rate means what it means elsewhere; with another backend of it, lower learning_rate")
	}
	return nil
}

// sdkVersion is the version of the official client whose protocol this is.
const sdkVersion = "0.38.0"

// find looks for the model among those of the server.
func (p *Policy) find(ctx context.Context) error {
	var has wire.Capabilities
	if err := p.client.json(ctx, call{method: http.MethodGet, path: "get_server_capabilities"}, &has); err != nil {
		return err
	}
	var names []string
	for _, m := range has.Models {
		if m.Trainable == nil || *m.Trainable {
			names = append(names, m.Name)
		}
	}
	if p.options.Model == "" && len(names) == 1 {
		p.options.Model = names[0]
	}
	i := slices.IndexFunc(has.Models, func(m wire.SupportedModel) bool { return m.Name == p.options.Model })
	if i < 0 || !slices.Contains(names, p.options.Model) {
		return spade.Errorf(spade.ByUser, "name one of them after #", "tinker: %s trains %s, not %q", p.options.URL, strings.Join(names, ", "), p.options.Model)
	}
	p.info = policy.Info{Name: "tinker:" + p.options.URL + "#" + p.options.Model, Context: has.Models[i].Context, Prompts: p.options.Prompts}
	if p.info.Context == 0 {
		p.info.Context = assumedContext
		p.info.Notes = append(p.info.Notes, fmt.Sprintf("the server does not say how much context the model has; %d tokens are assumed", assumedContext))
	}
	return nil
}

// heartbeat keeps the session alive until ctx ends.
func (p *Policy) heartbeat(ctx context.Context) {
	defer close(p.stopped)
	tick := time.NewTicker(heartbeatPeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		body := fmt.Appendf(nil, `{"session_id":%q,"type":"session_heartbeat"}`, p.session)
		// A heartbeat that fails is followed by the next one; a session that has ended shows in the requests.
		p.client.attempt(ctx, call{method: http.MethodPost, path: "session_heartbeat", body: body, contentType: "application/json"}, "heartbeat")
	}
}

// Close ends the session's heartbeats and connections. The model stays on the server until that drops it. Closing twice
// is allowed.
func (p *Policy) Close() error {
	p.stop()
	<-p.stopped
	p.client.http.CloseIdleConnections()
	return nil
}

// create creates a model on the server, from saved weights if a path is given, and a sampler over it. The caller holds
// mu, or is the only one who knows p.
func (p *Policy) create(ctx context.Context, path string) error {
	seed := p.options.Seed
	var made wire.Created
	err := p.client.work(ctx, "create_model", "CreateModel", wire.CreateModel{SessionID: p.session, ModelSeq: p.models,
		BaseModel: p.options.Model, LoraConfig: &wire.LoraConfig{Rank: p.options.Rank, Seed: &seed, TrainUnembed: true, TrainMLP: true, TrainAttn: true},
		Type: "create_model"}, &made)
	if err != nil {
		return err
	}
	p.models++
	if made.ModelID == "" {
		return broken(errors.New("create_model: the result names no model"))
	}
	var info wire.ModelInfo
	if err := p.client.post(ctx, "get_info", wire.ModelRef{ModelID: made.ModelID, Type: "get_info"}, &info); err != nil {
		return err
	}
	if p.skyrl = info.Data.BaseModel != ""; p.skyrl && cap(p.slots) > skyrlLimit { // nobody samples before there is a model
		p.slots = make(chan struct{}, skyrlLimit)
	}
	old := p.model
	p.model, p.seq, p.broken = made.ModelID, 0, nil
	if path != "" {
		var loaded wire.Loaded
		err := p.client.work(ctx, "load_weights", "LoadWeights", wire.LoadWeights{ModelID: p.model, Seq: p.number(), Path: path, Optimizer: true,
			Type: "load_weights"}, &loaded)
		if err != nil {
			return err
		}
	}
	if err := p.renew(ctx); err != nil {
		return err
	}
	if old != "" {
		var gone wire.Created
		// Nothing depends on the old model any more: a server that cannot unload it, or not soon, keeps it for nothing.
		ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
		defer cancel()
		p.client.work(ctx, "unload_model", "UnloadModel", wire.ModelRef{ModelID: old, Type: "unload_model"}, &gone)
	}
	return nil
}

// number is the number of the next request to the model. The caller holds mu.
func (p *Policy) number() int64 {
	p.seq++
	return p.seq
}

// renew opens a sampler over the model's weights as they are. The caller holds mu.
func (p *Policy) renew(ctx context.Context) error {
	n := p.samples
	p.samples++
	var saved wire.Saved
	err := p.client.work(ctx, "save_weights_for_sampler", "SaveWeightsForSampler", wire.SaveWeights{ModelID: p.model, Seq: p.number(),
		SamplerSeq: &n, Type: "save_weights_for_sampler"}, &saved)
	if err != nil {
		return err
	}
	if saved.SamplerID == "" {
		return broken(errors.New("save_weights_for_sampler: the result names no sampling session"))
	}
	p.sampler = &sampler{id: saved.SamplerID, version: p.version}
	return nil
}

// Info implements policy.Sampler.
func (p *Policy) Info() policy.Info { return p.info }

// CountTokens implements policy.Sampler.
func (p *Policy) CountTokens(text string) int { return p.options.Layout.CountTokens(text) }

// Version implements policy.Trainer.
func (p *Policy) Version() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}
