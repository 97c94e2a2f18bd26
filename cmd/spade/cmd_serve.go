package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"spade/serve"
	"spade/serve/trainer"
)

type serveCommand struct {
	Trainer serveTrainerCommand `cmd:"" help:"The embedded model behind the Tinker protocol: the official tinker package trains it."`
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
