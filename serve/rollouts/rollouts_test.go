package rollouts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
)

// script is a source whose cycles a test decides.
type script struct {
	mu     sync.Mutex
	cycles [][][]Sample // the first is cycle 1
	over   bool
}

func (s *script) Last() (int, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cycles), !s.over, nil
}

func (s *script) Groups(cycle int) ([][]Sample, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cycle > len(s.cycles) {
		return nil, errors.New("no such cycle")
	}
	return s.cycles[cycle-1], nil
}

// commit adds a cycle with some groups of two samples.
func (s *script) commit(groups int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cycle := len(s.cycles) + 1
	var list [][]Sample
	for g := range groups {
		var group []Sample
		for i := range 2 {
			group = append(group, Sample{Index: 100*cycle + 2*g + i, GroupIndex: 100*cycle + g, Tokens: []int32{1, 2, 3, 4, 5}, ResponseLength: 3,
				LossMask: []int{1, 0, 1}, LogProbs: []float32{-0.5, 0, -1}, Reward: float64(1 - 2*i), Status: "completed", WeightVersions: []string{"3"},
				Prompt: "p", Response: "r", Metadata: Metadata{Role: "agent", EnvID: "e", Arm: "unhinted", Skill: "sum", Cycle: cycle, RawReward: float64(i)}})
		}
		list = append(list, group)
	}
	s.cycles = append(s.cycles, list)
}

func open(t *testing.T, s Source, path string) (*Server, string) {
	t.Helper()
	server, err := New(s, path)
	if err != nil {
		t.Fatal(err)
	}
	server.hold = 50 * time.Millisecond
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		listener.Close()
		server.Close()
	})
	return server, listener.URL
}

func ask(t *testing.T, url, path string, body map[string]int, out any) int {
	t.Helper()
	data, _ := json.Marshal(body)
	response, err := http.Post(url+path, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func lease(t *testing.T, url string, id, n int) Lease {
	t.Helper()
	var l Lease
	if status := ask(t, url, "/v1/rollouts:lease", map[string]int{"rollout_id": id, "n": n}, &l); status != http.StatusOK {
		t.Fatalf("lease %d: status %d", id, status)
	}
	return l
}

func indices(l Lease) (list []int) {
	for _, g := range l.Groups {
		list = append(list, g[0].GroupIndex)
	}
	return list
}

// TestLeases: every group belongs to one number, in order, across cycles, servers and crashes.
func TestLeases(t *testing.T) {
	s, path := &script{}, filepath.Join(t.TempDir(), "rollouts.jsonl")
	s.commit(3)
	s.commit(0)
	s.commit(4)
	first, url := open(t, s, path)
	if got := indices(lease(t, url, 10, 2)); !reflect.DeepEqual(got, []int{100, 101}) {
		t.Errorf("the first lease holds %v", got)
	}
	if got := indices(lease(t, url, 11, 3)); !reflect.DeepEqual(got, []int{102, 300, 301}) {
		t.Errorf("the second lease holds %v", got)
	}
	if l := lease(t, url, 12, 3); !l.Pending || len(l.Groups) > 0 {
		t.Errorf("a lease of more than there is gives %+v", l)
	}
	var answer map[string]any
	if status := ask(t, url, "/v1/rollouts:ack", map[string]int{"rollout_id": 10}, &answer); status != http.StatusOK {
		t.Errorf("ack gives %d %v", status, answer)
	}
	if status := ask(t, url, "/v1/rollouts:ack", map[string]int{"rollout_id": 12}, &answer); status != http.StatusConflict {
		t.Errorf("ack of nothing gives %d %v", status, answer)
	}
	if _, err := New(s, path); err == nil {
		t.Error("two servers lease the same run")
	}
	first.Close()

	// A line was being written when the server was killed.
	torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	torn.WriteString(`{"rollout_id":12,"sp`)
	torn.Close()
	s.commit(1)
	_, url = open(t, s, path)
	if got := indices(lease(t, url, 11, 99)); !reflect.DeepEqual(got, []int{102, 300, 301}) {
		t.Errorf("after a crash the second lease holds %v", got)
	}
	if got := indices(lease(t, url, 12, 3)); !reflect.DeepEqual(got, []int{302, 303, 400}) {
		t.Errorf("the third lease holds %v", got)
	}
	s.over = true
	if l := lease(t, url, 13, 1); !l.Done {
		t.Errorf("after the end of the run a lease gives %+v", l)
	}
}

func TestRefusals(t *testing.T) {
	_, url := open(t, &script{}, filepath.Join(t.TempDir(), "rollouts.jsonl"))
	for _, body := range []map[string]int{{}, {"rollout_id": 1}, {"rollout_id": -1, "n": 1}, {"rollout_id": 1, "n": 1 << 20}} {
		var answer map[string]any
		if status := ask(t, url, "/v1/rollouts:lease", body, &answer); status != http.StatusBadRequest || answer["detail"] == nil {
			t.Errorf("%v gives %d %v", body, status, answer)
		}
	}
}

// TestAtropos hands a run to a broker that fails now and then and whose trainer has not started at first, twice.
func TestAtropos(t *testing.T) {
	s, path := &script{over: true}, filepath.Join(t.TempDir(), "rollouts.jsonl")
	s.commit(3)
	s.commit(2)
	seven := slices.Repeat(s.cycles[0][0], 4)[:7] // parts of 4 and 2, and one left over
	s.cycles[1] = append(s.cycles[1], seven)
	got, sizes := map[int][]scored{}, map[int]int{}
	calls, early, gone := 0, 0, 0
	broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, _ := io.ReadAll(r.Body)
		var env struct {
			Size int `json:"group_size"`
		}
		var one scored
		switch {
		case calls%3 == 2:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case r.URL.Path == "/register-env" && early == 0:
			early++
			w.Write([]byte(`{"status":"wait for trainer to start"}`))
		case r.URL.Path == "/register-env":
			json.Unmarshal(body, &env)
			id := len(sizes)
			sizes[id] = env.Size
			fmt.Fprintf(w, `{"status":"success","env_id":%d,"wandb_name":"spade"}`, id)
		case r.URL.Path == "/scored_data":
			if err := json.Unmarshal(body, &one); err != nil || len(one.Tokens) != sizes[one.EnvID] {
				t.Errorf("%d samples for groups of %d: %v", len(one.Tokens), sizes[one.EnvID], err)
			}
			got[len(one.Tokens)] = append(got[len(one.Tokens)], one)
			w.Write([]byte(`{"status":"received"}`))
		default:
			gone++
			w.Write([]byte(`{}`))
		}
	}))
	defer broker.Close()
	server, _ := open(t, s, path)
	var waits []string
	for range 2 { // the second time there is nothing left
		err := server.Atropos(t.Context(), broker.URL+"/", 1000, func(int) {}, func(why string) { waits = append(waits, why) })
		if err != nil {
			t.Fatal(err)
		}
	}
	want := scored{EnvID: 0, Tokens: [][]int32{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}}, Masks: [][]int32{{-100, -100, 3, -100, 5}, {-100, -100, 3, -100, 5}},
		Scores: []float64{0, 1}, LogProbs: [][]float32{{0, 0, -0.5, 0, -1}, {0, 0, -0.5, 0, -1}}}
	if len(got) != 2 || len(got[2]) != 6 || len(got[4]) != 1 || !reflect.DeepEqual(got[2][0], want) || gone < 2 {
		t.Errorf("the broker got groups %v; %d farewells", got, gone)
	}
	if !slices.Equal(waits, []string{"wait for trainer to start"}) {
		t.Errorf("waited for %q", waits)
	}
}

