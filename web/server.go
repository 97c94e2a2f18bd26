package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"spade"
)

// Options say what a server offers.
type Options struct {
	// Runs are the runs that are served, by name, each by another one; the first is shown first. More returns others that
	// may be asked for by name, such as those beside it; it may be nil.
	Runs []Named
	More func() []Named
	// Project places environments in the plane by their sources. It is called in the background.
	Project func(sources []string) [][2]float64
	// Table is where people play; nil where this server has none.
	Table Table
	// Token is asked for unless it is "".
	Token string
	// Hosts are the names under which the server may be addressed; nil accepts any, which only a token makes safe.
	Hosts []string
}

// Named is a run under the name that addresses show.
type Named struct {
	Name string
	// Open is called once, when the run is first looked at.
	Open func() (Run, error)
}

// Server answers for runs. It is safe for concurrent use.
type Server struct {
	options Options
	games   games
	phase   phases

	mu     sync.Mutex
	opened map[string]*served
}

// served is a run that was looked at.
type served struct {
	name  string
	run   Run
	index *index
	chart *chart
}

// New returns a server. Close ends what it started.
func New(options Options) *Server {
	s := &Server{options: options, opened: map[string]*served{}}
	s.games.table = options.Table
	return s
}

// Close ends the games that are being played.
func (s *Server) Close() { s.games.close() }

// Prepare reads the first run, so that whoever opens it first need not wait for that. An error is left to them.
func (s *Server) Prepare() {
	if v, err := s.served(s.options.Runs[0].Name); err == nil {
		_ = v.index.refresh()
	}
}

// Progress tells those who look at the first run what the loop in this process is doing.
func (s *Server) Progress(p Phase) { s.phase.set(p) }

// Handler is the whole dashboard.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/runs", s.answer(s.runs))
	of := func(pattern string, do func(*served, *http.Request) (any, error)) {
		mux.HandleFunc(pattern, s.answer(func(r *http.Request) (any, error) {
			v, err := s.served(r.PathValue("run"))
			if err != nil {
				return nil, err
			}
			if err := v.index.refresh(); err != nil {
				return nil, err
			}
			return do(v, r)
		}))
	}
	of("GET /api/v1/runs/{run}", s.overview)
	of("GET /api/v1/runs/{run}/cycles", cyclesOf)
	of("GET /api/v1/runs/{run}/environments", func(v *served, _ *http.Request) (any, error) { return v.index.environmentsJSON() })
	of("GET /api/v1/runs/{run}/environments/{id}", environmentOf)
	of("GET /api/v1/runs/{run}/map", func(v *served, _ *http.Request) (any, error) { return v.chart.answer(v.index), nil })
	of("GET /api/v1/runs/{run}/episodes/{cycle}/{id}/{index}", episodesOf)
	of("GET /api/v1/runs/{run}/designs/{cycle}/{slot}", designOf)
	of("GET /api/v1/runs/{run}/passages", func(v *served, _ *http.Request) (any, error) { return v.index.corpusTable(), nil })
	of("GET /api/v1/runs/{run}/passages/{id}", passageOf)
	of("GET /api/v1/runs/{run}/jail", func(v *served, _ *http.Request) (any, error) { return v.index.jail(), nil })
	of("GET /api/v1/runs/{run}/memory", memoryOf)
	of("POST /api/v1/runs/{run}/play", s.deal)
	mux.HandleFunc("POST /api/v1/play/{game}/step", s.answer(s.step))
	mux.HandleFunc("DELETE /api/v1/play/{game}", s.answer(s.leave))
	mux.HandleFunc("GET /api/v1/runs/{run}/events", s.events)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, notFound("there is nothing at %s %s", r.Method, r.URL.Path))
	})
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.Handle("/", assets())
	return s.guard(mux)
}

// served returns the run with a name, opening it if it was not looked at before.
func (s *Server) served(name string) (*served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.opened[name]; v != nil {
		return v, nil
	}
	for _, named := range s.named() {
		if named.Name != name {
			continue
		}
		run, err := named.Open()
		if err != nil {
			return nil, err
		}
		v := &served{name: name, run: run, index: newIndex(run), chart: &chart{project: s.options.Project}}
		s.opened[name] = v
		return v, nil
	}
	return nil, notFound("there is no run %q", name)
}

// named are the runs of the server and those beside them.
func (s *Server) named() []Named {
	list := slices.Clone(s.options.Runs)
	if s.options.More == nil {
		return list
	}
	for _, other := range s.options.More() {
		if !slices.ContainsFunc(list, func(n Named) bool { return n.Name == other.Name }) {
			list = append(list, other)
		}
	}
	return list
}

