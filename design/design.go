// Package design is the designer's side of the loop: it asks a policy for an environment and reads the answer.
//
// It owns the designer's prompt (the files under templates), the reading of source and hint out of a reply, the
// follow-ups that ask for a missing hint and for another one, and the repair of broken answers. It owns no judgement: whether a
// source is any good is for admit to say. It runs at the beginning of a cycle, once for each slot.
package design

import (
	"context"
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"text/template"

	"spade"
	"spade/policy"
	"spade/reply"
)

//go:embed templates
var files embed.FS

// The families of prompts: the bare texts that the embedded model knows, and instructions in plain language.
var (
	compact  = template.Must(template.New("").Funcs(template.FuncMap{"decile": decile}).ParseFS(files, "templates/*.tmpl"))
	instruct = template.Must(template.New("").Funcs(template.FuncMap{"percent": percent, "mastered": mastered}).
			ParseFS(files, "templates/instruct/*.tmpl"))
)

func percent(rate float64) string { return fmt.Sprintf("%.0f %%", 100*rate) }

// decile is a win rate in [0, 1] as a digit from 0 to 9: how an example says how hard it was.
func decile(winRate float64) int { return max(0, min(9, int(winRate*10))) }

// Config says how the designer is sampled.
type Config struct {
	// MaxTokens bounds one answer, in tokens.
	MaxTokens int `yaml:"max_tokens" json:"max_tokens"`
	// Temperature is > 0; TopP in (0, 1] and TopK >= 0 narrow the distribution, 0 leaves either off.
	Temperature float64 `yaml:"temperature" json:"temperature"`
	TopP        float64 `yaml:"top_p" json:"top_p"`
	TopK        int     `yaml:"top_k" json:"top_k"`
	// Repairs is the number of turns in which a refused answer is handed back with its fault. Repaired
	// environments are played; the designer trains on its first answer only.
	Repairs int `yaml:"repairs" json:"repairs"`
	// Hint says where hints come from: HintSame, or HintSeparate.
	Hint string `yaml:"hint" json:"hint,omitempty"`
	// ExampleTokens bounds the sources of examples in a prompt, in tokens; one that does not fit is left out whole.
	// PassageWords bounds the passage. 0 is no bound. Both hold for models that follow instructions.
	ExampleTokens int `yaml:"example_tokens" json:"example_tokens,omitempty"`
	PassageWords  int `yaml:"passage_words" json:"passage_words,omitempty"`
}

const (
	// HintSame: the answer with the environment brings the hint.
	HintSame = ""
	// HintSeparate: the hint is asked for in a conversation of its own, which is shown the source.
	HintSeparate = "separate"
)

// Default is the configuration for the embedded model, which writes about 80 tokens and was never shown a
// repair.
func Default() Config { return Config{MaxTokens: 200, Temperature: 1} }

// DefaultInstruct is the configuration for a model that follows instructions. Temperature, top-p, top-k and the limits on
// prompts are the published ones; an answer may take as many tokens as whole environments of 300 lines and some thinking do.
func DefaultInstruct() Config {
	return Config{MaxTokens: 16384, Temperature: 0.6, TopP: 0.95, TopK: 20, Repairs: 2, ExampleTokens: 8000, PassageWords: 4000}
}

// Validate reports the first setting that makes no sense.
func (c Config) Validate() error {
	switch {
	case c.MaxTokens < 1:
		return fmt.Errorf("design.max_tokens is %d: at least 1 is needed", c.MaxTokens)
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 1): // NaN is neither above nor below anything
		return fmt.Errorf("design.temperature is %g: it must be a number above 0", c.Temperature)
	case !(c.TopP >= 0 && c.TopP <= 1):
		return fmt.Errorf("design.top_p is %g: it must lie in [0, 1]", c.TopP)
	case c.TopK < 0:
		return fmt.Errorf("design.top_k is %d: it must not be negative", c.TopK)
	case c.Repairs < 0:
		return fmt.Errorf("design.repairs is %d: it must not be negative", c.Repairs)
	case c.Hint != HintSame && c.Hint != HintSeparate:
		return fmt.Errorf("design.hint is %q: it must be separate or left out", c.Hint)
	case c.ExampleTokens < 0 || c.PassageWords < 0:
		return fmt.Errorf("design.example_tokens is %d and design.passage_words %d: neither may be negative", c.ExampleTokens, c.PassageWords)
	}
	return nil
}

// Request is what one design is grounded on.
type Request struct {
	// Passage is nil in ungrounded runs.
	Passage *spade.Passage
	// Examples are earlier environments to show, teachable ones first.
	Examples []spade.Remembered
	// Skill is what the environment should exercise; the embedded model takes it from its passage.
	Skill string
	// WinRate is how often environments of the skill were won of late, in [0, 1], nil where nobody knows.
	WinRate *float64
}

// Draft is one answer of the designer.
type Draft struct {
	// Reply is the whole answer; Source and Hint are what was read out of it, "" where it held none.
	Reply  string
	Source string
	Hint   string
	// Trajectory are the tokens of this answer and of what was fed before it.
	Trajectory spade.Trajectory
}

// Conversation is one design in the making. It is used by one goroutine at a time.
type Conversation struct {
	// Prompt is what the designer was asked, Examples what of the request's examples it was shown.
	Prompt   []spade.Message
	Examples []spade.Remembered

	sampler policy.Sampler
	family  policy.Prompts
	cfg     Config
	stream  *rand.Rand
	session policy.Session
	// toolUse says that the last source was a tool-use environment.
	toolUse bool
}

