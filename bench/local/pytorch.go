package local

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"spade/policy"
	"spade/policy/local"
)

//go:embed pytorch.py
var script []byte

// lossTolerance is by how much the losses of both sides on the same weights and batch may differ, relative to 1.
const lossTolerance = 1e-4

// pytorch is a Python that runs pytorch.py. A nil one has no rates.
type pytorch struct {
	command                *exec.Cmd
	folder                 string
	in                     io.WriteCloser
	out                    *bufio.Scanner
	version, train, sample string
}

// HasPyTorch reports whether a Python can import PyTorch.
func HasPyTorch(ctx context.Context, python string) bool {
	return exec.CommandContext(ctx, python, "-c", "import torch").Run() == nil
}

// startPyTorch starts the script with our side's weights, and checks that it computes the same loss.
func startPyTorch(ctx context.Context, python string, s *side) (*pytorch, error) {
	folder, err := os.MkdirTemp("", "spade-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench local: %w", err)
	}
	t := &pytorch{folder: folder}
	if err := t.start(ctx, python, s); err != nil {
		t.close()
		return nil, fmt.Errorf("compare with the PyTorch of %s: %w", python, err)
	}
	return t, nil
}

func (t *pytorch) start(ctx context.Context, python string, s *side) error {
	batch := newBatch(s.model.Config().VocabSize)
	data, err := json.Marshal(forPython(batch))
	if err != nil {
		return err
	}
	batchFile := filepath.Join(t.folder, "batch.json")
	if err := os.WriteFile(batchFile, data, 0o600); err != nil {
		return err
	}
	if err := local.Save(t.folder, s.model, s.vocab); err != nil {
		return err
	}
	source := filepath.Join(t.folder, "pytorch.py")
	if err := os.WriteFile(source, script, 0o600); err != nil {
		return err
	}
	t.command = exec.CommandContext(ctx, python, source, t.folder, batchFile)
	// Without these, glibc gives memory back to the system and takes it again in every step, at PyTorch's cost.
	t.command.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "MALLOC_TRIM_THRESHOLD_=4294967296",
		"MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TOP_PAD_=268435456")
	t.command.Stderr = os.Stderr
	out, err := t.command.StdoutPipe()
	if err != nil {
		return err
	}
	if t.in, err = t.command.StdinPipe(); err != nil {
		return err
	}
	if err := t.command.Start(); err != nil {
		return err
	}
	t.out = bufio.NewScanner(out)
	var said struct {
		Torch, Train, Sample string
		Loss                 float64
	}
	if err := t.read(&said); err != nil {
		return err
	}
	t.version, t.train, t.sample = said.Torch, said.Train, said.Sample
	own, err := train(ctx, s.policy, batch, 1)
	if err != nil {
		return err
	}
	if !(math.Abs(own-said.Loss) <= lossTolerance*max(1, math.Abs(own))) {
		return fmt.Errorf("on the same batch its loss is %v and ours %v: they do not compute the same", said.Loss, own)
	}
	return nil
}

// read reads one line of the script.
func (t *pytorch) read(into any) error {
	if !t.out.Scan() {
		if err := t.out.Err(); err != nil {
			return err
		}
		return fmt.Errorf("it stopped: %w", io.ErrUnexpectedEOF)
	}
	return json.Unmarshal(t.out.Bytes(), into)
}

// order has the script do something and returns the processor seconds that it took.
func (t *pytorch) order(o map[string]any) (float64, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	if _, err := t.in.Write(append(data, '\n')); err != nil {
		return 0, fmt.Errorf("compare with PyTorch: %w", err)
	}
	var answer struct{ Seconds float64 }
	if err := t.read(&answer); err != nil {
		return 0, fmt.Errorf("compare with PyTorch: %w", err)
	}
	return answer.Seconds, nil
}

// trainRate is how many tokens it trains on a second, 0 without PyTorch.
func (t *pytorch) trainRate(steps int) (float64, error) {
	if t == nil {
		return 0, nil
	}
	seconds, err := t.order(map[string]any{"do": "train", "steps": steps})
	return float64(steps*batchSequences*sequenceTokens) / seconds, err
}

// sampleRate is how many tokens it samples a second, 0 without PyTorch.
func (t *pytorch) sampleRate(sequences int) (float64, error) {
	if t == nil {
		return 0, nil
	}
	seconds, err := t.order(map[string]any{"do": "sample", "sequences": sequences, "tokens": replyTokens})
	return float64(sequences*replyTokens) / seconds, err
}

func (t *pytorch) close() {
	if t.in != nil {
		t.in.Close()
		t.command.Wait() // the end of its input ends it
	}
	os.RemoveAll(t.folder)
}

// forPython is the batch as pytorch.py reads it.
func forPython(b policy.Batch) map[string]any {
	first := b.Sequences[0]
	tokens, advantages := [][]int32{}, []float64{}
	for _, s := range b.Sequences {
		tokens, advantages = append(tokens, s.Tokens), append(advantages, s.Advantage)
	}
	return map[string]any{"tokens": tokens, "advantages": advantages, "old": first.LogProbs[1], "weight": first.Weight,
		"clip_low": b.Loss.ClipLow, "clip_high": b.Loss.ClipHigh}
}
