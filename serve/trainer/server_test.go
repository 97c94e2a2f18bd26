package trainer

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/tinker/wire"
)

// peer is a server under test with its client.
type peer struct {
	t      *testing.T
	server *Server
	url    string
}

func newPeer(t *testing.T, dir string) *peer {
	t.Helper()
	m, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, vocabulary, Options{Dir: dir, Hold: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(s)
	t.Cleanup(func() {
		listener.Close()
		s.Close()
	})
	return &peer{t, s, listener.URL}
}

// post sends JSON and returns status and answer.
func (p *peer) post(path string, body any) (int, map[string]any) {
	p.t.Helper()
	data, ok := body.([]byte)
	if !ok {
		var err error
		if data, err = json.Marshal(body); err != nil {
			p.t.Fatal(err)
		}
	}
	response, err := http.Post(p.url+"/api/v1/"+path, "application/json", bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		p.t.Fatalf("%s answers %q", path, text)
	}
	return response.StatusCode, answer
}

// ask is post for what must be accepted; it returns the id of the future.
func (p *peer) ask(path string, body any) string {
	p.t.Helper()
	status, answer := p.post(path, body)
	if status != http.StatusOK || answer["request_id"] == nil {
		p.t.Fatalf("%s answers %d %v", path, status, answer)
	}
	return answer["request_id"].(string)
}

// result is what became of a future.
func (p *peer) result(id string) map[string]any {
	p.t.Helper()
	status, answer := p.post("retrieve_future", wire.RetrieveFuture{RequestID: id})
	if status != http.StatusOK {
		p.t.Fatalf("retrieve_future answers %d %v", status, answer)
	}
	return answer
}

func (p *peer) session() string {
	p.t.Helper()
	_, answer := p.post("create_session", wire.CreateSession{})
	return answer["session_id"].(string)
}

func (p *peer) model() string {
	p.t.Helper()
	session := p.session()
	got := p.result(p.ask("create_model", wire.CreateModel{SessionID: session, BaseModel: BaseModel}))
	if got["model_id"] != session+":train:0" {
		p.t.Fatalf("create_model gives %v", got)
	}
	return got["model_id"].(string)
}

// lesson is a forward_backward request in JSON.
func lesson(model string, seq int64, loss string, tokens ...int32) map[string]any {
	tensor := func(v any, dtype string) any { return map[string]any{"data": v, "dtype": dtype} }
	ones := make([]float32, len(tokens)-1)
	for i := range ones {
		ones[i] = 1
	}
	return map[string]any{"model_id": model, "seq_id": seq, "forward_backward_input": map[string]any{"loss_fn": loss, "data": []any{map[string]any{
		"model_input":    map[string]any{"chunks": []any{map[string]any{"type": "encoded_text", "tokens": tokens[:len(tokens)-1]}}},
		"loss_fn_inputs": map[string]any{"target_tokens": tensor(tokens[1:], "int64"), "weights": tensor(ones, "float32")},
	}}}}
}

func loss(t *testing.T, result map[string]any) float64 {
	t.Helper()
	metrics, ok := result["metrics"].(map[string]any)
	if !ok {
		t.Fatalf("the result is %v", result)
	}
	return metrics["loss:sum"].(float64)
}

// TestOrder sends requests in another order than their numbers say, some of them twice.
func TestOrder(t *testing.T) {
	p := newPeer(t, t.TempDir())
	run := func(order []int64) (losses [4]float64) {
		model := p.model()
		ids := map[int64]string{}
		for _, seq := range order {
			var id string
			if seq%2 == 0 {
				id = p.ask("optim_step", map[string]any{"model_id": model, "seq_id": seq, "adam_params": map[string]any{"learning_rate": 1e-3}})
			} else {
				id = p.ask("forward_backward", lesson(model, seq, "cross_entropy", 10, 20, 30, 40))
			}
			if old, ok := ids[seq]; ok && old != id {
				t.Errorf("request %d sent again has the future %s, not %s", seq, id, old)
			}
			ids[seq] = id
		}
		for i := range losses {
			losses[i] = loss(t, p.result(ids[int64(2*i+1)]))
			if got := p.result(ids[int64(2*i+2)]); got["metrics"] == nil {
				t.Errorf("step %d gives %v", i, got)
			}
		}
		return losses
	}
	want := run([]int64{1, 2, 3, 4, 5, 6, 7, 8})
	if got := run([]int64{8, 3, 3, 2, 7, 1, 1, 5, 6, 4, 8, 2}); got != want {
		t.Errorf("out of order the losses are %v, in order %v", got, want)
	}
	if !(want[3] < want[0]) {
		t.Errorf("the losses are %v", want)
	}
}

func TestReusedNumbers(t *testing.T) {
	p := newPeer(t, t.TempDir())
	model := p.model()
	p.result(p.ask("forward_backward", lesson(model, 1, "cross_entropy", 1, 2, 3)))
	if status, answer := p.post("forward_backward", lesson(model, 1, "cross_entropy", 1, 2, 4)); status != http.StatusConflict {
		t.Errorf("another request under a used number gets %d %v", status, answer)
	}
}

// TestFailuresTakeTheirPlace: a request that makes no sense fails as a future, and the next one goes on.
func TestFailuresTakeTheirPlace(t *testing.T) {
	p := newPeer(t, t.TempDir())
	model := p.model()
	vocabulary := int32(p.server.model.Config().VocabSize)
	unequal := lesson(model, 3, "cross_entropy", 1, 2, 3)
	unequal["forward_backward_input"].(map[string]any)["data"].([]any)[0].(map[string]any)["loss_fn_inputs"].(map[string]any)["weights"] = map[string]any{"data": []float32{1}}
	for seq, body := range []any{
		lesson(model, 1, "grpo", 1, 2, 3), lesson(model, 2, "ppo", 1, 2, 3), unequal, lesson(model, 4, "cross_entropy", 1, vocabulary),
	} {
		got := p.result(p.ask("forward_backward", body))
		if got["category"] != "user" || got["error"] == "" {
			t.Errorf("request %d gives %v", seq+1, got)
		}
	}
	for seq, body := range []map[string]any{
		{"adam_params": map[string]any{"learning_rate": -1}}, {"adam_params": map[string]any{"beta1": 1}}, {"optimizer_params": map[string]any{"type": "dimuon"}},
	} {
		body["model_id"], body["seq_id"] = model, seq+5
		if got := p.result(p.ask("optim_step", body)); got["category"] != "user" {
			t.Errorf("optim_step with %v gives %v", body, got)
		}
	}
	loss(t, p.result(p.ask("forward_backward", lesson(model, 8, "cross_entropy", 1, 2, 3))))
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	p := newPeer(t, dir)
	model := p.model()
	step := func(model string, seq int64) float64 {
		got := loss(t, p.result(p.ask("forward_backward", lesson(model, seq, "cross_entropy", 10, 20, 30))))
		p.result(p.ask("optim_step", wire.OptimStep{ModelID: model, Seq: seq + 1, Adam: wire.DefaultAdamParams()}))
		return got
	}
	step(model, 1)
	path := p.result(p.ask("save_weights", wire.SaveWeights{ModelID: model, Seq: 3, Path: "one"}))["path"].(string)
	want := [2]float64{step(model, 4), step(model, 6)}
	for i, bad := range []string{"one", "../up", "", ".hidden"} {
		seq := int64(8 + i)
		if got := p.result(p.ask("save_weights", wire.SaveWeights{ModelID: model, Seq: seq, Path: bad})); got["category"] != "user" {
			t.Errorf("saving as %q gives %v", bad, got)
		}
	}
	if got := p.result(p.ask("save_weights", wire.SaveWeights{ModelID: model, Seq: 12, Path: "two"})); got["path"] == path {
		t.Errorf("another name gives %v", got)
	}
	if got := p.result(p.ask("save_weights", wire.SaveWeights{ModelID: model, Seq: 13, Path: "two", Overwrite: true})); got["path"] == nil {
		t.Errorf("overwriting gives %v", got)
	}

	// Another server over the same folder goes on from what was saved, by both ways of loading.
	p = newPeer(t, dir)
	session, number := p.session(), int64(0)
	got := p.result(p.ask("load_weights", wire.LoadWeights{SessionID: session, ModelSeq: &number, Path: path, Optimizer: true}))
	if id := session + ":train:0"; got["model_id"] != id {
		t.Errorf("loading gives %v, want %s", got, id)
	}
	if again := [2]float64{step(session+":train:0", 1), step(session+":train:0", 3)}; again != want {
		t.Errorf("from the saved state the losses are %v, want %v", again, want)
	}
	fresh := p.model()
	if got := p.result(p.ask("load_weights", wire.LoadWeights{ModelID: fresh, Seq: 1, Path: path, Optimizer: true})); got["path"] != path {
		t.Errorf("loading gives %v", got)
	}
	if got := p.result(p.ask("load_weights", wire.LoadWeights{ModelID: fresh, Seq: 2, Path: path})); got["category"] != "user" {
		t.Errorf("loading late gives %v", got)
	}
	for _, bad := range []string{"tinker://x/weights/none", "tinker://../weights/one", "file:///etc/passwd", strings.Replace(path, "weights", "sampler_weights", 1)} {
		other := p.model()
		if got := p.result(p.ask("load_weights", wire.LoadWeights{ModelID: other, Seq: 1, Path: bad})); got["category"] != "user" {
			t.Errorf("loading %s gives %v", bad, got)
		}
	}
}

// TestSamplersStay: a sampler keeps the weights with which it was made.
func TestSamplersStay(t *testing.T) {
	p := newPeer(t, t.TempDir())
	model := p.model()
	zero, one := int64(0), int64(1)
	sample := func(sampler string, seq int64) string {
		seed, n := uint64(7), 12
		got := p.result(p.ask("asample", wire.SampleRequest{SessionID: sampler, Seq: &seq, NumSamples: 3, Prompt: wire.TextInput([]int32{1533, 519, 1534}),
			Params: wire.SamplingParams{Seed: &seed, MaxTokens: &n, Stop: &wire.Stop{}}, PromptLogProbs: true}))
		text, err := json.Marshal(got)
		if err != nil || got["sequences"] == nil {
			t.Fatalf("sampling gives %v", got)
		}
		return string(text)
	}
	open := func(seq int64, number *int64) string {
		return p.result(p.ask("save_weights_for_sampler", wire.SaveWeights{ModelID: model, Seq: seq, SamplerSeq: number}))["sampling_session_id"].(string)
	}
	before := open(1, &zero)
	first := sample(before, 0)
	p.result(p.ask("forward_backward", lesson(model, 2, "cross_entropy", 1533, 519, 1534, 5, 6)))
	p.result(p.ask("optim_step", map[string]any{"model_id": model, "seq_id": 3, "adam_params": map[string]any{"learning_rate": 1e-2}}))
	after := open(4, &one)
	if sample(before, 1) != first {
		t.Error("a step changed an open sampler")
	}
	second := sample(after, 0)
	if second == first {
		t.Error("a sampler that was opened after a step samples as before it")
	}
	path := p.result(p.ask("save_weights_for_sampler", wire.SaveWeights{ModelID: model, Seq: 5, Path: "kept"}))["path"].(string)
	session := p.session()
	status, opened := p.post("create_sampling_session", wire.CreateSampler{SessionID: session, SamplerSeq: 0, ModelPath: path})
	if status != http.StatusOK || sample(opened["sampling_session_id"].(string), 0) != second {
		t.Errorf("saved weights sample otherwise: %d %v", status, opened)
	}
}

func TestSamplingRefuses(t *testing.T) {
	p := newPeer(t, t.TempDir())
	session := p.session()
	_, opened := p.post("create_sampling_session", wire.CreateSampler{SessionID: session, BaseModel: BaseModel})
	id := opened["sampling_session_id"].(string)
	long := make([]int32, 1024)
	for seq, spoil := range []func(*wire.SampleRequest){
		func(r *wire.SampleRequest) { r.Prompt = wire.TextInput(nil) },
		func(r *wire.SampleRequest) { r.Prompt = wire.TextInput(long) },
		func(r *wire.SampleRequest) { r.Prompt = wire.TextInput([]int32{-1}) },
		func(r *wire.SampleRequest) { r.NumSamples = 0 },
		func(r *wire.SampleRequest) { r.NumSamples = 5000 },
		func(r *wire.SampleRequest) { r.TopKPrompt = 5 },
		func(r *wire.SampleRequest) { n := 0; r.Params.MaxTokens = &n },
		func(r *wire.SampleRequest) { v := -1.0; r.Params.Temperature = &v },
		func(r *wire.SampleRequest) { r.Prompt.Chunks[0].Type = "image" },
	} {
		number := int64(seq)
		ask := wire.SampleRequest{SessionID: id, Seq: &number, NumSamples: 1, Prompt: wire.TextInput([]int32{1, 2})}
		spoil(&ask)
		if got := p.result(p.ask("asample", ask)); got["category"] != "user" {
			t.Errorf("request %d gives %v", seq, got)
		}
	}
	if got := p.server.sampling.Load(); got != 0 {
		t.Errorf("%d sequences are counted as being sampled", got)
	}
	if status, answer := p.post("asample", wire.SampleRequest{SessionID: "nobody"}); status != http.StatusNotFound {
		t.Errorf("an unknown sampler gets %d %v", status, answer)
	}
}

func TestLimits(t *testing.T) {
	p := newPeer(t, t.TempDir())
	if status, answer := p.post("create_session", bytes.Repeat([]byte(" "), otherBody+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body gets %d %v", status, answer)
	}
	if status, answer := p.post("create_session", []byte("{")); status != http.StatusUnprocessableEntity {
		t.Errorf("half an object gets %d %v", status, answer)
	}
	if status, answer := p.post("retrieve_future", wire.RetrieveFuture{RequestID: "request-99"}); status != http.StatusGone {
		t.Errorf("an unknown future gets %d %v", status, answer)
	}
	if status, answer := p.post("get_info", wire.ModelRef{ModelID: "nobody"}); status != http.StatusNotFound {
		t.Errorf("an unknown model gets %d %v", status, answer)
	}
}

// TestClose: a server that ends leaves nothing running, and requests for results that are not there end too.
func TestClose(t *testing.T) {
	p := newPeer(t, t.TempDir())
	model := p.model()
	p.ask("forward_backward", lesson(model, 2, "cross_entropy", 1, 2, 3)) // waits for request 1
	p.ask("forward_backward", lesson(model, 1, "cross_entropy", 1, 2, 3))
	p.server.Close()
	stacks := running()
	for range 1000 { // a goroutine that has said that it is over may be seen for a moment
		if stacks == "" {
			return
		}
		time.Sleep(time.Millisecond)
		stacks = running()
	}
	t.Errorf("still running:\n%s", stacks)
}

// running are the stacks of all goroutines if one of them works for a server, else "".
func running() string {
	all := make([]byte, 1<<20)
	stacks := string(all[:runtime.Stack(all, true)])
	if strings.Contains(stacks, "trainer.(*queue).run") || strings.Contains(stacks, "trainer.(*Server).start") {
		return stacks
	}
	return ""
}

// TestOfficialClient trains the embedded model with Tinker's own Python package, where a Python has it.
func TestOfficialClient(t *testing.T) {
	python := os.Getenv("SPADE_TINKER_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import tinker, transformers; print(tinker.__version__)").CombinedOutput(); err != nil {
		t.Skipf("%s has no package tinker (make conformance installs it): %v: %s", python, err, bytes.TrimSpace(out))
	}
	p := newPeer(t, t.TempDir())
	script, err := filepath.Abs("../../examples/tinker_sdk.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, script)
	cmd.Env = append(os.Environ(), "TINKER_BASE_URL="+p.url, "TINKER_API_KEY=tml-test", "TINKER_TELEMETRY=0", "HF_HUB_OFFLINE=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("%v", err)
	}
}
