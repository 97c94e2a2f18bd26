package tinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"spade"
	"spade/policy/tinker/wire"
)

// checkpointFile says where on the server the weights of a checkpoint are.
const checkpointFile = "tinker.json"

// checkpoint is what checkpointFile holds.
type checkpoint struct {
	URL   string `json:"url"`
	Model string `json:"model"`
	// Path is that of weights and optimiser state on the server.
	Path    string `json:"path"`
	Version int64  `json:"version"`
}

// Save implements policy.Trainer. Weights and optimiser state stay on the server, under a name that is new each time;
// the folder gets the file that says where they are. Nobody but their owner removes them from the server.
func (p *Policy) Save(ctx context.Context, dir string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saves++
	var saved wire.Saved
	err := p.client.work(ctx, "save_weights", "SaveWeights", wire.SaveWeights{ModelID: p.model, Seq: p.number(),
		Path: fmt.Sprintf("step-%06d-%d", p.version, p.saves), Type: "save_weights"}, &saved)
	if err == nil && saved.Path == "" {
		err = broken(errors.New("save_weights: the result names no path"))
	}
	if err != nil {
		return fmt.Errorf("save weights over tinker: %w", err)
	}
	if err := writeCheckpoint(dir, checkpoint{p.options.URL, p.options.Model, saved.Path, p.version}); err != nil {
		return spade.Errorf(spade.ByStore, "free space or permit writing there, then try again", "save where the weights are: %w", err)
	}
	return nil
}

func writeCheckpoint(dir string, c checkpoint) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, checkpointFile))
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// Restore implements policy.Trainer: a new model on the server starts from the saved weights and optimiser state. If it
// fails before the server has them, the policy is as before.
func (p *Policy) Restore(ctx context.Context, dir string) error {
	c, err := readCheckpoint(dir)
	if err == nil && c.Model != p.options.Model {
		err = fmt.Errorf("it is of the model %s, not of %s", c.Model, p.options.Model)
	}
	if err != nil {
		return spade.Errorf(spade.ByStore, "use a folder that a run over tinker wrote as a checkpoint", "restore %s: %w", dir, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	model, seq, version, sampler, state := p.model, p.seq, p.version, p.sampler, p.broken
	p.version = c.Version
	if err := p.create(ctx, c.Path); err != nil {
		p.model, p.seq, p.version, p.sampler, p.broken = model, seq, version, sampler, state
		return fmt.Errorf("restore weights over tinker: %w", err)
	}
	return nil
}

// ErrNoCheckpoint is wrapped by errors about folders that no trainer over tinker wrote.
var ErrNoCheckpoint = errors.New("there is no " + checkpointFile + " in it")

// Location says of which model a checkpoint that Save wrote is, and at which server its weights are.
func Location(dir string) (url, model string, err error) {
	c, err := readCheckpoint(dir)
	if err != nil {
		return "", "", spade.Errorf(spade.ByStore, "put it back from a copy, or name another checkpoint", "read the checkpoint %s: %w", spade.Quote(dir), err)
	}
	return c.URL, c.Model, nil
}

func readCheckpoint(dir string) (c checkpoint, err error) {
	data, err := os.ReadFile(filepath.Join(dir, checkpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return c, ErrNoCheckpoint
	}
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err == nil && (c.Path == "" || c.Version < 0) {
		err = fmt.Errorf("%s names no weights", checkpointFile)
	}
	return c, err
}
