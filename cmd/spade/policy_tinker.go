package main

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"spade"
	"spade/policy"
	"spade/policy/local"
	"spade/policy/local/base"
	"spade/policy/render"
	"spade/policy/tinker"
	"spade/policy/token"
	"spade/serve/trainer"
)

// tinkerModel is the model that a policy tinker:URL[#MODEL[?loss=…&tokenizer=…]] names: the embedded one where it names
// none.
func tinkerModel(rest string) (address, model string, settings url.Values, err error) {
	address, rest, _ = strings.Cut(rest, "#")
	model, query, _ := strings.Cut(rest, "?")
	settings, err = url.ParseQuery(query)
	for key := range settings {
		if key != "loss" && key != "tokenizer" {
			return "", "", nil, spade.Errorf(spade.ByUser, "there are loss and tokenizer", "policy tinker:%s has no setting %q", address, key)
		}
	}
	at, parsed := url.Parse(address)
	if err == nil && (parsed != nil || at.Host == "" || at.User != nil || (at.Scheme != "http" && at.Scheme != "https")) {
		return "", "", nil, spade.Errorf(spade.ByUser, "write tinker:http://127.0.0.1:8700, or tinker:https://HOST/PATH#MODEL?tokenizer=FILE; the key is read from "+tinker.KeyVariable,
			"policy tinker: there is no server address before #")
	}
	return address, cmp.Or(model, trainer.BaseModel), settings, err
}

// absoluteTokenizer is the name of a policy over tinker with the path of its tokenizer made absolute, and all else as it is
// written. What is wrong with it is for tinkerModel to say.
func absoluteTokenizer(name string) (string, error) {
	address, rest, _ := strings.Cut(name, "#")
	model, query, ok := strings.Cut(rest, "?")
	if !ok {
		return name, nil
	}
	settings := strings.Split(query, "&")
	for i, setting := range settings {
		value, ok := strings.CutPrefix(setting, "tokenizer=")
		file, err := url.QueryUnescape(value)
		if !ok || err != nil || file == "" || filepath.IsAbs(file) {
			continue
		}
		if file, err = filepath.Abs(file); err != nil {
			return "", err
		}
		settings[i] = "tokenizer=" + strings.ReplaceAll(url.QueryEscape(file), "%2F", "/")
	}
	return address + "#" + model + "?" + strings.Join(settings, "&"), nil
}

// openTinker connects to a server that samples and trains.
func openTinker(ctx context.Context, rest string) (*tinker.Policy, error) {
	address, model, settings, err := tinkerModel(rest)
	if err != nil {
		return nil, err
	}
	o := tinker.Options{URL: address, Model: model, Key: os.Getenv(tinker.KeyVariable), Loss: settings.Get("loss")}
	if model == trainer.BaseModel {
		o.Layout, err = embeddedLayout()
	} else {
		o.Prompts = policy.InstructPrompts
		o.Layout, err = renderedLayout(model, settings.Get("tokenizer"))
	}
	if err != nil {
		return nil, err
	}
	return tinker.Open(ctx, o)
}

// formatLayout lays conversations out for the embedded model.
type formatLayout struct{ *local.Format }

func (l formatLayout) Begin(role spade.Role) (tinker.Conversation, error) {
	return l.Conversation(role)
}

func embeddedLayout() (tinker.Layout, error) {
	_, vocabulary, err := local.Load(base.Checkpoint())
	if err != nil {
		return nil, err
	}
	format, err := local.NewFormat(vocabulary)
	return formatLayout{format}, err
}

// renderLayout lays conversations out for a published family of models.
type renderLayout struct {
	renderer  *render.Renderer
	tokenizer *token.Tokenizer
}

// rendered is one conversation with a model of a published family.
type rendered struct {
	*render.Conversation
	renderer *render.Renderer
}

func renderedLayout(model, file string) (tinker.Layout, error) {
	family, ok := render.Detect(model)
	if !ok {
		return nil, spade.Errorf(spade.ByUser, "choose a model of one of "+strings.Join(render.Families(), ", "), "how %s lays out conversations is not known here", model)
	}
	if file == "" {
		return nil, spade.Errorf(spade.ByUser, "add ?tokenizer=FILE with the model's tokenizer.json, which its publisher has beside the weights",
			"policy tinker: %s needs its tokenizer", model)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name the tokenizer.json of "+model, "open the tokenizer: %w", err)
	}
	defer f.Close()
	t, err := token.Read(f)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name the tokenizer.json of "+model, "read the tokenizer %s: %w", spade.Quote(file), err)
	}
	r, err := render.New(family, t, render.Options{})
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name the tokenizer.json of "+model, "%w", err)
	}
	return renderLayout{r, t}, nil
}

func (l renderLayout) Begin(spade.Role) (tinker.Conversation, error) {
	return &rendered{l.renderer.Open(), l.renderer}, nil
}

func (l renderLayout) CountTokens(text string) int { return len(l.tokenizer.Encode(text)) }

func (l renderLayout) Size() int { return l.tokenizer.Size() }

func (c *rendered) Feed(messages []spade.Message) ([]int32, error) { return c.Prompt(messages...) }

func (c *rendered) Read(sampled []int32) string {
	c.Replied(sampled)
	return c.renderer.Text(sampled)
}

func (c *rendered) Ends() []int32 { return c.renderer.Stops() }
