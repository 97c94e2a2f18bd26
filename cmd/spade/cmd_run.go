package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spade"
	"spade/lab"
	"spade/policy"
	"spade/policy/local"
	"spade/selfplay"
	"spade/store"
)

type runCommand struct {
	Config  string  `arg:"" optional:"" help:"Configuration file (YAML). Without one, the defaults."`
	Dir     string  `help:"Folder of the run. Default: a new folder under runs/." placeholder:"D"`
	Cycles  *int    `help:"Number of cycles." placeholder:"N"`
	Seed    *uint64 `help:"Seed of every random stream." placeholder:"S"`
	Arm     *string `help:"Experiment arm: ${arms}. fixed:N has a pool of N environments, ladder:A-B horizons from A to B." placeholder:"A"`
	Policy  *string `help:"The model: ${policies}" placeholder:"P"`
	Corpus  *string `help:"File or folder of passages (JSONL, text, Markdown), builtin, or none." placeholder:"F"`
	Resume  bool    `help:"Continue the run in --dir."`
	Sandbox string  `help:"Isolation of generated code: full, gvisor (stronger, needs runsc), or degraded where this machine offers no better. Recorded in the run." enum:",full,degraded,gvisor" default:"" placeholder:"full|degraded|gvisor"`
	Cost    string  `help:"Append the processor time of every cycle to this file (JSON lines), held-out measurements apart." placeholder:"F"`
	UI      bool    `name:"ui" help:"Serve the dashboard of the run while it goes, and until Ctrl-C after that."`
	Addr    string  `help:"Where --ui listens. Beyond this machine, a token is required and printed." default:"127.0.0.1:7737"`
	JSON    bool    `name:"json" help:"Print one JSON object per cycle, and a last one with the result."`
	auditFlags
}

func (c *runCommand) Run(ctx context.Context, con console) error {
	cfg, run, err := c.open()
	if err != nil {
		return err
	}
	dir := c.Dir
	if dir == "" {
		if dir, err = reserveDir(cfg); err != nil {
			return err
		}
		defer os.Remove(dir) // where nothing was put into it
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	view := newRunView(con, cfg, dir, c.JSON, end)
	ui := &runUI{on: c.UI, addr: c.Addr}
	defer ui.stop()
	summary, err := c.play(ctx, cfg, run, view, ui)
	view.close()
	if _, begun := os.Stat(filepath.Join(dir, "config.yaml")); err != nil && ctx.Err() != nil && begun == nil {
		return interrupted(ctx, dir, err)
	}
	if err != nil {
		return err
	}
	if err := view.result(summary); err != nil {
		return err
	}
	return ui.linger(ctx, con)
}

// interrupted says how to go on with a run that ended with err because ctx did.
func interrupted(ctx context.Context, dir string, err error) error {
	why := errInterrupted
	if errors.Is(context.Cause(ctx), errUnread) {
		why = errUnread
	}
	if own := ownFailure(err); own != nil { // the cycle before the one in work may not be on disk
		return spade.Errorf(own.Boundary, own.Next, "run %s: %w; %w", spade.Quote(dir), why, own)
	}
	return spade.Errorf(spade.ByUser, "the cycle in work was dropped and all before it is safe; go on with: spade run --resume --dir "+spade.Quote(dir),
		"run %s: %w", spade.Quote(dir), why)
}

// ownFailure returns the first failure in err that no interrupt brings about, nil where there is none: the store's, or that
// of a server, which may have been saving weights for it. Processes of ours are interrupted with us, so other failures
// prove nothing.
func ownFailure(err error) *spade.Error {
	if known, ok := err.(*spade.Error); ok && (known.Boundary == spade.ByStore || known.Boundary == spade.ByPolicy) && !errors.Is(known, context.Canceled) {
		return known
	}
	switch tree := err.(type) {
	case interface{ Unwrap() error }:
		return ownFailure(tree.Unwrap())
	case interface{ Unwrap() []error }:
		for _, branch := range tree.Unwrap() {
			if own := ownFailure(branch); own != nil {
				return own
			}
		}
	}
	return nil
}

// open returns the resolved configuration, and the run if it is one to continue. A new run is created once
// everything that it needs is open, so that one that cannot start leaves no folder behind.
func (c *runCommand) open() (selfplay.Config, *store.Run, error) {
	if c.Resume {
		return c.resume()
	}
	named := roles{Policy: selfplay.Default().Policy}
	if c.Policy != nil {
		named.Policy = *c.Policy
	}
	cfg := defaultsFor(named)
	if c.Config != "" {
		var err error
		if cfg, err = readConfig(c.Config, c.Policy); err != nil {
			return cfg, nil, err
		}
	}
	c.override(&cfg)
	cfg, err := cfg.Resolve()
	if err != nil {
		return cfg, nil, err
	}
	if err := absolutePaths(&cfg); err != nil {
		return cfg, nil, err
	}
	return cfg, nil, cmp.Or(cfg.Validate(), checkSampling(cfg))
}

// absolutePaths makes the paths of a run independent of where it is resumed from.
func absolutePaths(cfg *selfplay.Config) error {
	var err error
	if cfg.Corpus != "builtin" && cfg.Corpus != selfplay.NoCorpus && cfg.Corpus != "" {
		if cfg.Corpus, err = filepath.Abs(cfg.Corpus); err != nil {
			return fmt.Errorf("find the corpus: %w", err)
		}
	}
	for _, name := range []*string{&cfg.Policy, &cfg.Designer, &cfg.Agent, &cfg.Auditor} {
		if *name, err = absoluteModel(*name); err != nil {
			return fmt.Errorf("find the policy: %w", err)
		}
	}
	return nil
}

// absoluteModel is the name of a model with the path in it, that of a checkpoint or a tokenizer, made absolute.
func absoluteModel(name string) (string, error) {
	if dir, ok := strings.CutPrefix(name, "local:"); ok && dir != "" {
		dir, err := filepath.Abs(dir)
		return "local:" + dir, err
	}
	if strings.HasPrefix(name, "tinker:") {
		return absoluteTokenizer(name)
	}
	return name, nil
}

// override puts the options over the configuration.
func (c *runCommand) override(cfg *selfplay.Config) {
	if c.Cycles != nil {
		cfg.Cycles = *c.Cycles
	}
	if c.Seed != nil {
		cfg.Seed = *c.Seed
	}
	if c.Arm != nil {
		cfg.Arm = *c.Arm
	}
	if c.Policy != nil {
		cfg.Policy = *c.Policy
	}
	if c.Corpus != nil {
		cfg.Corpus = *c.Corpus
	}
	if name := c.model(cfg.Policy); name != "" {
		cfg.Auditor = name
	}
	if c.Sandbox != "" {
		cfg.Isolation = c.Sandbox
	}
}

// runName names a folder after an arm and a seed.
func runName(arm string, seed uint64) string {
	return fmt.Sprintf("%s-seed%d", strings.ReplaceAll(arm, ":", ""), seed)
}

// reserveDir makes the first free folder under runs/ that is named after arm and seed. That it is made at once keeps
// two runs that begin in the same instant apart.
func reserveDir(cfg selfplay.Config) (string, error) {
	base := filepath.Join("runs", runName(cfg.Arm, cfg.Seed))
	err := os.MkdirAll("runs", 0o755)
	for i := 1; err == nil; i++ {
		dir := base
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", base, i)
		}
		if err = os.Mkdir(dir, 0o755); err == nil {
			return dir, nil
		}
		if errors.Is(err, os.ErrExist) {
			err = nil
		}
	}
	return "", spade.Errorf(spade.ByStore, "name a folder that can be written with --dir", "make a folder for the run: %w", err)
}

