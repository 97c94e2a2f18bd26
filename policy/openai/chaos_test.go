package openai_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"spade"
	"spade/play"
	"spade/policy/openai"
	"spade/policy/openai/openaitest"
	"spade/reward"
	"spade/sandbox"
	"spade/sandbox/sandboxtest"
)

// jail is the sandbox of the tests in this package.
var jail *sandbox.Sandbox

func TestMain(m *testing.M) { sandboxtest.Main(m, &jail) }

// counting is won by three times "up".
const counting = `
class CountingEnv:
    def reset(self, seed=None):
        self.n = 0
        return f"seed {seed}", {}
    def step(self, action):
        self.n += 1
        return f"at {self.n}", float(self.n == 3), self.n == 3 or action != "\\boxed{up}", False, {}
`

// chaos misbehaves in a way that depends on the request's number, in about half of all requests.
func chaos(w http.ResponseWriter, r *http.Request, number int64) bool {
	h := fnv.New32a()
	fmt.Fprint(h, "chaos ", number)
	body := func(status int, text string) bool {
		w.WriteHeader(status)
		io.WriteString(w, text)
		return true
	}
	switch h.Sum32() % 20 {
	case 0:
		time.Sleep(time.Duration(h.Sum32()%50) * time.Millisecond)
		return false
	case 1:
		w.Header().Set("Retry-After-Ms", "5")
		return body(429, `{"error":{"message":"slow down"}}`)
	case 2:
		w.Header().Set("Retry-After", "0")
		return body(503, "busy")
	case 3:
		return body(500, `{"error":{"message":"boom"}}`)
	case 4:
		panic(http.ErrAbortHandler) // the connection is reset
	case 5:
		return body(200, `{"choices":[{"message":{"content":"\\boxed{do`)
	case 6:
		w.Header().Set("Content-Length", "4096")
		return body(200, `{"choices":`)
	case 7: // a stream that stands still
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"\\\\boxed{down}\"}}]}\n\n")
		w.(http.Flusher).Flush()
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	case 8: // a stream that ends too early
		w.Header().Set("Content-Type", "text/event-stream")
		return body(200, "data: {\"choices\":[{\"delta\":{\"content\":\"\\\\boxed{down}\"}}]}\n\n")
	case 9:
		return body(400, `{"error":{"message":"no"}}`) // for good
	}
	return false
}

// TestChaos plays 256 episodes at once against a server that fails in every way it can. None hangs, is lost or played
// twice; what counts was played by the model's own replies alone; what failed is marked, and shifts no statistics.
func TestChaos(t *testing.T) {
	server := &openaitest.Server{Model: "m", Before: chaos, Reply: func(openaitest.Request) string { return `\boxed{up}` }}
	p := openai.ConnectHastily(t, server.Start(t))
	server.Begin()
	const groups, plays = 32, 8
	player := &play.Player{Policy: p, Sandbox: jail, Return: reward.Return,
		Config: play.Config{MaxTurns: 10, MaxTokens: 100, Temperature: 1}}
	env := spade.NewEnvironment(counting)
	env.Kind = spade.Game
	var opened atomic.Int64
	tasks := make([]play.Task, groups*plays)
	for i := range tasks {
		tasks[i] = play.Task{Env: env, Slot: i / plays, Arm: spade.Unhinted, Index: i % plays, Seed: int64(i),
			Rand: func() *rand.Rand {
				opened.Add(1)
				return spade.Stream(1, 1, i/plays, fmt.Sprint("chaos ", i))
			}}
	}
	program := jail.Program(counting, true)
	defer program.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a hang, not a slow machine
	defer cancel()
	episodes, err := player.Episodes(ctx, program, tasks)
	if err != nil {
		t.Fatal(err)
	}
	if opened.Load() != int64(len(tasks)) {
		t.Errorf("%d conversations for %d episodes", opened.Load(), len(tasks))
	}
	failed := 0
	for i := range episodes {
		e := &episodes[i]
		if e.Slot != i/plays || e.Index != i%plays || e.Seed != int64(i) {
			t.Fatalf("episode %d is that of slot %d, index %d, seed %d", i, e.Slot, e.Index, e.Seed)
		}
		switch e.Stop {
		case spade.StopTerminated:
			if !e.Won() || len(e.Turns) != 3 {
				t.Errorf("episode %d: return %g after %d turns", i, e.Return, len(e.Turns))
			}
		case spade.StopPolicy:
			failed++
			if e.Failure == "" || e.Counts() || e.Return != 0 {
				t.Errorf("episode %d failed as %+v", i, e)
			}
		default:
			t.Errorf("episode %d stopped for %s", i, e.Stop)
		}
	}
	counts := p.Counts()
	if failed == 0 || failed == len(episodes) || counts.Failures != int64(failed) || counts.Retries == 0 {
		t.Errorf("%d episodes failed, %+v", failed, counts)
	}
	score, _ := reward.Score(reward.Default(), env, episodes, false)
	if score.Plays != len(episodes)-failed || score.WinRate != 1 {
		t.Errorf("score %+v with %d failed episodes", score, failed)
	}
	advantages, _ := reward.AgentAdvantages(reward.PopulationStd, episodes)
	for i, a := range advantages {
		if a != 0 {
			t.Errorf("episode %d of a group in which all that count are equal has advantage %g", i, a)
		}
	}
}