func (s *Server) runs(*http.Request) (any, error) {
	list := []runAnswer{}
	for i, named := range s.named() {
		v, err := s.served(named.Name)
		if err != nil {
			if i < len(s.options.Runs) {
				return nil, err
			}
			continue // a folder beside the run that cannot be read
		}
		about, err := v.run.About()
		if err != nil {
			continue
		}
		last, err := v.run.Last()
		if err != nil {
			return nil, err
		}
		list = append(list, runAnswer{v.name, v.run.Dir(), about.Arm, last, about.Cycles, v.run.Writing()})
	}
	return list, nil
}

func (s *Server) overview(v *served, _ *http.Request) (any, error) {
	about, err := v.run.About()
	if err != nil {
		return nil, err
	}
	summary, err := v.run.Summary()
	if err != nil {
		return nil, err
	}
	a := overviewAnswer{Name: v.name, Dir: v.run.Dir(), About: about, Summary: summary, Writing: v.run.Writing(), CanPlay: s.options.Table != nil}
	if v.name == s.options.Runs[0].Name {
		a.Phase = s.phase.get()
	}
	v.index.count(&a)
	return a, nil
}

// count fills in what the index knows of a run as a whole.
func (x *index) count(a *overviewAnswer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a.Committed, a.Environments, a.Designs, a.Faults, a.Passages = x.last, len(x.envs), len(x.designs), len(x.faults), len(x.corpus)
	a.Version = x.version
	for i := range x.designs {
		if !x.designs[i].admit {
			a.Refused++
		}
	}
	for i := range x.cycles {
		a.Episodes += x.cycles[i].stats.Episodes
	}
}

func cyclesOf(v *served, r *http.Request) (any, error) {
	after := -1
	if text := r.FormValue("after"); text != "" {
		var err error
		if after, err = strconv.Atoi(text); err != nil {
			return nil, badRequest("after is a number of a cycle, not %q", text)
		}
	}
	about, err := v.run.About()
	if err != nil {
		return nil, err
	}
	return v.index.cyclesAfter(after, about.PlateauWeight), nil
}

func environmentOf(v *served, r *http.Request) (any, error) {
	return v.environment(r.PathValue("id"))
}

