package tinker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spade"
	"spade/policy"
	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/policytest"
	"spade/policy/tinker"
	"spade/policy/tinker/wire"
	"spade/policy/token"
	"spade/serve/trainer"
)

// layout lays conversations out for the embedded model.
type layout struct{ *local.Format }

func (l layout) Begin(role spade.Role) (tinker.Conversation, error) { return l.Conversation(role) }

// embedded is the base model, and how it lays out conversations.
var embedded = sync.OnceValues(func() (*local.Policy, error) {
	m, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		return nil, err
	}
	return local.New(m, vocabulary, local.Options{})
})

func mustEmbedded(t *testing.T) *local.Policy {
	t.Helper()
	p, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newTrainer is a server that trains the embedded model.
func newTrainer(t *testing.T) *trainer.Server {
	t.Helper()
	m, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	return trains(t, m, vocabulary)
}

// newFresh is a server that trains a small model with fresh weights. A step moves it where the suite expects: unlike the
// base model, it has nothing to lose.
func newFresh(t *testing.T) *trainer.Server {
	t.Helper()
	_, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	m, err := local.NewModel(local.Config{VocabSize: vocabulary.Size(), HiddenSize: 32, IntermediateSize: 48, Layers: 2,
		Heads: 4, KVHeads: 2, HeadDim: 8, Context: 192, RopeTheta: 10000, NormEpsilon: 1e-6}, spade.Stream(1, 0, 0, "fresh"))
	if err != nil {
		t.Fatal(err)
	}
	return trains(t, m, vocabulary)
}

func trains(t *testing.T, m *local.Model, vocabulary *token.Tokenizer) *trainer.Server {
	t.Helper()
	s, err := trainer.New(m, vocabulary, trainer.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// serve makes a server of a handler.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func open(t *testing.T, o tinker.Options) *tinker.Policy {
	t.Helper()
	o.Layout = layout{mustEmbedded(t).Format()}
	p, err := tinker.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestPolicyKeepsTheContract(t *testing.T) {
	url := serve(t, newFresh(t))
	policytest.RunTrainer(t, func(t *testing.T) policy.Trainer { return open(t, tinker.Options{URL: url}) })
}

// play samples conversations of both roles and makes a batch of them.
func play(t *testing.T, p policy.Sampler, cycle int) policy.Batch {
	t.Helper()
	batch := policy.Batch{Loss: policy.Loss{ClipLow: 0.2, ClipHigh: 0.28}, LearningRate: 3e-4, MaxGradNorm: 1}
	for n := range 24 {
		role, message := spade.Agent, spade.Message{Speaker: spade.User, Name: spade.NameObservation, Content: "crane mod 8 at 3"}
		if n%6 == 0 {
			role, message = spade.Designer, spade.Message{Speaker: spade.User, Name: spade.NamePassage, Content: "the crane lifts"}
		}
		s, err := p.Open(t.Context(), policy.Spec{Role: role, Rand: spade.Stream(1, cycle, n, "play"), Temperature: 1, MaxTokens: 24})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Reply(t.Context(), message)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		weight := 1.0 / 400
		if role == spade.Designer {
			weight *= 3
		}
		batch.Sequences = append(batch.Sequences, policy.Sequence{Role: role, Tokens: r.Tokens, LogProbs: r.LogProbs, Mask: r.Mask,
			Advantage: float64(n%5) - 2, Weight: weight})
	}
	return batch
}

// TestTrainsLikeTheDirectTrainer takes steps on the same data through the protocol and directly: loss, gradient and what
// is sampled afterwards are nearly equal, for each loss.
func TestTrainsLikeTheDirectTrainer(t *testing.T) {
	url := serve(t, newTrainer(t))
	for _, loss := range []string{"ppo", "importance_sampling", "truncated"} {
		direct, err := mustEmbedded(t).Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		options := tinker.Options{URL: url, Loss: loss}
		if loss == "truncated" {
			options.Loss = ""
		}
		remote := open(t, options)
		for cycle := range 4 {
			batch := play(t, direct, cycle/2) // every second step is on data that the weights have left behind
			switch loss {
			case "importance_sampling":
				batch.Loss = policy.Loss{ClipLow: 1, ClipHigh: 1e9}
			case "truncated":
				batch.Loss.Truncation = 1.1
			}
			want, err := direct.Train(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			got, err := remote.Train(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, step %d: loss %.9f and %.9f, gradient %.7f and %.7f, kl %.2e and %.2e", loss, cycle+1,
				want["loss"], got["loss"], want["grad_norm"], got["grad_norm"], want["kl"], got["kl"])
			for _, name := range []string{"loss", "grad_norm", "kl", "clip_fraction", "tokens"} {
				if d := math.Abs(got[name] - want[name]); d > 1e-4*max(1, math.Abs(want[name])) {
					t.Errorf("%s, step %d: %s is %v through the protocol and %v directly", loss, cycle+1, name, got[name], want[name])
				}
			}
		}
		a, b := play(t, direct, 9), play(t, remote, 9)
		same := 0
		for i := range a.Sequences {
			x, y := a.Sequences[i], b.Sequences[i]
			// A draw may fall on the border between two tokens; what follows is another conversation.
			for j := 0; j < min(len(x.Tokens), len(y.Tokens)) && x.Tokens[j] == y.Tokens[j]; j++ {
				same++
				if d := math.Abs(float64(x.LogProbs[j] - y.LogProbs[j])); d > 1e-3 {
					t.Errorf("%s: token %d of conversation %d has log-probability %v directly and %v through the protocol", loss, j, i, x.LogProbs[j], y.LogProbs[j])
				}
			}
		}
		if same < 150 {
			t.Errorf("%s: only %d tokens are the same", loss, same)
		}
	}
}

// TestNoReference: what the protocol does not know is refused, and the policy goes on.
func TestNoReference(t *testing.T) {
	remote := open(t, tinker.Options{URL: serve(t, newTrainer(t))})
	batch := play(t, remote, 0)
	batch.Sequences[3].KL = 1e-3
	if _, err := remote.Train(t.Context(), batch); err == nil || remote.Version() != 0 {
		t.Errorf("a batch with a distance to a reference gives %v and version %d", err, remote.Version())
	}
	batch.Sequences[3].KL = 0
	if _, err := remote.Train(t.Context(), batch); err != nil {
		t.Error(err)
	}
}

// TestEntropyReachesTheData: the bonus makes sampled tokens less probable the more probable they were.
func TestEntropyReachesTheData(t *testing.T) {
	remote := open(t, tinker.Options{URL: serve(t, newTrainer(t))})
	batch := play(t, remote, 0)
	for i := range batch.Sequences {
		batch.Sequences[i].Advantage, batch.Sequences[i].Entropy = 0, 1.0/400
	}
	batch.LearningRate = 1e-3
	before, err := remote.Train(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := remote.Train(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	after, err := remote.Train(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if !(after["entropy"] > before["entropy"]) {
		t.Errorf("the estimate of the entropy goes from %v to %v", before["entropy"], after["entropy"])
	}
}

// unsteady stands between client and server and loses things: requests before they arrive and answers on their way.
type unsteady struct {
	handler http.Handler

	mu   sync.Mutex
	draw func() float64
	lost int
}

func (u *unsteady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	x := u.draw()
	if x < 0.3 {
		u.lost++
	}
	u.mu.Unlock()
	switch {
	case x < 0.1:
		w.Header().Set("Retry-After", "0")
		http.Error(w, "try later", http.StatusServiceUnavailable)
	case x < 0.2: // it arrives, and the answer does not
		u.handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case x < 0.3: // half of the answer
		recorded := httptest.NewRecorder()
		u.handler.ServeHTTP(recorded, r)
		w.Header().Set("Content-Length", "100000")
		w.Write(recorded.Body.Bytes()[:recorded.Body.Len()/2])
	default:
		u.handler.ServeHTTP(w, r)
	}
}

// TestUnsteadyServer: whatever is lost on the way, every request takes effect once and the results are the same.
func TestUnsteadyServer(t *testing.T) {
	steady := open(t, tinker.Options{URL: serve(t, newTrainer(t))})
	u := &unsteady{handler: newTrainer(t), draw: spade.Stream(1, 0, 0, "losses").Float64}
	remote := open(t, tinker.Options{URL: serve(t, u)})
	for cycle := range 2 {
		a, b := play(t, steady, cycle), play(t, remote, cycle)
		for i := range a.Sequences {
			if len(a.Sequences[i].Tokens) != len(b.Sequences[i].Tokens) {
				t.Fatalf("cycle %d: conversation %d differs", cycle, i)
			}
		}
		want, err := steady.Train(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := remote.Train(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if got["loss"] != want["loss"] || got["grad_norm"] != want["grad_norm"] {
			t.Errorf("cycle %d: %v, want %v", cycle, got, want)
		}
	}
	if u.lost < 10 {
		t.Errorf("only %d requests or answers were lost", u.lost)
	}
}

// TestForgetfulServer: a sample that the server keeps forgetting is given up, not asked for without an end.
func TestForgetfulServer(t *testing.T) {
	handler, asked := newFresh(t), 0
	p := open(t, tinker.Options{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Tinker-Request-Type") == "Sample" {
			asked++
			http.Error(w, "forgotten", http.StatusGone)
			return
		}
		handler.ServeHTTP(w, r)
	}))})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := p.Open(ctx, policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, 0, "forgotten"), Temperature: 1, MaxTokens: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Reply(ctx, spade.Message{Speaker: spade.User, Name: spade.NameObservation, Content: "crane mod 8 at 3"})
	if err == nil || ctx.Err() != nil || asked < 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// TestBusyServer: a result that takes its time is waited for as long as the server answers other requests.
func TestBusyServer(t *testing.T) {
	handler := newFresh(t)
	var asked, alive atomic.Int32
	open(t, tinker.Options{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/retrieve_future") && asked.Add(1) <= 4:
			http.Error(w, `{"detail":"not ready"}`, http.StatusRequestTimeout)
			return
		case strings.HasSuffix(r.URL.Path, "/get_server_capabilities"):
			alive.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))})
	if asked.Load() < 5 || alive.Load() != 5 {
		t.Errorf("asked for results %d times, whether the server is alive %d times, want 5", asked.Load(), alive.Load())
	}
}

// TestRefusals: what cannot succeed fails at once, and says what to do.
func TestRefusals(t *testing.T) {
	url := serve(t, newTrainer(t))
	for name, o := range map[string]tinker.Options{
		"another model": {URL: url, Model: "Qwen/Qwen3-8B"},
		"another loss":  {URL: url, Loss: "grpo"},
		"another path":  {URL: url + "/elsewhere"},
	} {
		o.Layout = layout{mustEmbedded(t).Format()}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if p, err := tinker.Open(ctx, o); err == nil {
			t.Errorf("%s: opens", name)
			p.Close()
		} else if ctx.Err() != nil {
			t.Errorf("%s: no answer in time", name)
		}
		cancel()
	}
}

// TestUnknownTokens: a server that samples tokens which the tokenizer has not is blamed.
func TestUnknownTokens(t *testing.T) {
	handler, size := newFresh(t), int32(mustEmbedded(t).Format().Size())
	for _, id := range []int32{-1, size, math.MaxInt32} {
		samples := wire.Samples{Sequences: []wire.Sampled{{Tokens: []int32{5, id}, LogProbs: []float32{-1, -1}}}}
		p := open(t, tinker.Options{URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Tinker-Request-Type") == "Sample" {
				json.NewEncoder(w).Encode(samples.JSON())
				return
			}
			handler.ServeHTTP(w, r)
		}))})
		s, err := p.Open(t.Context(), policy.Spec{Role: spade.Agent, Rand: spade.Stream(1, 0, 0, "unknown"), Temperature: 1, MaxTokens: 8})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Reply(t.Context(), spade.Message{Speaker: spade.User, Name: spade.NameObservation, Content: "crane mod 8 at 3"})
		s.Close()
		var known *spade.Error
		want := fmt.Sprintf("the server sampled the token %d, and the tokenizer has %d", id, size)
		if !errors.As(err, &known) || known.Boundary != spade.ByPolicy || known.Next == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("token %d: %v", id, err)
		}
	}
}