// Open starts a conversation about one environment; stream is the source of its draws.
func Open(ctx context.Context, sampler policy.Sampler, cfg Config, req Request, stream *rand.Rand) (*Conversation, error) {
	c := &Conversation{sampler: sampler, family: sampler.Info().Prompts, cfg: cfg, stream: stream}
	if c.family == policy.InstructPrompts {
		req.Examples = within(req.Examples, cfg.ExampleTokens, sampler.CountTokens)
	}
	c.Examples = req.Examples
	var err error
	if c.Prompt, err = Prompt(c.family, cfg, req); err != nil {
		return nil, err
	}
	if c.session, err = c.open(ctx, cfg.Temperature); err != nil {
		return nil, fmt.Errorf("open a design: %w", err)
	}
	return c, nil
}

func (c *Conversation) open(ctx context.Context, temperature float64) (policy.Session, error) {
	return c.sampler.Open(ctx, policy.Spec{
		Role: spade.Designer, Rand: c.stream, Temperature: temperature, TopP: c.cfg.TopP, TopK: c.cfg.TopK,
		MaxTokens: c.cfg.MaxTokens,
	})
}

// Close ends the conversation.
func (c *Conversation) Close() error { return c.session.Close() }

// First returns the designer's first answer. Where it holds a source and no hint, one follow-up asks for the
// hint alone; the trajectory stays that of the first answer. If that follow-up fails, the draft comes without a hint,
// beside the error.
func (c *Conversation) First(ctx context.Context) (Draft, error) {
	d, err := c.answer(ctx, c.Prompt)
	if err != nil || d.Source == "" {
		return d, err
	}
	if c.cfg.Hint == HintSeparate {
		return c.separate(ctx, d)
	}
	if d.Hint != "" {
		return d, nil
	}
	question, err := render(c.family, "ask_hint.tmpl", ask{ToolUse: c.toolUse})
	if err != nil {
		return d, err
	}
	again, err := c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: question}})
	d.Hint = again.Hint
	return d, err
}

// hintTemperature is that of hints asked for on their own, as published.
const hintTemperature = 0.3

// separate asks for the hint of a draft in a conversation of its own.
func (c *Conversation) separate(ctx context.Context, d Draft) (Draft, error) {
	question, err := render(policy.InstructPrompts, "hint.tmpl", ask{Source: strings.TrimSpace(d.Source), ToolUse: c.toolUse})
	if err != nil {
		return d, err
	}
	session, err := c.open(ctx, hintTemperature)
	if err != nil {
		return d, fmt.Errorf("open a conversation about a hint: %w", err)
	}
	defer session.Close()
	said, err := session.Reply(ctx, spade.Message{Speaker: spade.User, Content: question})
	if err != nil {
		return d, fmt.Errorf("sample a hint: %w", err)
	}
	d.Hint, _ = reply.Hint(said.Text)
	return d, nil
}

func isToolUse(source string) bool { return strings.Contains(source, "ToolUseBaseEnv") }

// Repair hands the last answer back with its fault and returns the designer's next one. verdict is what fault was written
// from: its reasons bring advice. If only the hint of a repaired source could not be had, the draft comes beside the error.
func (c *Conversation) Repair(ctx context.Context, fault string, verdict spade.Verdict) (Draft, error) {
	question, err := render(c.family, "repair.tmpl", ask{Fault: fault, Advice: adviceOn(verdict), Separate: c.cfg.Hint == HintSeparate})
	if err != nil {
		return Draft{}, err
	}
	d, err := c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: question}})
	if err == nil && d.Source != "" && c.cfg.Hint == HintSeparate {
		return c.separate(ctx, d)
	}
	return d, err
}

// NewHint hands the hint back with its fault and returns the designer's next answer, of which only the hint counts.
func (c *Conversation) NewHint(ctx context.Context, fault string) (Draft, error) {
	question, err := render(c.family, "new_hint.tmpl", ask{Fault: fault, ToolUse: c.toolUse})
	if err != nil {
		return Draft{}, err
	}
	return c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: question}})
}

// errNoRoom is nobody's fault but the settings': passages and examples are too long for the model.
var errNoRoom = spade.Errorf(spade.ByUser, "shorten the passages (design.passage_words) or the examples (design.example_tokens)",
	"the prompt of a design leaves no room for an answer in the context of the model")

func (c *Conversation) answer(ctx context.Context, messages []spade.Message) (Draft, error) {
	said, err := c.session.Reply(ctx, messages...)
	if err != nil {
		return Draft{}, fmt.Errorf("sample a design: %w", err)
	}
	if said.Stop == policy.StopContext && said.Text == "" {
		return Draft{}, &policy.Failure{Class: string(policy.StopContext), Err: errNoRoom}
	}
	d := Draft{Reply: said.Text, Trajectory: spade.Trajectory{
		Tokens: said.Tokens, LogProbs: said.LogProbs, Mask: said.Mask, Version: said.Version,
	}}
	if source, ok := reply.Code(said.Text); ok {
		d.Source, c.toolUse = source, isToolUse(source)
	}
	if hint, ok := reply.Hint(said.Text); ok {
		d.Hint = hint
	}
	return d, nil
}
