package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"spade"
	"spade/admit"
	"spade/corpus"
	"spade/eval"
	"spade/library"
	"spade/play"
	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/token"
	"spade/reward"
	"spade/sandbox"
	"spade/selfplay"
)

// parts are the pieces that a command puts together.
type parts struct {
	policy  *local.Policy
	sandbox *sandbox.Sandbox
	admit   *admit.Admission
	corpus  *corpus.Corpus
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
	if p.policy, err = openPolicy(cfg.Policy); err != nil {
		return nil, err
	}
	auditor, err := openAuditor(cfg.Auditor, cfg.Seed)
	if err != nil {
		return nil, err
	}
	if p.sandbox, err = openSandbox(ctx, cfg.Isolation, cfg.Sandbox, tell); err != nil {
		return nil, err
	}
	admission := cfg.Admit
	admission.MaxTurns = cfg.Play.MaxTurns
	p.admit = admit.New(p.sandbox, admission).Audited(auditor)
	return p, nil
}

func (p *parts) close() { p.sandbox.Close() }

func (p *parts) loop(cfg selfplay.Config, recorder selfplay.Recorder) *selfplay.Loop {
	return &selfplay.Loop{
		Config: cfg, Policy: p.policy, Sandbox: p.sandbox, Admission: p.admit, Corpus: p.corpus, CorpusID: p.corpusID(),
		Recorder: recorder, Ladder: ladder, HeldOut: heldOut(),
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

// openPolicy opens the embedded model: its base checkpoint, or the checkpoint in a folder.
func openPolicy(name string) (*local.Policy, error) {
	model, vocabulary, err := loadEmbedded(name)
	if err != nil {
		return nil, err
	}
	return local.New(model, vocabulary, local.Options{Name: name})
}

// loadEmbedded reads the checkpoint that openPolicy opens.
func loadEmbedded(name string) (*local.Model, *token.Tokenizer, error) {
	kind, dir, given := strings.Cut(name, ":")
	if kind != "local" || (given && dir == "") {
		return nil, nil, spade.Errorf(spade.ByUser, "write local, or local:DIR for a checkpoint folder", "there is no policy %q", name)
	}
	checkpoint := base.Checkpoint()
	if given {
		checkpoint = os.DirFS(dir)
	}
	model, vocabulary, err := local.Load(checkpoint)
	if err != nil {
		return nil, nil, spade.Errorf(spade.ByUser, "name the folder of a checkpoint: it holds config.json, model.safetensors and tokenizer.json",
			"open policy %s: %w", name, err)
	}
	return model, vocabulary, nil
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

// heldOut is the embedded model's held-out suite.
func heldOut() eval.Suite {
	suite := eval.Suite{Name: "library", Seed: 1}
	for _, item := range library.HeldOut() {
		env := spade.NewEnvironment(item.Source)
		env.Kind, env.Hint, env.Skill = spade.Game, item.Hint, item.Family
		suite.Items = append(suite.Items, eval.Item{Family: item.Family, Env: env, Seeds: item.Seeds})
	}
	return suite
}
