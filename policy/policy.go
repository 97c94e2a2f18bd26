// Package policy holds the contracts of whatever samples replies and whatever updates weights.
//
// It owns the interfaces Sampler, Session and Trainer and the types that cross them. It owns no backend:
// policy/local is the embedded model. Stages depend on these contracts and know no backend. A sampler is
// used while environments are designed and played, a trainer once at the end of a cycle. Every
// implementation must pass the suite in policy/policytest.
package policy

import (
	"context"
	"errors"
	"math/rand/v2"

	"spade"
)

// Prompts names the family of prompts that a model reads.
type Prompts string

const (
	// CompactPrompts are the bare texts that the embedded model was warmed up with.
	CompactPrompts Prompts = ""
	// InstructPrompts explain the task in plain language, for models that follow instructions.
	InstructPrompts Prompts = "instruct"
)

// Info describes a sampler.
type Info struct {
	// Name identifies the policy in a run's record, for example "local:base".
	Name string `json:"name"`
	// Context is the number of tokens that a conversation may hold.
	Context int `json:"context"`
	// Prompts says how the model wants to be asked.
	Prompts Prompts `json:"prompts,omitempty"`
	// TextOnly says that replies carry text alone: Tokens, LogProbs and Mask are empty, and nothing can be trained
	// on them.
	TextOnly bool `json:"text_only,omitempty"`
	// Notes are what a run has to state about the policy, a sentence each: which server answers, what it withholds.
	Notes []string `json:"notes,omitempty"`
}

// Failure is a reply that a policy could not give although it was asked properly: a server that was overloaded for too
// long, an answer that made no sense, a deadline. It says nothing about other replies. What was being done with the
// reply, a design or an episode, is counted and left out of statistics; any other error of a policy ends the run.
type Failure struct {
	// Class names the kind of failure in one word.
	Class string
	Err   error
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Spec says how a session samples.
type Spec struct {
	Role spade.Role
	// Rand is the session's own stream (spade.Stream); nobody else draws from it.
	Rand *rand.Rand
	// Temperature is > 0; 1 samples from the model's own distribution. TopP in (0, 1] and TopK >= 0 narrow it;
	// 0 leaves either off.
	Temperature float64
	TopP        float64
	TopK        int
	// MaxTokens bounds one reply, in tokens.
	MaxTokens int
}

// Stop says why a reply ended.
type Stop string

const (
	// StopEnd: the model ended its reply.
	StopEnd Stop = "end"
	// StopLength: MaxTokens were sampled; the reply is cut off.
	StopLength Stop = "length"
	// StopContext: the conversation does not fit into the context; the reply may be empty.
	StopContext Stop = "context"
)

// Reply is one reply of the model.
type Reply struct {
	// Text is the whole reply as the model's reader would see it, markup and all.
	Text string
	// Tokens, LogProbs and Mask are as in spade.Turn: what was fed since the last reply, then what was sampled.
	Tokens   []int32
	LogProbs []float32
	Mask     []bool
	// Version is the weight version that sampled it.
	Version int64
	Stop    Stop
}

// Sampler opens conversations. It is safe for concurrent use, and a conversation's replies depend on its
// messages, its Spec and the weights only: not on what else is being sampled.
type Sampler interface {
	Info() Info
	// Open starts a conversation.
	Open(ctx context.Context, spec Spec) (Session, error)
	// CountTokens returns the number of tokens that text would take in a prompt.
	CountTokens(text string) int
}

// Session is one conversation. It is used by one goroutine at a time.
type Session interface {
	// Reply appends messages to the conversation and samples the model's reply to it. An error means that the
	// policy failed, for this reply only where it is a *Failure; a cut-off reply is not an error.
	Reply(ctx context.Context, messages ...spade.Message) (Reply, error)
	// Close frees what the session holds. A session must be closed; closing twice is allowed.
	Close() error
}

// Sequence is one trajectory to train on.
type Sequence struct {
	Role spade.Role
	// Tokens, LogProbs and Mask have equal length T; LogProbs are those of the sampling policy.
	Tokens   []int32
	LogProbs []float32
	Mask     []bool
	// Advantage multiplies the log-probability gradient of every token in Mask.
	Advantage float64
	// Weight scales this sequence's loss per token; learn chooses it so that the losses of a batch add up.
	Weight float64
	// Entropy is the weight of the entropy bonus per token, >= 0, on the scale of Weight.
	Entropy float64
	// KL is the weight per token, >= 0, on the scale of Weight, of the distance to the reference: the weights with which
	// the trainer was opened. For log-probabilities l and q of a token under the trained weights and the reference it
	// adds KL·(e^(q-l) - (q-l) - 1), an unbiased estimate of the divergence (Schulman's k3).
	KL float64
}

// Loss says how importance ratios are bounded: for ratio r and advantage A a token contributes
// -min(r·A, clip(r, 1-ClipLow, 1+ClipHigh)·A), or with Truncation c > 0 instead -min(r, c)·A·ln p with the ratio held
// constant (truncated importance sampling): a token that has moved far still teaches, with a bounded weight.
type Loss struct {
	// ClipLow and ClipHigh are > 0; the published runs use 0.2 and 0.28.
	ClipLow  float64 `json:"clip_low" yaml:"clip_low"`
	ClipHigh float64 `json:"clip_high" yaml:"clip_high"`
	// Truncation is >= 0; 0 clips.
	Truncation float64 `json:"truncation" yaml:"truncation"`
}

// Batch is what one optimiser step trains on.
type Batch struct {
	Sequences []Sequence
	Loss      Loss
	// LearningRate is that of this step.
	LearningRate float64
	// MaxGradNorm clips the global gradient norm; 0 leaves it alone.
	MaxGradNorm float64
}

// ErrDiverged is wrapped by the errors of a trainer whose gradient or weights are no finite numbers any more, and of a
// sampler whose probabilities are none. Nothing that such a policy saves afterwards is of use.
var ErrDiverged = errors.New("the model has diverged")

// Trainer is a sampler whose weights can be updated.
type Trainer interface {
	Sampler
	// Train takes one optimiser step and returns numbers about it, by name: loss, grad_norm, entropy, kl,
	// clip_fraction, tokens. It must not run while a reply is being sampled. A batch that asks for what the trainer cannot
	// do, KL for example, is an error.
	Train(ctx context.Context, batch Batch) (map[string]float64, error)
	// Version is the number of optimiser steps behind the current weights.
	Version() int64
	// Save writes weights and optimiser state into the folder dir, which it creates; Restore reads them back.
	// Restoring what was saved continues exactly as if nothing had happened.
	Save(ctx context.Context, dir string) error
	Restore(ctx context.Context, dir string) error
}
