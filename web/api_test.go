package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"spade"
)

var update = flag.Bool("update", false, "write the golden files")

// serve returns a server of one fake run and a function that asks it.
func serve(t *testing.T, run *fakeRun, change func(*Options)) (*Server, func(method, path, body string) *httptest.ResponseRecorder) {
	options := Options{Runs: []Named{{"fake", func() (Run, error) { return run, nil }}}, Hosts: []string{"localhost", "127.0.0.1", "::1"},
		Project: func(sources []string) [][2]float64 { return make([][2]float64, len(sources)) }, Table: &fakeTable{}}
	if change != nil {
		change(&options)
	}
	s := New(options)
	t.Cleanup(s.Close)
	handler := s.Handler()
	return s, func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "localhost:7737"
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
}

// paths are one of each kind of answer.
func paths(run *fakeRun) map[string]string {
	id := run.env(0).ID
	return map[string]string{
		"runs": "runs", "overview": "runs/fake", "cycles": "runs/fake/cycles", "environments": "runs/fake/environments", "environment": "runs/fake/environments/" + id,
		"episodes": "runs/fake/episodes/1/" + id + "/0?tokens=1", "design": "runs/fake/designs/1/1", "passages": "runs/fake/passages", "passage": "runs/fake/passages/p1",
		"jail": "runs/fake/jail", "memory": "runs/fake/memory",
	}
}

func TestAnswers(t *testing.T) {
	run := newFakeRun()
	_, ask := serve(t, run, nil)
	for name, path := range paths(run) {
		w := ask("GET", "/api/v1/"+path, "")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
			continue
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, w.Body.Bytes(), "", " "); err != nil {
			t.Fatal(err)
		}
		indented.WriteByte('\n')
		golden := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(golden, indented.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(indented.Bytes(), want) {
			t.Errorf("%s differs from %s (go test ./web -update writes it anew):\n%s", path, golden, indented.Bytes())
		}
	}
}

// TestAnswersAreDocumented holds docs/api.md against the types: every field that an answer may have is named there.
func TestAnswersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = true
	}
	for _, answer := range []any{runAnswer{}, overviewAnswer{}, cyclesAnswer{}, environmentsAnswer{}, mapAnswer{}, environmentAnswer{}, pairAnswer{}, designAnswer{}, corpusAnswer{},
		passageAnswer{}, jailAnswer{}, memoryAnswer{}, dealt{}, stateEvent{}} {
		for _, name := range fieldNames(reflect.TypeOf(answer)) {
			if !documented[name] {
				t.Errorf("docs/api.md does not name the field `%s` of %T", name, answer)
			}
		}
	}
}

// fieldNames are the JSON names in a type and in what it holds.
func fieldNames(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return fieldNames(t.Elem())
	case reflect.Struct:
		var names []string
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
			}
			names = append(names, fieldNames(t.Field(i).Type)...)
		}
		return names
	}
	return nil
}

func TestProblems(t *testing.T) {
	_, ask := serve(t, newFakeRun(), nil)
	for path, want := range map[string]int{
		"/api/v1/runs/other": 404, "/api/v1/runs/fake/environments/none": 404, "/api/v1/runs/fake/episodes/1/none/0": 404, "/api/v1/runs/fake/episodes/x/none/0": 400,
		"/api/v1/runs/fake/designs/1/99": 404, "/api/v1/runs/fake/designs/1/-1": 400, "/api/v1/runs/fake/passages/none": 404, "/api/v1/runs/fake/cycles?after=x": 400,
		"/api/v1/nothing": 404, "/api/": 404, "/nothing.js": 404,
	} {
		w := ask("GET", path, "")
		var answer struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); w.Code != want || err != nil || answer.Error == "" {
			t.Errorf("%s: %d %s, want %d and an error", path, w.Code, w.Body, want)
		}
	}
}

// TestCommittedMeanwhile checks that answers follow a run that goes on.
func TestCommittedMeanwhile(t *testing.T) {
	run := newFakeRun()
	run.last = 1
	_, ask := serve(t, run, nil)
	count := func() (n int) {
		var a environmentsAnswer
		if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/environments", "").Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		return len(a.ID)
	}
	if n := count(); n != 1 {
		t.Fatalf("%d environments after the first cycle", n)
	}
	run.last = 2
	if n := count(); n != 2 {
		t.Fatalf("%d environments after the second cycle", n)
	}
	var c cyclesAnswer
	if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/cycles?after=1", "").Body.Bytes(), &c); err != nil || len(c.Cycle) != 1 || c.Cycle[0] != 2 {
		t.Errorf("after cycle 1: %v, %v", c.Cycle, err)
	}
}

func TestMap(t *testing.T) {
	_, ask := serve(t, newFakeRun(), nil)
	var a mapAnswer
	for deadline := time.Now().Add(time.Minute); !a.Ready && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/map", "").Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
	}
	if !a.Ready || len(a.X) != 2 || len(a.Y) != 2 {
		t.Errorf("%+v", a)
	}
}

