package selfplay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spade"
	"spade/admit"
	"spade/eval"
	"spade/policy"
	"spade/policy/policytest"
	"spade/sandbox"
	"spade/sandbox/sandboxtest"
)

// jail is the sandbox of all tests in this package.
var jail *sandbox.Sandbox

func TestMain(m *testing.M) { sandboxtest.Main(m, &jail) }

// source is environment number n: two numbers are to be said again. Different n are different environments.
func source(n int) string {
	return fmt.Sprintf(`import random
class CopyEnv:
    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        return self.ask(), {}
    def ask(self):
        self.last = str(self.rng.randrange(1000, %d))
        return "Remember " + self.last
    def solution(self):
        return self.last
    def step(self, action):
        if action != "\\boxed{" + self.last + "}":
            return "That is wrong", 0.0, True, False, {}
        self.turn += 1
        if self.turn == 2:
            return "That is all", 1.0, True, False, {}
        return self.ask(), 0.0, False, False, {}
`, 20000+n)
}

// written is a designer's answer with a source and a hint.
func written(source string) string {
	return "```python\n" + source + "```\n<hint>say it again</hint>"
}

// passages is an endless corpus: draw n is "passage n", and every third one names its skill.
type passages struct{}

func (passages) At(_ uint64, draw int) (spade.Passage, error) {
	text := fmt.Sprint("passage ", draw)
	p := spade.Passage{ID: spade.ContentID(text), Text: text}
	if draw%3 == 2 {
		p.Meta = map[string]any{"skill": "named"}
	}
	return p, nil
}

// drawOf returns the number of the passage that a designer was given.
func drawOf(messages []spade.Message) int {
	for _, m := range messages {
		if m.Name == spade.NamePassage {
			n, _ := strconv.Atoi(strings.Fields(m.Content)[1])
			return n
		}
	}
	return -1
}

// model is a policy whose replies a test decides and whose weights are the number of steps that it was trained.
type model struct {
	policy.Sampler
	mu      sync.Mutex
	version int64
	batches []policy.Batch
	err     error
}

// newModel returns a model whose designer is design, called with the number of the passage and the conversation.
// Its agent is right with the hint, and gets better without it as it is trained.
func newModel(design func(draw int, messages []spade.Message) string) *model {
	m := &model{}
	m.Sampler = policytest.NewScript(func(spec policy.Spec, messages []spade.Message) string {
		if spec.Role == spade.Designer {
			return design(drawOf(messages), messages)
		}
		hinted, words := false, []string(nil)
		for _, message := range messages {
			hinted = hinted || message.Name == spade.NameHint
			if message.Name == spade.NameObservation {
				words = strings.Fields(message.Content)
			}
		}
		if hinted || spec.Rand.Float64() < 0.6+0.02*float64(m.Version()) {
			return `\boxed{` + words[len(words)-1] + `}`
		}
		return `\boxed{0}`
	})
	return m
}

// numbered designs environment n from passage n.
func numbered(draw int, _ []spade.Message) string { return written(source(draw)) }

func (m *model) Train(_ context.Context, batch policy.Batch) (map[string]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	m.batches = append(m.batches, batch)
	return map[string]float64{"loss": float64(len(batch.Sequences))}, m.err
}

func (m *model) Version() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

func (m *model) Save(_ context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "version"), []byte(strconv.FormatInt(m.Version(), 10)), 0o644)
}

func (m *model) Restore(_ context.Context, dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "version"))
	if err != nil {
		return err
	}
	m.version, err = strconv.ParseInt(string(data), 10, 64)
	return err
}

// recorder keeps what was committed in memory, and checkpoints in a folder.
type recorder struct {
	dir     string
	cycles  []spade.Cycle
	summary []byte
	err     error
}

func (r *recorder) checkpoint(number int) string { return filepath.Join(r.dir, strconv.Itoa(number)) }

func (r *recorder) Commit(ctx context.Context, c spade.Cycle, save func(context.Context, string) error) error {
	if r.err != nil {
		return r.err
	}
	r.cycles = append(r.cycles, c)
	if save == nil {
		return nil
	}
	return save(ctx, r.checkpoint(c.Number))
}

func (r *recorder) Finish(_ context.Context, summary []byte) error {
	r.summary = summary
	return nil
}

// small is a configuration of few environments and plays.
func small(cycles int) Config {
	c := Default()
	c.Seed, c.Cycles, c.Environments, c.Plays, c.HintedPlays, c.Replays = 5, cycles, 4, 6, 3, 0
	c.Skills = []string{"first", "second"}
	c.Design.MaxTokens, c.Play.MaxTokens = 10000, 100
	c.Admit.MinOverlap, c.Reward.RegretTarget = 0, 0
	return c
}

// newLoop returns a loop that records in memory and measures one held-out environment.
func newLoop(t *testing.T, cfg Config, m *model) (*Loop, *recorder) {
	t.Helper()
	r := &recorder{dir: t.TempDir()}
	admission := cfg.Admit
	admission.MaxTurns = cfg.Play.MaxTurns
	heldOut := spade.NewEnvironment(source(-1))
	heldOut.Kind = spade.Game
	return &Loop{
		Config: cfg, Policy: m, Sandbox: jail, Admission: admit.New(jail, admission), Corpus: passages{}, Recorder: r,
		HeldOut: eval.Suite{Name: "one", Seed: 1, Items: []eval.Item{{Family: "copy", Env: heldOut, Seeds: []int64{1, 2, 3, 4}}}},
	}, r
}

// runLoop runs a loop to its end.
func runLoop(t *testing.T, cfg Config, m *model) (*recorder, Summary) {
	t.Helper()
	loop, r := newLoop(t, cfg, m)
	summary, err := loop.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.cycles) != cfg.Cycles+1 || r.cycles[0].Number != 0 {
		t.Fatalf("%d records, want %d cycles and the start", len(r.cycles), cfg.Cycles)
	}
	return r, summary
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// roles counts the sequences of a batch by role.
func roles(b policy.Batch) map[spade.Role]int {
	n := map[spade.Role]int{}
	for _, s := range b.Sequences {
		n[s.Role]++
	}
	return n
}
