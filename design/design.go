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

//go:embed templates/*.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"decile": decile}).ParseFS(files, "templates/*.tmpl"))

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
}

// Default is the configuration for the embedded model, which writes about 80 tokens and was never shown a
// repair.
func Default() Config { return Config{MaxTokens: 200, Temperature: 1} }

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
	}
	return nil
}

// Request is what one design is grounded on.
type Request struct {
	// Passage is nil in ungrounded runs.
	Passage *spade.Passage
	// Examples are earlier environments to show, teachable ones first.
	Examples []spade.Remembered
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
	// Prompt is what the designer was asked.
	Prompt  []spade.Message
	session policy.Session
}

// Open starts a conversation about one environment; stream is the source of its draws.
func Open(ctx context.Context, sampler policy.Sampler, cfg Config, req Request, stream *rand.Rand) (*Conversation, error) {
	prompt, err := Prompt(req)
	if err != nil {
		return nil, err
	}
	session, err := sampler.Open(ctx, policy.Spec{
		Role: spade.Designer, Rand: stream, Temperature: cfg.Temperature, TopP: cfg.TopP, TopK: cfg.TopK,
		MaxTokens: cfg.MaxTokens,
	})
	if err != nil {
		return nil, fmt.Errorf("open a design: %w", err)
	}
	return &Conversation{Prompt: prompt, session: session}, nil
}

// Close ends the conversation.
func (c *Conversation) Close() error { return c.session.Close() }

// First returns the designer's first answer. Where it holds a source and no hint, one follow-up asks for the
// hint alone; the trajectory stays that of the first answer.
func (c *Conversation) First(ctx context.Context) (Draft, error) {
	d, err := c.answer(ctx, c.Prompt)
	if err != nil || d.Source == "" || d.Hint != "" {
		return d, err
	}
	ask, err := render("ask_hint.tmpl", nil)
	if err != nil {
		return d, err
	}
	again, err := c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: ask}})
	d.Hint = again.Hint
	return d, err
}

// Repair hands the last answer back with its fault and returns the designer's next one.
func (c *Conversation) Repair(ctx context.Context, fault string) (Draft, error) {
	ask, err := render("repair.tmpl", fault)
	if err != nil {
		return Draft{}, err
	}
	return c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: ask}})
}

// NewHint hands the hint back with its fault and returns the designer's next answer, of which only the hint counts.
func (c *Conversation) NewHint(ctx context.Context, fault string) (Draft, error) {
	ask, err := render("new_hint.tmpl", fault)
	if err != nil {
		return Draft{}, err
	}
	return c.answer(ctx, []spade.Message{{Speaker: spade.User, Content: ask}})
}

func (c *Conversation) answer(ctx context.Context, messages []spade.Message) (Draft, error) {
	said, err := c.session.Reply(ctx, messages...)
	if err != nil {
		return Draft{}, fmt.Errorf("sample a design: %w", err)
	}
	d := Draft{Reply: said.Text, Trajectory: spade.Trajectory{
		Tokens: said.Tokens, LogProbs: said.LogProbs, Mask: said.Mask, Version: said.Version,
	}}
	if source, ok := reply.Code(said.Text); ok {
		d.Source = source
	}
	if hint, ok := reply.Hint(said.Text); ok {
		d.Hint = hint
	}
	return d, nil
}

// Prompt renders what the designer is asked: a message for each example, then the passage.
func Prompt(req Request) ([]spade.Message, error) {
	var prompt []spade.Message
	for _, example := range req.Examples {
		text, err := render("memory.tmpl", example)
		if err != nil {
			return nil, err
		}
		prompt = append(prompt, spade.Message{Speaker: spade.User, Name: spade.NameMemory, Content: text})
	}
	if req.Passage != nil {
		text, err := render("passage.tmpl", req.Passage)
		if err != nil {
			return nil, err
		}
		prompt = append(prompt, spade.Message{Speaker: spade.User, Name: spade.NamePassage, Content: text})
	}
	return prompt, nil
}

func render(name string, data any) (string, error) {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("render the designer's prompt %s: %w", name, err)
	}
	return b.String(), nil
}