// TestNames asks for the environments until their sources were read: the answer does not wait for that.
func TestNames(t *testing.T) {
	_, ask := serve(t, newFakeRun(), nil)
	var e environmentsAnswer
	for deadline := time.Now().Add(time.Minute); (e.Names == nil || e.Names[0] == nil) && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		e = environmentsAnswer{}
		if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/environments", "").Body.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
	}
	if want := [][]string{{"goal"}, {}}; !reflect.DeepEqual(e.Names, want) {
		t.Errorf("names %v, want %v", e.Names, want)
	}
}

// TestRefusals holds the codes of the jail against those that the statistics of a cycle count; each is listed once.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		verdict spade.Verdict
		want    []string
	}{
		{spade.Verdict{Stage: "reply", Reasons: []spade.Reason{{Code: spade.Syntax, Detail: "no block"}}}, []string{"no_source"}},
		{spade.Verdict{Stage: spade.StagePolicy}, []string{"no_reply"}},
		{spade.Verdict{Stage: "seeds", Reasons: []spade.Reason{{Code: spade.Trivial, Detail: "won"}, {Code: spade.OffTopic}}}, []string{"trivial", "off_topic"}},
		{spade.Verdict{Stage: "static", Reasons: []spade.Reason{{Code: spade.ForbiddenImport, Detail: "os"}, {Code: spade.HiddenIO}, {Code: spade.ForbiddenImport, Detail: "socket"}}},
			[]string{"forbidden_import", "hidden_io"}},
	} {
		run := newFakeRun()
		run.cycles[1].Designs[1].Verdict = test.verdict
		_, ask := serve(t, run, nil)
		var a jailAnswer
		if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/jail", "").Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Designs.Codes) == 0 || !slices.Equal(a.Designs.Codes[0], test.want) {
			t.Errorf("a verdict of stage %s is listed under %v, want %v", test.verdict.Stage, a.Designs.Codes, test.want)
		}
	}
}

// TestDesignerRewardParts: the parts are of what designs earned by being played. Designs whose first answer was refused earn
// its price, whatever a repair made of it, and those that no cycle has rewarded yet nothing.
func TestDesignerRewardParts(t *testing.T) {
	refused := func(run *fakeRun, price float64) {
		c := &run.cycles[1]
		c.Designs[0].First, c.Designs[0].Raw, c.Scores[0].Raw = c.Designs[1].Verdict, price, price
		c.Designs[0].Repairs = []spade.Repair{{Fault: "it does not load", Reply: "again"}}
	}
	for name, test := range map[string]struct {
		change         func(*fakeRun)
		anchor, regret float64
	}{
		"first answers":    {func(*fakeRun) {}, 0.25, 0.05},
		"a repaired one":   {func(run *fakeRun) { refused(run, 0) }, 0, 0},
		"a repaired hang":  {func(run *fakeRun) { refused(run, -0.5) }, 0, 0},
		"a window goes on": {func(run *fakeRun) { run.cycles[1].Designs = nil }, 0, 0},
		"below 0 and masked": {func(run *fakeRun) {
			d := &run.cycles[1].Designs[0]
			d.Raw, d.Masked, run.cycles[1].Scores[0].Raw = -0.1, true, -0.1
		}, 0.25, -0.3},
		"a window ends": {func(run *fakeRun) { run.cycles[1].Stats.Designed = 0 }, 0.25, 0.05},
	} {
		run := newFakeRun()
		for i := range run.cycles[1].Designs {
			run.cycles[1].Designs[i].Raw = []float64{0.6, 0}[i]
		}
		run.cycles[1].Scores[0].Raw = 0.6
		test.change(run)
		_, ask := serve(t, run, nil)
		var c cyclesAnswer
		if err := json.Unmarshal(ask("GET", "/api/v1/runs/fake/cycles", "").Body.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.AnchorPart[1]-test.anchor) > 1e-9 || math.Abs(c.RegretPart[1]-test.regret) > 1e-9 {
			t.Errorf("%s: parts %g and %g, want %g and %g", name, c.AnchorPart[1], c.RegretPart[1], test.anchor, test.regret)
		}
	}
}

// TestStream reads the events of a run from a real server.
func TestStream(t *testing.T) {
	run := newFakeRun()
	s, _ := serve(t, run, nil)
	s.Progress(Phase{Cycle: 3, Name: "self-play", Done: 1, Total: 2})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/v1/runs/fake/events", nil)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() (e stateEvent) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					t.Fatal(err)
				}
				return e
			}
		}
		t.Fatal("the stream ended")
		return e
	}
	if e := next(); e.Committed != 2 || e.Phase == nil || e.Phase.Name != "self-play" {
		t.Errorf("first %+v", e)
	}
	s.Progress(Phase{Cycle: 3, Name: "training"})
	if e := next(); e.Phase == nil || e.Phase.Name != "training" {
		t.Errorf("then %+v", e)
	}
}

