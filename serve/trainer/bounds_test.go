package trainer

import (
	"errors"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"weak"

	"spade/policy/tinker/wire"
)

// sampler opens a sampler over the base model.
func (p *peer) sampler() string {
	p.t.Helper()
	_, opened := p.post("create_sampling_session", wire.CreateSampler{SessionID: p.session(), BaseModel: BaseModel})
	return opened["sampling_session_id"].(string)
}

// dropResults fills the room for results, so that all that were there before are dropped.
func (p *peer) dropResults() {
	for range keptResults {
		p.server.futures.resolve(p.server.futures.open(), result{})
	}
}

// TestHugeSampleCounts: a number of samples that can never be given is refused for good, whatever is being sampled, and
// not put off.
func TestHugeSampleCounts(t *testing.T) {
	p := newPeer(t, t.TempDir())
	id := p.sampler()
	p.server.sampling.Store(1)
	for seq, n := range []int{10_000, 1 << 62, 1<<63 - 1, -1 << 63} {
		number := int64(seq)
		status, answer := p.post("asample", wire.SampleRequest{SessionID: id, Seq: &number, NumSamples: n, Prompt: wire.TextInput([]int32{1, 2})})
		if status != http.StatusOK {
			t.Errorf("%d samples get %d %v", n, status, answer)
			continue
		}
		if named, _ := answer["sample_sequence_ids"].([]any); len(named) > maxSamples {
			t.Errorf("%d samples: %d sequences are named", n, len(named))
		}
		if got := p.result(answer["request_id"].(string)); got["category"] != "user" {
			t.Errorf("%d samples give %v", n, got)
		}
	}
	if got := p.server.sampling.Load(); got != 1 {
		t.Errorf("%d sequences are counted as being sampled, want 1", got)
	}
}

// TestDroppedTraining: what the bound on results drops is nowhere else in memory. A request that is sent again then has the
// same future, whose result is gone; it takes effect once.
func TestDroppedTraining(t *testing.T) {
	p := newPeer(t, t.TempDir())
	model := p.model()
	id := p.ask("forward_backward", lesson(model, 1, "cross_entropy", 10, 20, 30))
	loss(t, p.result(id))
	kept := weak.Make(p.server.futures.get(id))
	p.dropResults()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("a result that was dropped is still in memory")
	}
	if again := p.ask("forward_backward", lesson(model, 1, "cross_entropy", 10, 20, 30)); again != id {
		t.Errorf("sent again, the request has the future %s, not %s", again, id)
	}
	if status, answer := p.post("retrieve_future", wire.RetrieveFuture{RequestID: id}); status != http.StatusGone {
		t.Errorf("a result that was dropped gets %d %v", status, answer)
	}
	if status, answer := p.post("forward_backward", lesson(model, 1, "cross_entropy", 10, 20, 31)); status != http.StatusConflict {
		t.Errorf("another request under the number gets %d %v", status, answer)
	}
}

// TestDroppedSamples: a sampler forgets requests whose results were dropped. One that is sent again is sampled anew, to the
// same sequences.
func TestDroppedSamples(t *testing.T) {
	p := newPeer(t, t.TempDir())
	id := p.sampler()
	ask := func(seq int64) string {
		seed, n := uint64(7), 3
		return p.ask("asample", wire.SampleRequest{SessionID: id, Seq: &seq, NumSamples: 1, Prompt: wire.TextInput([]int32{1533, 519, 1534}),
			Params: wire.SamplingParams{Seed: &seed, MaxTokens: &n}})
	}
	first := ask(0)
	want := p.result(first)
	kept := weak.Make(p.server.futures.get(first))
	from, err := p.server.getSampler(id)
	if err != nil {
		t.Fatal(err)
	}
	const rounds, each = 4, 50
	for round := range rounds {
		for i := range each {
			p.result(ask(int64(1 + round*each + i)))
		}
		p.dropResults()
	}
	from.mu.Lock()
	known := len(from.seen)
	from.mu.Unlock()
	if known > 3*each {
		t.Errorf("%d requests are known, though the results of all are gone", known)
	}
	runtime.GC()
	if kept.Value() != nil {
		t.Error("a result that was dropped is still in memory")
	}
	again := ask(0)
	if got := p.result(again); again == first || !reflect.DeepEqual(got, want) {
		t.Errorf("sent again, %s gives %v; the first, %s, gave %v", again, got, first, want)
	}
}

// TestResultsAreMeasured: the bound on the memory of results counts all of a result.
func TestResultsAreMeasured(t *testing.T) {
	f := newFutures()
	long := errors.New(strings.Repeat("x", 1<<20))
	for range 2 * keptBytes >> 20 {
		f.resolve(f.open(), refused(long))
	}
	if n := len(f.byID); n > keptBytes>>20 {
		t.Errorf("%d failures of 1 MiB each are kept, with room for %d MiB", n, keptBytes>>20)
	}
}

// TestResultsInBothForms: a result is kept once, and read in JSON it is what it is in binary form.
func TestResultsInBothForms(t *testing.T) {
	p := newPeer(t, t.TempDir())
	id := p.sampler()
	seq, seed, n := int64(0), uint64(7), 5
	future := p.ask("asample", wire.SampleRequest{SessionID: id, Seq: &seq, NumSamples: 3, Prompt: wire.TextInput([]int32{1533, 519, 1534}),
		Params: wire.SamplingParams{Seed: &seed, MaxTokens: &n}, PromptLogProbs: true})
	got := p.result(future)
	one := p.server.futures.get(future)
	if one.result.value != nil {
		t.Errorf("a result of %d bytes is kept as %v besides", len(one.result.binary), one.result.value)
	}
	samples, err := wire.DecodeSamples(one.result.binary)
	if err != nil {
		t.Fatal(err)
	}
	sequences, _ := got["sequences"].([]any)
	if len(sequences) != 3 || len(samples.Sequences) != 3 {
		t.Fatalf("3 samples are %d in JSON and %d in binary form", len(sequences), len(samples.Sequences))
	}
	for i, q := range samples.Sequences {
		in := sequences[i].(map[string]any)
		tokens, logProbs := in["tokens"].([]any), in["logprobs"].([]any)
		if len(tokens) != len(q.Tokens) || tokens[0] != float64(q.Tokens[0]) || len(logProbs) != len(q.LogProbs) {
			t.Errorf("sequence %d is %v in JSON and %+v in binary form", i, in, q)
		}
	}
	prompt, _ := got["prompt_logprobs"].([]any)
	if len(prompt) != 3 || prompt[0] != nil || prompt[1] == nil {
		t.Errorf("the log-probabilities of the prompt are %v", prompt)
	}
}
