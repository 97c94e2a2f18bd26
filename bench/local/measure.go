package local

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"spade"
	"spade/bench"
	"spade/policy/local"
	"spade/policy/local/kernel"
	"spade/policy/token"
)

// Options say what is measured.
type Options struct {
	// Config and Tokenizer are those of the model that is measured; its weights are random.
	Config    local.Config
	Tokenizer *token.Tokenizer
	// Python has PyTorch; "" leaves the comparison out.
	Python string
	// Rounds is how often each side is measured; at least 1.
	Rounds int
	// Progress is told what is being measured.
	Progress func(what string)
}

// sizes are the numbers of sequences that are sampled at once, with what is asked for against PyTorch.
var sizes = []struct {
	sequences int
	target    float64
}{{16, 2.5}, {32, 2.5}, {64, 1.8}}

const (
	trainTarget       = 1.3  // training against PyTorch
	peakTarget        = 0.35 // training against the machine's peak
	twoTrainersTarget = 1.8  // training with two workers against one
	twoSamplersTarget = 1.6  // likewise sampling

	// stepsPerRound optimiser steps are timed together.
	stepsPerRound = 3
	// peakTurns take about a tenth of a second.
	peakTurns = 1 << 22
)

// Run measures. Its errors are a Python that does not do what it should, and surprises.
func Run(ctx context.Context, o Options) ([]bench.Figure, error) {
	one, err := newSide(o, 1)
	if err != nil {
		return nil, err
	}
	var torch *pytorch
	if o.Python != "" {
		o.Progress("PyTorch looks for its best settings")
		if torch, err = startPyTorch(ctx, o.Python, one); err != nil {
			return nil, err
		}
		defer torch.close()
		o.Progress(fmt.Sprintf("PyTorch %s: training %s, sampling %s", torch.version, torch.train, torch.sample))
	}
	figures, err := singleThread(ctx, o, one, torch)
	if err != nil {
		return nil, err
	}
	two, err := twoWorkers(ctx, o, one)
	return append(figures, two...), err
}

// side is the embedded model with some workers.
type side struct {
	policy *local.Policy
	model  *local.Model
	vocab  *token.Tokenizer
}

func newSide(o Options, workers int) (*side, error) {
	model, err := local.NewModel(o.Config, spade.Stream(1, 0, 0, "bench local weights"))
	if err != nil {
		return nil, fmt.Errorf("bench local: %w", err)
	}
	p, err := local.New(model, o.Tokenizer, local.Options{Workers: workers})
	if err != nil {
		return nil, fmt.Errorf("bench local: %w", err)
	}
	return &side{policy: p, model: model, vocab: o.Tokenizer}, nil
}

// rates are those of every round: of our side, and ratios to the other.
type rates struct{ own, ratio []float64 }

func (r *rates) add(own, other float64) {
	r.own = append(r.own, own)
	if other > 0 {
		r.ratio = append(r.ratio, own/other)
	}
}

// figure is the median of the rounds.
func (r *rates) figure(name, against string, least float64) bench.Figure {
	f := bench.Plain(name, bench.Median(r.own), "tokens/s")
	if len(r.ratio) > 0 {
		f.Against, f.Ratio = against, bench.Median(r.ratio)
		f = f.RatioAtLeast(least)
	}
	return f
}

// singleThread measures one worker on one thread, in turns with PyTorch, if there is one, and with the machine's peak.
func singleThread(ctx context.Context, o Options, s *side, torch *pytorch) ([]bench.Figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	batch := newBatch(o.Config.VocabSize)
	var training, ofPeak rates
	sampling := make([]rates, len(sizes))
	for round := range o.Rounds + 1 {
		if round > 0 {
			o.Progress(fmt.Sprintf("one thread, round %d of %d", round, o.Rounds))
		}
		seconds, err := timed(processorTime, func() error { _, err := train(ctx, s.policy, batch, stepsPerRound); return err })
		if err != nil {
			return nil, err
		}
		trained := stepsPerRound * batchSequences * sequenceTokens / seconds
		theirs, err := torch.trainRate(stepsPerRound)
		if err != nil {
			return nil, err
		}
		peak := peakRate()
		if round > 0 { // the first round fills caches
			training.add(trained, theirs)
			ofPeak.add(trained*operations(o.Config), peak)
		}
		for i, size := range sizes {
			seconds, err := timed(processorTime, func() error { return sample(ctx, s.policy, size.sequences) })
			if err != nil {
				return nil, err
			}
			theirs, err := torch.sampleRate(size.sequences)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				sampling[i].add(float64(size.sequences*replyTokens)/seconds, theirs)
			}
		}
	}
	figures := []bench.Figure{training.figure("train", "PyTorch", trainTarget)}
	for i, size := range sizes {
		figures = append(figures, sampling[i].figure(fmt.Sprintf("sample_%d", size.sequences), "PyTorch", size.target))
	}
	peak := ofPeak.figure("train_of_peak", "multiply-adds in registers, "+kernel.Path(), peakTarget)
	peak.Value, peak.Unit = peak.Value/1e9, "GFLOP/s"
	return append(figures, peak), nil
}

// peakRate is how many floating-point operations a second of processor time holds.
func peakRate() float64 {
	operations := 0
	seconds, _ := timed(processorTime, func() error { operations = kernel.Peak(peakTurns); return nil })
	return float64(operations) / seconds
}

// twoWorkers compares two workers with one, on the clock.
func twoWorkers(ctx context.Context, o Options, one *side) ([]bench.Figure, error) {
	if runtime.NumCPU() < 2 {
		return nil, nil
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	two, err := newSide(o, 2)
	if err != nil {
		return nil, err
	}
	batch := newBatch(o.Config.VocabSize)
	const sequences = 64
	var training, sampling rates
	for round := range o.Rounds + 1 {
		if round > 0 {
			o.Progress(fmt.Sprintf("two workers, round %d of %d", round, o.Rounds))
		}
		var trained, sampled [2]float64
		for i, s := range []*side{one, two} {
			seconds, err := timed(clock, func() error { _, err := train(ctx, s.policy, batch, stepsPerRound); return err })
			if err != nil {
				return nil, err
			}
			trained[i] = stepsPerRound * batchSequences * sequenceTokens / seconds
			if seconds, err = timed(clock, func() error { return sample(ctx, s.policy, sequences) }); err != nil {
				return nil, err
			}
			sampled[i] = sequences * replyTokens / seconds
		}
		if round > 0 {
			training.add(trained[1], trained[0])
			sampling.add(sampled[1], sampled[0])
		}
	}
	return []bench.Figure{
		training.figure("train_two_workers", "one worker, on the clock", twoTrainersTarget),
		sampling.figure("sample_64_two_workers", "one worker, on the clock", twoSamplersTarget),
	}, nil
}

func timed(now func() time.Duration, work func() error) (seconds float64, err error) {
	started := now()
	err = work()
	return (now() - started).Seconds(), err
}

var epoch = time.Now()

func clock() time.Duration { return time.Since(epoch) }

// processorTime is the time that this process has computed so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail for one's own process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