// TestFoldersInNames: runs of one name are told apart by the folders above them, as one part of the address.
func TestFoldersInNames(t *testing.T) {
	finished, going := newFakeRun(), newFakeRun()
	going.last = 1
	_, ask := serve(t, finished, func(o *Options) {
		o.Runs = []Named{{"a/r", func() (Run, error) { return finished, nil }}, {"b/r", func() (Run, error) { return going, nil }}}
	})
	for name, want := range map[string]int{"a/r": 2, "b/r": 1} {
		var a overviewAnswer
		w := ask("GET", "/api/v1/runs/"+url.PathEscape(name), "")
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Name != name || a.Committed != want {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if text := ask("GET", "/metrics", "").Body.String(); !strings.Contains(text, "spade_cycle{run=\"a/r\"} 2\nspade_cycle{run=\"b/r\"} 1\n") {
		t.Errorf("metrics:\n%s", text)
	}
}

func TestMetrics(t *testing.T) {
	_, ask := serve(t, newFakeRun(), func(o *Options) { o.Runs[0].Name = `a"b` })
	text := ask("GET", "/metrics", "").Body.String()
	for _, want := range []string{"# TYPE spade_cycle gauge\nspade_cycle{run=\"a\\\"b\"} 2\n", "spade_running{run=\"a\\\"b\"} 0\n", "spade_environments{run=\"a\\\"b\"} 2\n", "spade_env_avg_regret{",
		"# HELP spade_running 1 while a process writes the run\n", "# HELP spade_env_avg_regret mean return with the hint minus without"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	line := regexp.MustCompile(`^(# HELP [a-zA-Z_:][a-zA-Z0-9_:]* [^\n]+|# TYPE [a-zA-Z_:][a-zA-Z0-9_:]* gauge|[a-zA-Z_:][a-zA-Z0-9_:]*\{run="([^"\\]|\\.)*"\} \S+)$`)
	for l := range strings.Lines(text) {
		if !line.MatchString(strings.TrimRight(l, "\n")) {
			t.Errorf("not in the text format: %q", l)
		}
	}
}

// fakeTable plays a game of two turns that "win" wins.
type fakeTable struct {
	open int
	run  Run
}

type fakeGame struct {
	table *fakeTable
	state GameState
}

func (t *fakeTable) Deal(_ context.Context, run Run, _ spade.Environment, _ int64) (Game, error) {
	t.open++
	t.run = run
	return &fakeGame{t, GameState{Observation: "go", Budget: 2, Status: "playing"}}, nil
}

func (g *fakeGame) State() GameState { return g.state }
func (g *fakeGame) Close() error     { g.table.open--; return nil }

func (g *fakeGame) Step(_ context.Context, action string) (GameState, error) {
	g.state.Turn++
	g.state.Observation = action
	if action == "win" {
		g.state.Status, g.state.Return = "won", 1
	}
	return g.state, nil
}

func TestPlaying(t *testing.T) {
	run, table := newFakeRun(), &fakeTable{}
	s, ask := serve(t, run, func(o *Options) { o.Table = table })
	start := func() (d dealt) {
		w := ask("POST", "/api/v1/runs/fake/play", `{"env":"`+run.env(0).ID+`","seed":"-3"}`)
		if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return d
	}
	d := start()
	if d.Seed != -3 || d.State.Observation != "go" || d.Hint == "" || table.run != run {
		t.Errorf("%+v, of the run %v", d, table.run)
	}
	for _, action := range []string{"look", "win"} {
		var state GameState
		w := ask("POST", "/api/v1/play/"+d.Game+"/step", `{"action":"`+action+`"}`)
		if err := json.Unmarshal(w.Body.Bytes(), &state); err != nil || state.Observation != action {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if w := ask("POST", "/api/v1/play/"+d.Game+"/step", `{"action":"more"}`); w.Code != http.StatusNotFound || table.open != 0 {
		t.Errorf("a game that is over answers %d; %d are open", w.Code, table.open)
	}
	left := start()
	ask("DELETE", "/api/v1/play/"+left.Game, "")
	if table.open != 0 {
		t.Errorf("a game that was left is still open")
	}
	for range maxGames {
		start()
	}
	if w := ask("POST", "/api/v1/runs/fake/play", `{"env":"`+run.env(0).ID+`"}`); w.Code != http.StatusTooManyRequests || table.open != maxGames {
		t.Errorf("one game too many: %d, %d open", w.Code, table.open)
	}
	s.Close()
	if table.open != 0 {
		t.Errorf("%d games are open after the end", table.open)
	}
	for _, body := range []string{"", "{", `{"env":"none"}`, `{"env":"` + run.env(0).ID + `","seed":"x"}`} {
		if w := ask("POST", "/api/v1/runs/fake/play", body); w.Code/100 != 4 {
			t.Errorf("%q: %d", body, w.Code)
		}
	}
}
