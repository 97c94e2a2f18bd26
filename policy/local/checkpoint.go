package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"spade"
	"spade/policy/token"
)

// The files of a checkpoint. Hugging Face transformers loads the folder as a Qwen3ForCausalLM.
const (
	configFile    = "config.json"
	weightsFile   = "model.safetensors"
	tokenizerFile = "tokenizer.json"
	// tokenizerConfigFile is for transformers only, which would take another tokenizer for this architecture.
	tokenizerConfigFile = "tokenizer_config.json"
	// optimizerFile is absent from checkpoints that no policy wrote.
	optimizerFile = "optimizer.safetensors"
)

// The architecture that configFile names.
const (
	architecture = "Qwen3ForCausalLM"
	modelType    = "qwen3"
)

// tokenizerConfig says that the tokenizer is just what tokenizerFile says.
const tokenizerConfig = `{
  "tokenizer_class": "PreTrainedTokenizerFast",
  "clean_up_tokenization_spaces": false
}
`

// hubConfig is configFile: the shape, and what is the same for every model of this package.
type hubConfig struct {
	Architectures []string `json:"architectures"`
	ModelType     string   `json:"model_type"`
	Config
	HiddenAct         string  `json:"hidden_act"`
	AttentionBias     bool    `json:"attention_bias"`
	TieWordEmbeddings bool    `json:"tie_word_embeddings"`
	InitializerRange  float64 `json:"initializer_range"`
	DType             string  `json:"torch_dtype"`
}

func newHubConfig(c Config) hubConfig {
	return hubConfig{
		Architectures: []string{architecture}, ModelType: modelType, Config: c, HiddenAct: "silu",
		TieWordEmbeddings: true, InitializerRange: initialDeviation, DType: "float32",
	}
}

// check reports why this package cannot run what h describes.
func (h *hubConfig) check() error {
	switch {
	case h.ModelType != modelType:
		return fmt.Errorf("model_type is %q, want %q", h.ModelType, modelType)
	case h.HiddenAct != "silu" || h.AttentionBias || !h.TieWordEmbeddings:
		return errors.New("only silu, no attention bias and tied embeddings are supported")
	}
	return h.Validate()
}

// Load reads the model and the tokenizer of a checkpoint from the root of fsys.
func Load(fsys fs.FS) (*Model, *token.Tokenizer, error) {
	m, err := loadModel(fsys)
	if err != nil {
		return nil, nil, checkpointError("load", err)
	}
	var t *token.Tokenizer
	err = readFile(fsys, tokenizerFile, func(r io.Reader) (err error) {
		t, err = token.Read(r)
		return err
	})
	if err != nil {
		return nil, nil, checkpointError("load", err)
	}
	if t.Size() != m.config.VocabSize {
		return nil, nil, checkpointError("load", fmt.Errorf("%s has %d tokens and the model %d", tokenizerFile, t.Size(), m.config.VocabSize))
	}
	return m, t, nil
}

func loadModel(fsys fs.FS) (*Model, error) {
	var h hubConfig
	err := readFile(fsys, configFile, func(r io.Reader) error {
		if err := json.NewDecoder(r).Decode(&h); err != nil {
			return err
		}
		return h.check()
	})
	if err != nil {
		return nil, err
	}
	m, err := emptyModel(h.Config)
	if err != nil {
		return nil, err
	}
	return m, readFile(fsys, weightsFile, func(r io.Reader) error {
		_, err := readTensors(r, m.weights.tensors(&m.config))
		return err
	})
}

// readFile hands the named file to read; errors say which file it was.
func readFile(fsys fs.FS, name string, read func(io.Reader) error) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func checkpointError(doing string, err error) error {
	return spade.Errorf(spade.ByStore, "use a folder that this program wrote as a checkpoint",
		"%s checkpoint of the embedded model: %w", doing, err)
}

// Save writes the model and the tokenizer as a checkpoint without optimiser state into the folder dir, which
// it creates. Equal models give equal bytes. Files are on disk when it returns.
func Save(dir string, m *Model, t *token.Tokenizer) error {
	if err := save(dir, m, t, nil); err != nil {
		return saveError(dir, err)
	}
	return nil
}

func saveError(dir string, err error) error {
	return spade.Errorf(spade.ByStore, "free space or permit writing there, then try again",
		"save the embedded model to %s: %w", dir, err)
}