// resume continues the run in --dir under the configuration that it recorded. Only its length may be changed.
func (c *runCommand) resume() (selfplay.Config, *store.Run, error) {
	if c.Dir == "" {
		return selfplay.Config{}, nil, spade.Errorf(spade.ByUser, "add --dir D", "--resume needs the folder of the run")
	}
	if c.Config != "" || c.Seed != nil || c.Arm != nil || c.Policy != nil || c.Corpus != nil || c.Audit || c.Auditor != "" || c.Sandbox != "" {
		return selfplay.Config{}, nil, spade.Errorf(spade.ByUser, "leave them out, or start a new run in another folder",
			"a resumed run keeps its recorded configuration; only --cycles may be given")
	}
	run, err := store.Resume(c.Dir)
	if err != nil {
		return selfplay.Config{}, nil, err
	}
	cfg, err := decodeRecorded(filepath.Join(c.Dir, "config.yaml"), run.Config())
	if err != nil {
		run.Close()
		return cfg, nil, err
	}
	if c.Cycles == nil {
		return cfg, run, nil
	}
	if err := c.lengthen(&cfg, run); err != nil {
		run.Close()
		return cfg, nil, err
	}
	return cfg, run, nil
}

// lengthen gives a run another number of cycles. It is recorded once the run goes on.
func (c *runCommand) lengthen(cfg *selfplay.Config, run *store.Run) error {
	last, _, _, _, err := run.Last()
	if err != nil {
		return err
	}
	cfg.Cycles = *c.Cycles
	if err := cfg.Validate(); err != nil {
		return err
	}
	if cfg.Cycles < last {
		return spade.Errorf(spade.ByUser, fmt.Sprintf("give at least %d cycles, or leave --cycles out", last),
			"the run in %s has %d cycles already: it cannot end after %d", spade.Quote(c.Dir), last, cfg.Cycles)
	}
	return nil
}

