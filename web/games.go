package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxGames is how many games there may be at a time, and idleGame how long one waits for the next action before another
// may take its place.
const (
	maxGames = 16
	idleGame = 10 * time.Minute
)

// games are the episodes that people play.
type games struct {
	table Table

	mu   sync.Mutex
	open map[string]*openGame
}

// openGame is one of them; its lock is held while the environment works.
type openGame struct {
	mu   sync.Mutex
	game Game
	used time.Time
}

// dealt is the answer to a new game.
type dealt struct {
	Game string `json:"game"`
	Seed int64  `json:"seed,string"`
	Kind string `json:"kind"`
	// Hint is what the environment's hint says; the page shows it when it is asked for.
	Hint  string    `json:"hint"`
	State GameState `json:"state"`
}

// deal begins a game: {"env", "seed"}; without a seed it is drawn.
func (s *Server) deal(v *served, r *http.Request) (any, error) {
	if s.options.Table == nil {
		return nil, &problem{http.StatusServiceUnavailable, "this server has no jail to play in"}
	}
	var ask struct {
		Env  string `json:"env"`
		Seed string `json:"seed"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, badRequest("read the request: %v", err)
	}
	var seed int64
	if ask.Seed == "" {
		drawn := make([]byte, 4)
		rand.Read(drawn)
		for _, b := range drawn {
			seed = seed<<8 | int64(b)
		}
	} else {
		var err error
		if seed, err = strconv.ParseInt(ask.Seed, 10, 64); err != nil {
			return nil, badRequest("seed is a whole number, not %q", ask.Seed)
		}
	}
	env, err := v.run.Environment(ask.Env)
	if err != nil {
		return nil, err
	}
	game, err := s.options.Table.Deal(r.Context(), v.run, env, seed)
	if err != nil {
		return nil, err
	}
	id, err := s.games.keep(game)
	if err != nil {
		game.Close()
		return nil, err
	}
	return dealt{id, seed, string(env.Kind), env.Hint, game.State()}, nil
}

// step passes an action on: {"action"}. A game that is over is closed and forgotten.
func (s *Server) step(r *http.Request) (any, error) {
	var ask struct {
		Action string `json:"action"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, badRequest("read the request: %v", err)
	}
	id := r.PathValue("game")
	g := s.games.find(id)
	if g == nil {
		return nil, notFound("this game is over, or has waited too long; begin another one")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	// A game outlives a request that is given up: the environment must not be left in the middle of a step.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
	defer cancel()
	state, err := g.game.Step(ctx, ask.Action)
	if err != nil || state.Status != "playing" {
		s.games.forget(id)
		g.game.Close()
	}
	return state, err
}

// leave ends a game that was not played to its end.
func (s *Server) leave(r *http.Request) (any, error) {
	if g := s.games.forget(r.PathValue("game")); g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.game.Close()
	}
	return map[string]bool{"left": true}, nil
}

func (g *games) keep(game Game) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]*openGame{}
	}
	for id, o := range g.open {
		if time.Since(o.used) > idleGame && o.mu.TryLock() {
			o.game.Close()
			o.mu.Unlock()
			delete(g.open, id)
		}
	}
	if len(g.open) >= maxGames {
		return "", &problem{http.StatusTooManyRequests, "too many games are being played; try again in some minutes"}
	}
	id := rand.Text()
	g.open[id] = &openGame{game: game, used: time.Now()}
	return id, nil
}

func (g *games) find(id string) *openGame {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.open[id]
	if o != nil {
		o.used = time.Now()
	}
	return o
}

func (g *games) forget(id string) *openGame {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.open[id]
	delete(g.open, id)
	return o
}

func (g *games) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.open {
		o.mu.Lock()
		o.game.Close()
		o.mu.Unlock()
	}
	g.open = nil
}
