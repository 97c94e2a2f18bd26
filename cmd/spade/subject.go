package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/eval"
	"spade/play"
	"spade/policy"
	"spade/policy/tinker"
	"spade/sandbox"
	"spade/selfplay"
	"spade/store"
)

// subject is a model to measure, with the settings under which it plays.
type subject struct {
	policy policy.Sampler
	play   play.Config
}

// openSubject opens what a person names: a run, a checkpoint, or a model as openPolicy names it.
func openSubject(ctx context.Context, of string) (subject, error) {
	kind, _, _ := strings.Cut(of, ":")
	switch {
	case of == "local" || strings.Contains(of, ":") && (kind == "local" || kind == "openai" || kind == "tinker"):
		return subjectOf(openPolicy(ctx, of))
	case isRun(of):
		return openRunSubject(ctx, of)
	}
	return subjectOf(openCheckpoint(ctx, of))
}

func subjectOf(p policy.Sampler, err error) (subject, error) {
	if err != nil {
		return subject{}, err
	}
	return subject{p, playSettings(p.Info().Prompts)}, nil
}

// openRunSubject opens the last checkpoint of a run, to play as the run's agent does.
func openRunSubject(ctx context.Context, dir string) (subject, error) {
	run, err := store.Open(dir)
	if err != nil {
		return subject{}, err
	}
	defer run.Close()
	cfg, err := decodeConfig(filepath.Join(dir, "config.yaml"), run.Config())
	if err != nil {
		return subject{}, err
	}
	number, _, checkpoint, ok, err := run.Last()
	if err != nil {
		return subject{}, err
	}
	if strings.HasPrefix(cfg.Policy, "openai:") {
		return subject{}, spade.Errorf(spade.ByUser, "measure the model itself: spade eval "+spade.Quote(cfg.Policy),
			"run %s has no checkpoints: %s takes no updates", spade.Quote(dir), cfg.Policy)
	}
	if !ok || checkpoint == "" {
		return subject{}, spade.Errorf(spade.ByUser, "let the run finish its first cycle", "run %s has no checkpoint yet (last cycle: %d)", spade.Quote(dir), number)
	}
	p, err := openTrained(ctx, cfg.Policy, checkpoint)
	return subject{p, cfg.Play}, err
}

// openCheckpoint opens the weights in the folder of a checkpoint, or those on a server that it names. What a run over
// tinker says of its model, such as where its tokenizer is, stands in the configuration of the run.
func openCheckpoint(ctx context.Context, dir string) (policy.Sampler, error) {
	url, model, err := tinker.Location(dir)
	if errors.Is(err, tinker.ErrNoCheckpoint) {
		return openLocal("local:" + dir)
	}
	if err != nil {
		return nil, err
	}
	name := "tinker:" + url + "#" + model
	if above := filepath.Dir(filepath.Dir(filepath.Clean(dir))); isRun(above) {
		run, err := store.Open(above)
		if err != nil {
			return nil, err
		}
		defer run.Close()
		name = rolesIn(run.Config()).Policy
	}
	return openTrained(ctx, name, dir)
}

// openTrained opens the model name with the weights of one of its checkpoints.
func openTrained(ctx context.Context, name, checkpoint string) (policy.Sampler, error) {
	if !strings.HasPrefix(name, "tinker:") {
		return openLocal("local:" + checkpoint)
	}
	p, err := openPolicy(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := p.(policy.Trainer).Restore(ctx, checkpoint); err != nil {
		closePolicy(p)
		return nil, err
	}
	return p, nil
}

// readPlay reads the settings under play: of a configuration, over the defaults for a family of prompts.
func readPlay(file string, prompts policy.Prompts) (play.Config, error) {
	data, err := readFile(file, maxTextFile)
	if err != nil {
		return play.Config{}, spade.Errorf(spade.ByUser, "name a YAML file", "read the configuration: %w", err)
	}
	defaults := selfplay.Default()
	defaults.Play = playSettings(prompts)
	cfg, err := decodeOver(defaults, file, data)
	return cfg.Play, err
}

// poolSeeds is the number of seeds on which an environment of a pool is played that records none.
const poolSeeds = 4

// poolSuite is a pool as a suite: its environments by skill, or by kind where no skill is known, on the seeds of their first measurement, or on the first
// seeds there are.
func poolSuite(ctx context.Context, jail *sandbox.Sandbox, path string, seeds int) (eval.Suite, error) {
	p, err := openPool(path)
	if err != nil {
		return eval.Suite{}, err
	}
	if seeds == 0 {
		seeds = poolSeeds
	}
	suite := eval.Suite{Name: path, Seed: 1, Items: make([]eval.Item, len(p.Entries))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, entry := range p.Entries {
		item := &suite.Items[i]
		item.Env = entry.Environment()
		if item.Seeds = entry.Seeds; len(item.Seeds) == 0 {
			for seed := range int64(seeds) {
				item.Seeds = append(item.Seeds, seed)
			}
		}
		if item.Env.Kind == "" {
			group.Go(func() error { return findKind(ctx, jail, &item.Env) })
		}
	}
	err = group.Wait()
	for i := range suite.Items {
		item := &suite.Items[i]
		item.Family = cmp.Or(item.Env.Skill, string(item.Env.Kind), "broken")
	}
	return suite, err
}

// findKind loads an environment to see of which kind it is. One that does not load has none; playing it shows why.
func findKind(ctx context.Context, jail *sandbox.Sandbox, env *spade.Environment) error {
	process, fault, err := jail.Load(ctx, env.Source, sandbox.LoadOptions{})
	if err != nil || fault != nil {
		return err
	}
	env.Kind = process.Kind()
	process.Close()
	return nil
}
