package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"spade/policy/local"
	"spade/serve"
	"spade/serve/chat"
	"spade/serve/rollouts"
	"spade/serve/trainer"
)

type serveCommand struct {
	Trainer  serveTrainerCommand  `cmd:"" help:"The embedded model behind the Tinker protocol: the official tinker package trains it."`
	Policy   servePolicyCommand   `cmd:"" help:"A policy behind an OpenAI-compatible endpoint: chat completions, streams, log-probabilities, /v1/models."`
	Rollouts serveRolloutsCommand `cmd:"" help:"Lease a run's finished episodes and designs, as tokens, to slime, TRL or atropos."`
}

// listening are the options of everything that listens.
type listening struct {
	Address string `help:"Where to listen; port 0 takes a free one. Others than this machine are served only if SPADE_SERVE_TOKEN holds the token that they must send." default:"127.0.0.1:8700" placeholder:"HOST:PORT"`
}

// serve listens and serves until ctx ends. hello is told the server's URL.
func (l listening) serve(ctx context.Context, handler http.Handler, hello func(url string)) error {
	server, err := serve.Listen(l.Address, os.Getenv(serve.TokenVariable), handler)
	if err != nil {
		return err
	}
	hello(server.URL())
	return server.Run(ctx)
}

type serveTrainerCommand struct {
	listening
	Dir    string `help:"Folder of saved weights." default:"runs/trainer" placeholder:"D"`
	Policy string `help:"The base model: local, or local:DIR for a checkpoint." default:"local" placeholder:"P"`
}

func (c *serveTrainerCommand) Run(ctx context.Context, con console) error {
	model, vocabulary, err := loadEmbedded(c.Policy)
	if err != nil {
		return err
	}
	server, err := trainer.New(model, vocabulary, trainer.Options{Dir: c.Dir})
	if err != nil {
		return err
	}
	defer server.Close()
	return c.serve(ctx, server, func(url string) {
		fmt.Fprintf(con.err, "serving the embedded model for training at %s\n", url)
		fmt.Fprintf(con.err, "  base model %s, context %d, all weights are trained; saved weights go to %s\n", trainer.BaseModel, model.Config().Context, c.Dir)
		fmt.Fprintf(con.err, "  TINKER_BASE_URL=%s TINKER_API_KEY=tml-local python examples/tinker_sdk.py\n", url)
	})
}

type servePolicyCommand struct {
	listening
	Policy string `help:"The model: ${policies}" default:"local" placeholder:"P"`
	Name   string `help:"Name under which clients ask for it; NAME:designer writes environments." default:"spade" placeholder:"NAME"`
}

func (c *servePolicyCommand) Run(ctx context.Context, con console) error {
	model, err := openPolicy(ctx, c.Policy)
	if err != nil {
		return err
	}
	defer closePolicy(model)
	options := chat.Options{Name: c.Name}
	if embedded, ok := model.(*local.Policy); ok {
		options.Text = embedded.Format().Text
	}
	server := chat.New(model, options)
	return c.serve(ctx, server, func(url string) {
		fmt.Fprintf(con.err, "serving %s at %s/v1 as the models %s and %s:designer\n", c.Policy, url, c.Name, c.Name)
	})
}

type serveRolloutsCommand struct {
	listening
	Dir     string `arg:"" name:"RUN" help:"Folder of the run, which may be going on."`
	Atropos string `help:"Hand the rollouts to atropos' broker at this address instead of listening." placeholder:"URL"`
}

func (c *serveRolloutsCommand) Run(ctx context.Context, con console) error {
	source, err := openRunSource(c.Dir)
	if err != nil {
		return err
	}
	defer source.close()
	server, err := rollouts.New(source, filepath.Join(c.Dir, "rollouts.jsonl"))
	if err != nil {
		return err
	}
	defer server.Close()
	if c.Atropos != "" {
		fmt.Fprintf(con.err, "handing the rollouts of %s to %s\n", c.Dir, c.Atropos)
		handed := 0
		err := server.Atropos(ctx, c.Atropos, maxSampleTokens, func(int) { handed++ }, func(why string) {
			fmt.Fprintf(con.err, "the broker asks for patience: %q\n", why)
		})
		fmt.Fprintf(con.err, "%d groups were handed over\n", handed)
		return err
	}
	return c.serve(ctx, server, func(url string) {
		fmt.Fprintf(con.err, "leasing the rollouts of %s at %s/v1/rollouts:lease; leases are kept in rollouts.jsonl\n", c.Dir, url)
		fmt.Fprintf(con.err, "  SPADE_ROLLOUTS=%s (see python/spade_rl)\n", url)
	})
}

// maxSampleTokens is what atropos is told of the length of samples: no model of ours or of a server reads more.
const maxSampleTokens = 1 << 17