// save also writes the optimiser's state unless o is nil.
func save(dir string, m *Model, t *token.Tokenizer, o *optimizer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	config, err := json.MarshalIndent(newHubConfig(m.config), "", "  ")
	if err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{configFile, func(w io.Writer) error {
			_, err := w.Write(append(config, '\n'))
			return err
		}},
		{tokenizerFile, func(w io.Writer) error {
			_, err := t.WriteTo(w)
			return err
		}},
		{tokenizerConfigFile, func(w io.Writer) error {
			_, err := io.WriteString(w, tokenizerConfig)
			return err
		}},
		{weightsFile, func(w io.Writer) error {
			return writeTensors(w, m.weights.tensors(&m.config), map[string]string{"format": "pt"})
		}},
		{optimizerFile, func(w io.Writer) error {
			return writeTensors(w, o.tensors(&m.config), map[string]string{stepsKey: strconv.FormatInt(o.steps, 10)})
		}},
	}
	if o == nil {
		files = files[:len(files)-1]
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return syncFolder(dir)
}

// writeFile creates a file, has it written and flushes it to disk.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder flushes the folder's list of files to disk.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// stepsKey names the number of steps in the metadata of optimizerFile.
const stepsKey = "steps"

// tensors lists the optimiser's state in the form of weights.tensors, under the names of PyTorch's AdamW.
func (o *optimizer) tensors(c *Config) []tensor {
	o.allocate()
	var list []tensor
	for _, moment := range []struct {
		name string
		w    *weights
	}{{"exp_avg.", o.first}, {"exp_avg_sq.", o.second}} {
		for _, t := range moment.w.tensors(c) {
			t.name = moment.name + t.name
			list = append(list, t)
		}
	}
	return list
}

// Save implements policy.Trainer.
func (p *Policy) Save(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	if err := save(dir, p.model, p.format.tokenizer, p.optimizer); err != nil {
		return saveError(dir, err)
	}
	return nil
}

// SaveWeights is Save without the optimiser's state: a checkpoint to sample from.
func (p *Policy) SaveWeights(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.weightsMu.RLock()
	defer p.weightsMu.RUnlock()
	return Save(dir, p.model, p.format.tokenizer)
}

// Restore implements policy.Trainer. The checkpoint must have the policy's own shape and tokenizer; without
// optimiser state, training starts afresh at version 0. Sessions that are open cannot reply afterwards. If it
// fails, the policy is as before.
func (p *Policy) Restore(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fsys := os.DirFS(dir)
	m, t, err := Load(fsys)
	if err != nil {
		return err
	}
	same, err := equalTokenizers(t, p.format.tokenizer)
	if err == nil && (m.config != p.model.config || !same) {
		err = errors.New("its shape or tokenizer is not that of the policy in use")
	}
	o := newOptimizer(&p.model.config, p.optimizer.constants)
	if err == nil {
		err = o.read(fsys, &m.config)
	}
	if err != nil {
		return checkpointError("restore", fmt.Errorf("%s: %w", dir, err))
	}
	p.weightsMu.Lock()
	defer p.weightsMu.Unlock()
	copy(p.model.weights.flat, m.weights.flat)
	p.optimizer, p.pending = o, nil
	p.weightsChanged()
	return nil
}

// read fills the optimiser's state from optimizerFile, if there is one.
func (o *optimizer) read(fsys fs.FS, c *Config) error {
	err := readFile(fsys, optimizerFile, func(r io.Reader) error {
		metadata, err := readTensors(r, o.tensors(c))
		if err != nil {
			return err
		}
		o.steps, err = strconv.ParseInt(metadata[stepsKey], 10, 64)
		if err != nil || o.steps < 0 {
			return fmt.Errorf("its number of steps is %q", metadata[stepsKey])
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func equalTokenizers(a, b *token.Tokenizer) (bool, error) {
	var x, y bytes.Buffer
	if _, err := a.WriteTo(&x); err != nil {
		return false, err
	}
	if _, err := b.WriteTo(&y); err != nil {
		return false, err
	}
	return bytes.Equal(x.Bytes(), y.Bytes()), nil
}

// HasOptimizer reports whether the checkpoint in the folder dir holds the state of the optimiser, so that training can
// go on from it as if nothing had happened.
func HasOptimizer(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, optimizerFile))
	return err == nil
}