// recordLength puts the configuration with its new number of cycles into the folder of a run that can go on.
func recordLength(loop *selfplay.Loop, cfg selfplay.Config, run *store.Run, resume []byte) error {
	if err := loop.Resumable(resume); err != nil {
		return err
	}
	data, err := encodeConfig(cfg)
	if err != nil {
		return err
	}
	return run.SetConfig(data)
}

// play wires the loop together and runs it; run is nil for a new one.
func (c *runCommand) play(ctx context.Context, cfg selfplay.Config, run *store.Run, view *runView, ui *runUI) (selfplay.Summary, error) {
	if run != nil {
		defer run.Close()
	}
	parts, err := wire(ctx, cfg, view.teller())
	if err != nil {
		return selfplay.Summary{}, err
	}
	defer parts.close()
	if run == nil {
		if run, err = create(view.dir, cfg); err != nil {
			return selfplay.Summary{}, err
		}
		defer run.Close()
	}
	last, resume, checkpoint, committed, err := run.Last()
	if err != nil {
		return selfplay.Summary{}, err
	}
	if !committed {
		last, resume = -1, nil
	}
	if checkpoint != "" {
		if err := restore(ctx, parts, checkpoint); err != nil {
			return selfplay.Summary{}, err
		}
	}
	loop := parts.loop(cfg, run)
	if c.Resume && c.Cycles != nil {
		if err := recordLength(loop, cfg, run, resume); err != nil {
			return selfplay.Summary{}, err
		}
	}
	view.begin()
	if err := ui.start(view, cfg.Isolation); err != nil {
		return selfplay.Summary{}, err
	}
	loop.OnCycle, loop.OnProgress = view.cycle, ui.progress(view.progress)
	for _, note := range loop.Notes() {
		view.teller().notice(note)
	}
	if c.Cost != "" {
		meter, err := lab.OpenMeter(c.Cost, last)
		if err != nil {
			return selfplay.Summary{}, spade.Errorf(spade.ByUser, "name a file that can be written with --cost", "%w", err)
		}
		defer meter.Close()
		watchCost(loop, meter, view.teller())
	}
	summary, err := loop.Run(ctx, resume)
	if errors.Is(err, policy.ErrDiverged) {
		err = diverged(cfg, run, err)
	}
	return summary, err
}

// watchCost makes a meter follow the loop beside whoever follows it already.
func watchCost(loop *selfplay.Loop, meter *lab.Meter, tell teller) {
	onCycle, onProgress := loop.OnCycle, loop.OnProgress
	loop.OnCycle = func(c spade.Cycle) {
		if err := meter.Cycle(c.Number); err != nil {
			tell.notice(err.Error())
		}
		onCycle(c)
	}
	loop.OnProgress = func(p selfplay.Progress) {
		meter.Phase(p.Phase == "held-out")
		onProgress(p)
	}
}

// diverged says what to do about a run whose model is broken: nothing of it is committed, and going on would break it
// in the same way again.
func diverged(cfg selfplay.Config, run *store.Run, cause error) error {
	last, _, checkpoint, _, err := run.Last()
	if err != nil {
		return errors.Join(cause, err)
	}
	next := lowerRate(cfg)
	if checkpoint != "" {
		next += fmt.Sprintf("; cycles up to %d are safe, and --policy local:%s begins with their weights", last, spade.Quote(checkpoint))
	}
	return spade.Errorf(spade.ByUser, next, "run %s: %w", spade.Quote(run.Dir()), cause)
}

// restore takes up the weights and the optimiser of a run. Without the optimiser's state the run would go on, but not
// to the same result.
func restore(ctx context.Context, parts *parts, checkpoint string) error {
	trainer, trains := parts.policy.(policy.Trainer)
	if !trains {
		return spade.Errorf(spade.ByStore, "put config.yaml back as it was", "resume: the run has the checkpoint %s, and its policy no weights",
			spade.Quote(checkpoint))
	}
	why := errors.New("it lacks the state of the optimiser")
	if _, embedded := trainer.(*local.Policy); !embedded || local.HasOptimizer(checkpoint) {
		if why = trainer.Restore(ctx, checkpoint); why == nil {
			return nil
		}
	}
	return spade.Errorf(spade.ByStore, "put the checkpoint back from a copy, or begin a new run with the weights of another one: --policy local:DIR",
		"resume: the checkpoint %s is not whole: %w", spade.Quote(checkpoint), why)
}

func create(dir string, cfg selfplay.Config) (*store.Run, error) {
	data, err := encodeConfig(cfg)
	if err != nil {
		return nil, err
	}
	return store.Create(dir, data)
}

// printJSON writes one JSON object on a line of its own.
func printJSON(con console, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = fmt.Fprintf(con.out, "%s\n", data)
	return err
}
