package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"

	"spade"
	"spade/admit"
	"spade/corpus"
	"spade/eval"
	"spade/library"
	"spade/play"
	"spade/policy"
	"spade/reward"
	"spade/sandbox"
	"spade/selfplay"
)

// parts are the pieces that a command puts together.
type parts struct {
	policy policy.Sampler
	// designer and agent play their roles instead of policy where they are not nil.
	designer, agent policy.Sampler
	sandbox         *sandbox.Sandbox
	admit           *admit.Admission
	corpus          *corpus.Corpus
	// weights identify those that the policy begins with (weightsID).
	weights string
	// processors is the number of threads that computed before spareThread.
	processors int
}

// wire opens everything that a run needs.
func wire(ctx context.Context, cfg selfplay.Config, tell teller) (*parts, error) {
	p := &parts{}
	var err error
	if p.corpus, err = openCorpus(cfg.Corpus); err != nil {
		return nil, err
	}
	if p.corpus != nil {
		noteDamage(p.corpus, tell)
	}
	if err := p.openPolicies(ctx, cfg); err != nil {
		return nil, err
	}
	auditor, err := openAuditor(ctx, cfg.Auditor, cfg.Seed)
	if err != nil {
		return nil, err
	}
	jail := sandboxConfig(cfg.Isolation, cfg.Sandbox, tell)
	if promptsOf(cmp.Or(cfg.Agent, cfg.Policy)) == policy.InstructPrompts {
		jail.MaxProcesses = waitingProcesses()
	}
	if p.sandbox, err = sandbox.Open(ctx, jail); err != nil {
		return nil, err
	}
	admission := cfg.Admit
	admission.MaxTurns = cfg.Play.MaxTurns
	p.admit = admit.New(p.sandbox, admission).Audited(auditor)
	p.spareThread()
	return p, nil
}

// spareThread lets one more thread compute than there are processors. The embedded model keeps a goroutine busy for each
// of them, and without another thread an answer from the jail would wait for up to 10 ms, until one of those is interrupted.
func (p *parts) spareThread() {
	p.processors = runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(p.processors + 1)
}

// openPolicies opens the models of a run, each once.
func (p *parts) openPolicies(ctx context.Context, cfg selfplay.Config) error {
	opened := map[string]policy.Sampler{}
	for _, role := range []struct {
		name string
		to   *policy.Sampler
	}{{cfg.Policy, &p.policy}, {cfg.Designer, &p.designer}, {cfg.Agent, &p.agent}} {
		if role.name == "" || (role.to != &p.policy && role.name == cfg.Policy) {
			continue // the policy plays it
		}
		if opened[role.name] == nil {
			model, err := openPolicy(ctx, role.name)
			if err != nil {
				return err
			}
			opened[role.name] = model
		}
		*role.to = opened[role.name]
	}
	var err error
	p.weights, err = weightsID(cfg.Policy)
	return err
}

func (p *parts) close() {
	runtime.GOMAXPROCS(p.processors)
	p.sandbox.Close()
	for _, model := range []policy.Sampler{p.policy, p.designer, p.agent} {
		closePolicy(model)
	}
}

// closePolicy ends what a policy holds of its server, where it holds anything. Closing one twice is allowed.
func closePolicy(p policy.Sampler) {
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
}

func (p *parts) loop(cfg selfplay.Config, recorder selfplay.Recorder) *selfplay.Loop {
	return &selfplay.Loop{
		Config: cfg, Policy: p.policy, Designer: p.designer, Agent: p.agent, Sandbox: p.sandbox, Admission: p.admit, Corpus: p.corpus, CorpusID: p.corpusID(), WeightsID: p.weights,
		Recorder: recorder, Ladder: ladder, HeldOut: suiteNamed(cfg.Suite),
	}
}

// corpusID identifies the corpus of a run, "" where it has none.
func (p *parts) corpusID() string {
	if p.corpus == nil {
		return ""
	}
	return p.corpus.ID()
}

func (p *parts) player(cfg play.Config) *play.Player {
	return &play.Player{Policy: p.policy, Sandbox: p.sandbox, Config: cfg, Return: reward.Return}
}

// noteDamage says what of a corpus was passed over.
func noteDamage(c *corpus.Corpus, tell teller) {
	skipped, first := 0, ""
	for _, f := range c.Files() {
		if f.Skipped > 0 && first == "" {
			first = fmt.Sprintf("%s, line %d", f.Name, f.FirstSkipped)
		}
		skipped += f.Skipped
	}
	if skipped > 0 {
		tell.notice(fmt.Sprintf("the corpus has %d passages; %d damaged lines were passed over, the first in %s (spade explain corpus FILE lists them)",
			c.Len(), skipped, first))
	}
}

// openCorpus returns nil where there is none to open.
func openCorpus(name string) (*corpus.Corpus, error) {
	switch name {
	case "builtin":
		return corpus.Builtin(), nil
	case selfplay.NoCorpus:
		return nil, nil
	}
	return corpus.Open(name, corpus.Options{})
}

// ladder draws an environment of the embedded model's library. Those need no admission: tests play every kind of them.
func ladder(r *rand.Rand, horizon int) spade.Environment {
	item := library.Sample(r, library.Options{Horizon: horizon})
	env := spade.NewEnvironment(item.Source)
	env.Kind, env.Hint, env.Skill = spade.Game, item.Hint, item.Mechanic
	_, class, _ := strings.Cut(item.Source, "class ")
	class, _, _ = strings.Cut(class, "Env")
	env.Class = class + "Env"
	return env
}

// suites are the suites of the embedded model: what nothing in training reads, and fresh environments of every mechanic
// and of every twist, as training plays them.
var suites = map[string]func() []library.SuiteItem{
	"library": library.HeldOut, "tuning": library.Tuning, "mechanics": library.Practice, "twists": library.TwistedPractice,
}

// suiteNamed returns a suite of the embedded model, or the empty one.
func suiteNamed(name string) eval.Suite {
	suite := eval.Suite{Name: name, Seed: 1}
	if name == selfplay.NoSuite {
		return suite
	}
	for _, item := range suites[name]() {
		env := spade.NewEnvironment(item.Source)
		env.Kind, env.Hint, env.Skill = spade.Game, item.Hint, item.Family
		suite.Items = append(suite.Items, eval.Item{Family: item.Family, Env: env, Seeds: item.Seeds})
	}
	return suite
}
