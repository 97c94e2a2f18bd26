package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spade"
	"spade/corpus"
	"spade/library"
	"spade/policy/local"
	"spade/policy/token"
)

type pretrainCommand struct {
	Out    string `help:"Folder to write the checkpoint to; it must not exist yet, or be empty." required:"" placeholder:"D"`
	Seed   uint64 `help:"Seed of the weights and the documents." default:"1"`
	Tokens int64  `help:"Number of tokens to train on." default:"${warm_start_tokens}" placeholder:"N"`
	Size   string `help:"Size of the model: shipped, 0.3M, 1M or 3M parameters." enum:"shipped,0.3M,1M,3M" default:"shipped" placeholder:"S"`
}

func (c *pretrainCommand) Run(ctx context.Context, con console) error {
	if c.Tokens < 1 {
		return spade.Errorf(spade.ByUser, "give --tokens 12000000, for example", "%d tokens are nothing to train on", c.Tokens)
	}
	reserved, err := c.reserve()
	if err != nil {
		return err
	}
	defer os.Remove(reserved) // where nothing was put into it
	passages, err := builtinPassages()
	if err != nil {
		return err
	}
	vocabulary, err := token.Train(library.TokenizerTexts(c.Seed, passages),
		token.TrainConfig{Size: library.VocabularySize, Words: library.Words(), Stems: library.Stems(), Special: local.SpecialTokens(), MaxPiece: library.MaxPiece})
	if err != nil {
		return fmt.Errorf("train the tokenizer: %w", err)
	}
	shape, err := local.ConfigOfSize(vocabulary.Size(), strings.TrimPrefix(c.Size, shippedSize))
	if err != nil {
		return err
	}
	model, err := local.NewModel(shape, spade.Stream(c.Seed, 0, 0, "weights"))
	if err != nil {
		return err
	}
	fmt.Fprintf(con.err, "%d parameters, vocabulary of %d, %d tokens to train on\n", model.Parameters(), vocabulary.Size(), c.Tokens)
	format, err := local.NewFormat(vocabulary)
	if err != nil {
		return err
	}
	if err := local.Pretrain(ctx, model, warmStart(c.Seed, format, passages), c.options(con, shape.HiddenSize)); err != nil {
		return err
	}
	if err := local.Save(filepath.Clean(c.Out), model, vocabulary); err != nil {
		return spade.Errorf(spade.ByStore, "free space or choose another folder", "save the checkpoint: %w", err)
	}
	fmt.Fprintf(con.out, "saved %s; measure it with: spade eval %s\n", c.Out, c.Out)
	return nil
}

// reserve makes the folder of the checkpoint, so that what cannot be written is known before anything is trained.
func (c *pretrainCommand) reserve() (dir string, err error) {
	dir = filepath.Clean(c.Out)
	if err = os.MkdirAll(filepath.Dir(dir), 0o755); err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if entries, unread := os.ReadDir(dir); errors.Is(err, fs.ErrExist) && (unread != nil || len(entries) > 0) {
		return "", spade.Errorf(spade.ByUser, "choose a folder that does not exist, or is empty", "%s exists already", spade.Quote(c.Out))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", spade.Errorf(spade.ByUser, "choose a folder that can be written", "make the folder of the checkpoint: %w", err)
	}
	return dir, nil
}

// shippedSize names the size of the checkpoint that the program carries.
const shippedSize = "shipped"

const (
	// warmStartTokens is the number of tokens that a warm start trains on unless told otherwise.
	warmStartTokens = 10_000_000
	// peakRate is the largest learning rate of a warm start of the shipped width.
	peakRate = 2.5e-3
)

// byWidth turns a learning rate that was chosen for the shipped width into that of another one: it falls as the width
// grows, which keeps the size of a step in the network's outputs (Yang et al. 2022, "Tensor Programs V").
func byWidth(rate float64, width int) float64 {
	return rate * (float64(local.DefaultConfig(1).HiddenSize) / float64(width))
}

func (c *pretrainCommand) options(con console, width int) local.PretrainOptions {
	begun := time.Now()
	adam := local.DefaultAdamW()
	adam.Beta2, adam.WeightDecay = 0.98, 0.01
	return local.PretrainOptions{
		Tokens: c.Tokens, BatchTokens: 2000, LearningRate: byWidth(peakRate, width), Warmup: 0.01, FinalShare: 0.05, MaxGradNorm: 1,
		AdamW: adam,
		Progress: func(p local.PretrainProgress) {
			if p.Step%200 == 0 {
				fmt.Fprintf(con.err, "step %d: %.1f M tokens, loss %.3f, %.0f tokens/s\n", p.Step, float64(p.Tokens)/1e6,
					p.Loss, float64(p.Tokens)/time.Since(begun).Seconds())
			}
		},
	}
}

// warmStart lays the library's documents out as tokens with their weights in the loss.
func warmStart(seed uint64, format *local.Format, passages []spade.Passage) func(int) local.Document {
	return func(i int) local.Document {
		doc := library.Documents(seed, i, passages)
		laid, err := format.Weighted(doc.Messages, doc.Weights, doc.Role)
		if err != nil {
			panic(fmt.Errorf("document %d of the library: %w", i, err)) // the library and the format disagree: a bug
		}
		return laid
	}
}

func builtinPassages() ([]spade.Passage, error) {
	c := corpus.Builtin()
	passages := make([]spade.Passage, c.Len())
	for i := range passages {
		var err error
		if passages[i], err = c.Passage(i); err != nil {
			return nil, fmt.Errorf("read the built-in corpus: %w", err)
		}
	}
	return passages, nil
}
