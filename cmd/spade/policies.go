package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"spade"
	"spade/design"
	"spade/play"
	"spade/policy"
	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/openai"
	"spade/policy/token"
	"spade/selfplay"
	"spade/serve/trainer"
)

// policyHelp says how a model is named, for the help of options.
const policyHelp = "local, local:DIR for a checkpoint, openai:URL[#MODEL] for a server of chat completions, or tinker:URL[#MODEL] for one that trains."

// openPolicy opens a model by its name.
func openPolicy(ctx context.Context, name string) (policy.Sampler, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "local":
		return openLocal(name)
	case "openai":
		at, err := openai.ParseAddress(rest)
		if err != nil {
			return nil, err
		}
		return openai.Connect(ctx, at)
	case "tinker":
		return openTinker(ctx, rest)
	}
	return nil, spade.Errorf(spade.ByUser, "write local, local:DIR for a checkpoint folder, openai:http://HOST:PORT#MODEL for a server of chat completions, or tinker:http://HOST:PORT for one that trains",
		"there is no policy %q", name)
}

// openLocal opens the embedded model: its base checkpoint, or the checkpoint in a folder.
func openLocal(name string) (*local.Policy, error) {
	model, vocabulary, err := loadEmbedded(name)
	if err != nil {
		return nil, err
	}
	return local.New(model, vocabulary, local.Options{Name: name})
}

// loadEmbedded reads the checkpoint that openLocal opens.
func loadEmbedded(name string) (*local.Model, *token.Tokenizer, error) {
	kind, dir, given := strings.Cut(name, ":")
	if kind != "local" || (given && dir == "") {
		return nil, nil, spade.Errorf(spade.ByUser, "write local, or local:DIR for a checkpoint folder", "%q is not the embedded model", name)
	}
	checkpoint := base.Checkpoint()
	if given {
		checkpoint = os.DirFS(dir)
	}
	model, vocabulary, err := local.Load(checkpoint)
	if err != nil {
		return nil, nil, spade.Errorf(spade.ByUser, "name the folder of a checkpoint, or put it back there where a run began with it: it holds config.json, model.safetensors and tokenizer.json",
			"open policy %s: %w", name, err)
	}
	return model, vocabulary, nil
}

// weightsID identifies the weights that a checkpoint of the embedded model begins a run with (spade.ContentID), "" for the
// base checkpoint and for other models.
func weightsID(name string) (string, error) {
	dir, given := strings.CutPrefix(name, "local:")
	if !given {
		return "", nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return "", fmt.Errorf("read the weights that the run begins with: %w", err)
	}
	return spade.ContentID(string(data)), nil
}

// checkSampling refuses settings with which the embedded model would train on other probabilities than it was sampled with:
// its gradients are those of its own distribution, at temperature 1 and over all tokens.
func checkSampling(cfg selfplay.Config) error {
	if kind, _, _ := strings.Cut(cfg.Policy, ":"); kind != "local" {
		return nil
	}
	plain := func(temperature, topP float64, topK int) bool {
		return temperature == 1 && (topP == 0 || topP == 1) && topK == 0
	}
	for _, role := range []struct {
		section string
		trains  bool
		plain   bool
	}{
		{"design", (cfg.Designer == "" || cfg.Designer == cfg.Policy) && cfg.Learn.DesignerWeight > 0, plain(cfg.Design.Temperature, cfg.Design.TopP, cfg.Design.TopK)},
		{"play", cfg.Agent == "" || cfg.Agent == cfg.Policy, plain(cfg.Play.Temperature, cfg.Play.TopP, cfg.Play.TopK)},
	} {
		if role.trains && !role.plain {
			return spade.Errorf(spade.ByUser, "leave temperature, top_p and top_k out of "+role.section,
				"%s: the embedded model trains on what it samples at temperature 1 and from all tokens", role.section)
		}
	}
	return nil
}

// promptsOf is the family of prompts of a policy, by its name alone.
func promptsOf(name string) policy.Prompts {
	kind, rest, _ := strings.Cut(name, ":")
	_, model, _, err := tinkerModel(rest)
	if kind == "local" || kind == "tinker" && err == nil && model == trainer.BaseModel {
		return policy.CompactPrompts
	}
	return policy.InstructPrompts
}

// roles are the models of a configuration.
type roles struct {
	Policy   string `yaml:"policy"`
	Designer string `yaml:"designer"`
	Agent    string `yaml:"agent"`
}

// rolesIn reads the models that a configuration names; what is wrong with it is for decodeConfig to say.
func rolesIn(data []byte) roles {
	r := roles{Policy: selfplay.Default().Policy}
	if yaml.Unmarshal(data, &r) != nil || r.Policy == "" {
		r.Policy = selfplay.Default().Policy
	}
	return r
}

// defaultsFor is the configuration of a first run with these models: that of the embedded model, with the settings of
// models that follow instructions in the roles that such a model plays.
func defaultsFor(r roles) selfplay.Config {
	cfg := selfplay.Default()
	cfg.Policy = r.Policy
	designer, agent := r.Policy, r.Policy
	if r.Designer != "" {
		designer = r.Designer
	}
	if r.Agent != "" {
		agent = r.Agent
	}
	if kind, _, _ := strings.Cut(r.Policy, ":"); kind != "local" { // the weight was chosen for a designer that is held, and trainers elsewhere know no reference
		cfg.Learn.DesignerWeight, cfg.Learn.DesignerKL = 1, 0
	}
	if promptsOf(r.Policy) == policy.InstructPrompts {
		cfg.Cycles, cfg.Environments, cfg.Plays, cfg.HintedPlays = 20, 8, 8, 8
	}
	if promptsOf(designer) == policy.InstructPrompts {
		cfg.Design, cfg.Skills = design.DefaultInstruct(), design.Skills()
		cfg.Positives, cfg.Negatives = 2, 1
		cfg.Reward.RegretTarget = 0 // all that such a model designs has something that a hint can tell
	}
	if promptsOf(agent) == policy.InstructPrompts {
		cfg.Play = play.DefaultInstruct()
	}
	return cfg
}

// playSettings are the settings with which a model plays outside of a run, designSettings those with which it designs.
func playSettings(p policy.Prompts) play.Config {
	if p == policy.InstructPrompts {
		return play.DefaultInstruct()
	}
	return play.Default()
}

func designSettings(p policy.Prompts) design.Config {
	if p == policy.InstructPrompts {
		return design.DefaultInstruct()
	}
	return design.Default()
}