func (v *served) environment(id string) (*environmentAnswer, error) {
	a, design, ok := v.index.known(id)
	if !ok {
		return nil, notFound("the run has no environment %s", id)
	}
	var err error
	if a.Environment, err = v.run.Environment(id); err != nil {
		return nil, err
	}
	a.Names = variables(a.Environment.Source)
	plays, err := v.run.Plays(id)
	if err != nil {
		return nil, err
	}
	a.Plays = append(a.Plays, plays...)
	if design != nil {
		d, err := v.run.Design(design.cycle, design.slot)
		if err != nil {
			return nil, err
		}
		a.Design = newDesignAnswer(design.cycle, &d)
	}
	if p := a.Environment.PassageID; p != "" {
		if a.Passage, err = v.passage(p); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// known is what the index knows of an environment, and the design that made it, nil if the run was given it.
func (x *index) known(id string) (a *environmentAnswer, made *designRow, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.byID[id]
	if e == nil {
		return nil, nil, false
	}
	a = &environmentAnswer{Entered: e.entered, Turns: e.turns, History: []historyAnswer{}, Plays: []Play{},
		Parents: append([]string{}, e.parents...), Children: append([]string{}, e.children...)}
	for _, s := range e.scores {
		a.History = append(a.History, historyAnswer{s.cycle, s.Score})
	}
	if e.number > 0 {
		a.Previous = x.envs[e.number-1].env.ID
	}
	if e.number+1 < len(x.envs) {
		a.Next = x.envs[e.number+1].env.ID
	}
	for i := range x.designs {
		if d := &x.designs[i]; d.cycle == e.design && d.env == id {
			copied := *d
			return a, &copied, true
		}
	}
	return a, nil, true
}

// passage returns a passage with its text, nil if the run does not hold it.
func (v *served) passage(id string) (*spade.Passage, error) {
	v.index.mu.Lock()
	row := v.index.drawn[id]
	v.index.mu.Unlock()
	if row == nil {
		return nil, nil
	}
	passages, err := v.run.Passages(row.cycle)
	if err != nil {
		return nil, err
	}
	for i := range passages {
		if passages[i].ID == id {
			return &passages[i], nil
		}
	}
	return nil, nil
}

func passageOf(v *served, r *http.Request) (any, error) {
	id := r.PathValue("id")
	p, err := v.passage(id)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, notFound("the run has drawn no passage %s", id)
	}
	a := passageAnswer{Passage: *p, Designs: emptyDesigns()}
	v.index.mu.Lock()
	defer v.index.mu.Unlock()
	for _, i := range v.index.drawn[id].designs {
		a.Designs.add(&v.index.designs[i])
	}
	return a, nil
}

func designOf(v *served, r *http.Request) (any, error) {
	cycle, err := number0(r, "cycle")
	if err != nil {
		return nil, err
	}
	slot, err := number0(r, "slot")
	if err != nil {
		return nil, err
	}
	d, err := v.run.Design(cycle, slot)
	if err != nil {
		return nil, err
	}
	return newDesignAnswer(cycle, &d), nil
}

func episodesOf(v *served, r *http.Request) (any, error) {
	cycle, err := number0(r, "cycle")
	if err != nil {
		return nil, err
	}
	index, err := number0(r, "index")
	if err != nil {
		return nil, err
	}
	return v.pair(cycle, r.PathValue("id"), index, r.FormValue("tokens") == "1")
}

func (v *served) pair(cycle int, id string, index int, tokens bool) (*pairAnswer, error) {
	episodes, err := v.run.Paired(cycle, id, index)
	if err != nil {
		return nil, err
	}
	if len(episodes) == 0 {
		return nil, notFound("cycle %d did not play environment %s under index %d", cycle, id, index)
	}
	a := &pairAnswer{Cycle: cycle, EnvID: id, Index: index}
	for i := range episodes {
		a.Episodes = append(a.Episodes, v.episode(&episodes[i], tokens))
	}
	return a, nil
}

func (v *served) episode(e *spade.Episode, tokens bool) episodeAnswer {
	a := episodeAnswer{Arm: e.Arm, Seed: e.Seed, Hint: e.Hint, Turns: []turnAnswer{}, Final: e.Final, Stop: e.Stop, Outcome: e.Outcome,
		Return: e.Return, Won: e.Won()}
	for i := range e.Turns {
		t := &e.Turns[i]
		turn := turnAnswer{Observation: t.Observation, Reply: t.Reply, Action: t.Action, Reward: finite(t.Reward), Version: t.Version}
		for _, sampled := range t.Mask {
			if sampled {
				turn.Sampled++
			}
		}
		if tokens {
			turn.Tokens = &tokensAnswer{t.Tokens, v.run.Pieces(t.Tokens), t.LogProbs, t.Mask}
		}
		a.Turns = append(a.Turns, turn)
	}
	return a
}

func memoryOf(v *served, _ *http.Request) (any, error) {
	remembered, err := v.run.Memory()
	if err != nil {
		return nil, err
	}
	a := memoryAnswer{Environments: []rememberedAnswer{}, Shown: append([]string{}, v.index.shown()...)}
	for _, m := range remembered {
		a.Environments = append(a.Environments, rememberedAnswer{m.EnvID, m.Skill, clip(m.Hint, 160), m.Class, m.WinRate, m.HintedWinRate, m.Regret,
			m.Plays, m.Cycle, m.Measured})
	}
	return a, nil
}

// number0 is a part of the address that is a number of at least 0.
func number0(r *http.Request, name string) (int, error) {
	n, err := strconv.Atoi(r.PathValue(name))
	if err != nil || n < 0 {
		return 0, badRequest("%s is a number, not %q", name, r.PathValue(name))
	}
	return n, nil
}

// problem is an error with the status that it is answered with.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func notFound(format string, args ...any) error {
	return &problem{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// encoded is an answer that is JSON already.
type encoded []byte

// answer turns a function into a handler that sends what it returns as JSON.
func (s *Server) answer(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := do(r)
		if err != nil {
			fail(w, err)
			return
		}
		data, ready := v.(encoded)
		if !ready {
			if data, err = json.Marshal(v); err != nil {
				fail(w, err)
				return
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(data)
	}
}

// fail answers with an error: {"error", "next"}.
func fail(w http.ResponseWriter, err error) {
	status, next := http.StatusInternalServerError, ""
	var known *problem
	var boundary *spade.Error
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.As(err, &boundary):
		next = boundary.Next
		if boundary.Boundary == spade.ByUser {
			status = http.StatusNotFound
		}
	case errors.Is(err, context.Canceled):
		return // whoever asked has gone
	}
	if status >= http.StatusInternalServerError {
		slog.Error("dashboard", "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error(), "next": next})
}
