package remote

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"spade"
	"spade/play"
	"spade/policy/openai"
	"spade/reward"
	"spade/sandbox"
)

// programs is the number of environments that the episodes are spread over.
const programs = 32

// endless is an environment of no end: what it says depends on what was done.
const endless = `
import random
class EndlessEnv:
    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.sum = 0
        return "Add what you are told. First: 3", {}
    def step(self, action):
        self.sum += len(action)
        return f"The sum is {self.sum}. Add {self.rng.randrange(100)}", 0.0, False, False, {}
`

// loop are the episodes that go on until they are stopped.
type loop struct {
	model    *openai.Policy
	cancel   context.CancelFunc
	group    sync.WaitGroup
	programs []*sandbox.Program
	// failed is told the first error.
	failed chan error
}

// startLoop begins the episodes. Each is followed by another one when it has had its turns; the first ones have fewer,
// each another number, so that afterwards episodes of all ages are under way.
func (b *Bench) startLoop(ctx context.Context, jail *sandbox.Sandbox, model *openai.Policy) *loop {
	ctx, cancel := context.WithCancel(ctx)
	l := &loop{model: model, cancel: cancel, failed: make(chan error, 1)}
	for n := range min(programs, b.Episodes) {
		source := fmt.Sprintf("# %d\n%s", n, endless)
		env := spade.NewEnvironment(source)
		env.Kind = spade.Game
		program := jail.Program(source, true)
		l.programs = append(l.programs, program)
		for i := n; i < b.Episodes; i += programs {
			task := play.Task{Env: env, Slot: n, Arm: spade.Unhinted, Index: i}
			l.group.Go(func() { l.play(ctx, jail, program, task) })
		}
	}
	return l
}

// play plays one episode after the other.
func (l *loop) play(ctx context.Context, jail *sandbox.Sandbox, program *sandbox.Program, task play.Task) {
	player := &play.Player{Policy: l.model, Sandbox: jail, Return: reward.Return, Config: play.Config{MaxTokens: 64, Temperature: 1}}
	for n := 0; ctx.Err() == nil; n++ {
		player.Config.MaxTurns = maxTurns
		if n == 0 {
			player.Config.MaxTurns = 1 + task.Index%maxTurns
		}
		task.Seed = int64(n)
		task.Rand = func() *rand.Rand { return spade.Stream(1, n, task.Index, "bench") }
		if err := whole(player.Episode(ctx, program, task)); err != nil && ctx.Err() == nil {
			select {
			case l.failed <- err:
			default:
			}
			return
		}
	}
}

// whole makes an error of an episode that stopped before its last turn.
func whole(e spade.Episode, err error) error {
	if err == nil && e.Stop != spade.StopTruncated {
		return fmt.Errorf("an episode stopped for %s %s %s", e.Stop, e.Outcome, e.Failure)
	}
	return err
}

// turns is how many were answered so far.
func (l *loop) turns() int64 { return l.model.Counts().Requests }

// reach waits until so many turns were answered.
func (l *loop) reach(ctx context.Context, turns int64) error {
	for l.turns() < turns {
		if err := l.during(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// during waits while the episodes go on.
func (l *loop) during(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case err := <-l.failed:
		return fmt.Errorf("measure the loop: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *loop) stop() {
	l.cancel()
	l.group.Wait()
	for _, program := range l.programs {
		program.Close()
	}
}