// TestAtroposPythonPackage hands a run to the broker of the real package, and takes it out again as a trainer does: by
// batches that are put together from all of it.
func TestAtroposPythonPackage(t *testing.T) {
	python := os.Getenv("SPADE_ATROPOS_PYTHON")
	if python == "" {
		t.Skip("SPADE_ATROPOS_PYTHON names no Python with the package atroposlib")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	cmd := exec.Command(python, "-m", "atroposlib.cli.run_api", "--host", "127.0.0.1", "--port", port)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	defer func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s", said.String())
		}
	}()
	trainer := []byte(`{"wandb_group":"","wandb_project":"","batch_size":4,"max_token_len":100,"checkpoint_dir":"","save_checkpoint_interval":0,"starting_step":0,"num_steps":4}`)
	for once(t.Context(), url+"/register", trainer, nil) != nil { // until the broker is up
		select {
		case <-time.After(poll):
		case <-ended:
			t.Fatal("the broker ended before it answered")
		}
	}
	batch := func() (groups []scored) {
		t.Helper()
		response, err := http.Get(url + "/batch")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var answer struct{ Batch []scored }
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer.Batch
	}
	s := &script{over: true}
	s.commit(6)
	s.cycles[0][5] = slices.Repeat(s.cycles[0][5], 4)[:7]
	server, _ := open(t, s, filepath.Join(t.TempDir(), "rollouts.jsonl"))
	handed := 0
	err = server.Atropos(t.Context(), url, 1000, func(int) { handed++ }, func(why string) {
		t.Logf("the broker says: %s", why)
		batch() // the trainer starts
	})
	if err != nil || handed != 6 {
		t.Fatalf("%d groups were handed over: %v", handed, err)
	}
	samples := map[int]int{} // by size of their group
	for groups := batch(); len(groups) > 0; groups = batch() {
		n := 0
		for _, g := range groups {
			n += len(g.Tokens)
			samples[len(g.Tokens)] += len(g.Tokens)
			if !reflect.DeepEqual(g.Masks[0], []int32{-100, -100, 3, -100, 5}) || g.LogProbs[0][2] != -0.5 {
				t.Errorf("a group came back as %+v", g)
			}
		}
		if n != 4 {
			t.Errorf("a batch of %d samples, want 4", n)
		}
	}
	if want := map[int]int{2: 12, 4: 4}; !reflect.DeepEqual(samples, want) {
		t.Errorf("the trainer got samples in groups of %v, want %v", samples, want)
	}
}

// TestPythonPackage hands leases to slime and TRL through spade_rl. slime's Sample and TRL's trainer are the real ones
// where a Python has them; slime is in no package index, so elsewhere its class is stood in for by the fields that it has.
func TestPythonPackage(t *testing.T) {
	python := os.Getenv("SPADE_TRL_PYTHON")
	if python == "" {
		python = "python3"
	}
	s := &script{over: true}
	s.commit(6)
	_, url := open(t, s, filepath.Join(t.TempDir(), "rollouts.jsonl"))
	cmd := exec.CommandContext(t.Context(), python, "testdata/contract.py")
	cmd.Env = append(os.Environ(), "SPADE_ROLLOUTS="+url, "PYTHONPATH=../../python/spade_rl/src"+string(os.PathListSeparator)+os.Getenv("SPADE_SLIME"), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("%v", err)
	}
}
