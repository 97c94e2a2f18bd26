package openai

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"spade"
	"spade/policy"
)

// defaultContext is what a conversation may hold, in tokens, where the server does not say.
const defaultContext = 32768

// readBuffer is the size in bytes of a connection's buffer for reading. Thousands of connections wait at once; short
// answers fit, and long ones are read around it.
const readBuffer = 1 << 10

// Connect finds out what the server at an address is, which of its models to use and what it tells of tokens, by
// looking at its lists and asking it one short question. Its errors are by the user or by the policy.
func Connect(ctx context.Context, at Address) (*Policy, error) {
	return connect(ctx, at, patience())
}

func connect(ctx context.Context, at Address, t timing) (*Policy, error) {
	p := &Policy{base: at.Base, key: findKey(at.Base), timing: t, ruler: &ruler{}, limit: newLimiter(1)}
	p.http = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: mostAtOnce,
		IdleConnTimeout:     90 * time.Second,
		ReadBufferSize:      readBuffer,
	}
	listed, err := p.models(ctx)
	if err != nil {
		return nil, err
	}
	if p.model, err = chooseModel(at, listed); err != nil {
		return nil, err
	}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	server := p.detect(ctx, listed)
	p.fields = server.fields()
	p.info = policy.Info{Name: "openai:" + at.Base + "#" + p.model, Prompts: policy.InstructPrompts, TextOnly: true}
	p.context.Store(int64(server.context))
	if server.context <= 0 {
		p.context.Store(defaultContext)
	}
	why, err := p.probe(ctx)
	if err != nil {
		return nil, err
	}
	p.info.TextOnly = why != ""
	p.info.Notes = p.notes(server, why)
	p.limit = newLimiter(server.slots)
	return p, nil
}

// prepare makes what all requests for a completion have in common; they share the header, which nobody changes.
func (p *Policy) prepare() error {
	question, err := http.NewRequest(http.MethodPost, p.base+"/chat/completions", nil)
	if err != nil {
		return spade.Errorf(spade.ByUser, "correct the address", "%w", err)
	}
	question.Header.Set("Content-Type", "application/json")
	p.authorize(question)
	p.question, p.head = question, head(p.model)
	return nil
}

// notes are what a run states.
func (p *Policy) notes(server server, why string) []string {
	what := fmt.Sprintf("%s at %s, model %s, context %d tokens", server.title(), p.base, p.model, p.context.Load())
	if server.context <= 0 {
		what += " (assumed: the server does not say)"
	}
	notes := []string{what}
	if why != "" {
		return append(notes, "curriculum only: this server returns "+why)
	}
	return append(notes, "token ids and log-probabilities are recorded as the server reports them, before temperature, top-p and top-k; "+
		"nothing is trained, since the server takes no updates")
}

// chooseModel returns the model that was asked for, or the only one there is.
func chooseModel(at Address, listed []listedModel) (string, error) {
	var names []string
	for _, m := range listed {
		names = append(names, m.ID)
	}
	switch {
	case at.Model != "":
		return at.Model, nil // hosted services take names that they do not list
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", spade.Errorf(spade.ByUser, "name the model: openai:"+at.Base+"#MODEL", "the server %s lists no model", at.Base)
	}
	if len(names) > 30 {
		names = append(names[:30], "…")
	}
	return "", spade.Errorf(spade.ByUser, "name one: openai:"+at.Base+"#"+names[0],
		"the server %s has several models: %s", at.Base, strings.Join(names, ", "))
}

// probe asks one short question to see which fields the server takes and what it tells of tokens. It returns what is
// missing for its replies to be trained on, "" for nothing. What turns out to be of no use is asked for no more.
func (p *Policy) probe(ctx context.Context) (why string, err error) {
	spec := policy.Spec{Temperature: 1, TopP: 0.95, TopK: 20}
	messages := appendMessage(nil, "user", "Reply with the word ok.")
	triedTop := p.fields.topLogProbs > 0
	for {
		c, err := p.complete(ctx, &call{body: p.request(messages, &spec, 16, 1), asked: asked{maxTokens: 16}})
		if err != nil {
			if p.complained(err) {
				continue
			}
			return "", p.unreachable(err)
		}
		p.ruler.note(len("Reply with the word ok."), c.PromptTokens-2*perMessage)
		if p.fields.logProbs && len(c.LogProbs) == 0 && !triedTop {
			p.fields.topLogProbs, triedTop = 1, true
			continue
		}
		ok, why := c.Trainable()
		if !ok {
			p.fields.logProbs, p.fields.tokenIDs = false, false
		}
		return why, nil
	}
}

// complained leaves out the fields that a refusal names and reports whether there were any.
func (p *Policy) complained(err error) bool {
	fault := asFault(err)
	if fault == nil || fault.Class == Denied || fault.Class == NotFound {
		return false
	}
	text, dropped := strings.ToLower(fault.Message), false
	for _, name := range optional {
		if strings.Contains(text, name) {
			dropped = p.fields.without(name) || dropped
			text = strings.ReplaceAll(text, name, "")
		}
	}
	return dropped
}

// unreachable is the error of a server that does not even answer the first question.
func (p *Policy) unreachable(err error) error {
	if fault := asFault(err); fault != nil && fault.Class != Denied && fault.Class != NotFound && fault.Class != Quota {
		return spade.Errorf(spade.ByPolicy, "see that the server is up and serves chat completions: curl "+p.base+"/models",
			"connect to %s: %w", p.base, fault)
	}
	return err
}
