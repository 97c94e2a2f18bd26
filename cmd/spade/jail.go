package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"spade/sandbox"
)

// teller is told what a person should know of a sandbox while it works.
type teller struct {
	// notice is told, once each, what can be lived with.
	notice func(text string)
	// packages follows the first download of the packages that environments may import: done of total, and the
	// name of the next one, "" at the end.
	packages func(done, total int, name string)
}

// openSandbox opens the jail for environments.
func openSandbox(ctx context.Context, isolation string, limits sandbox.Limits, tell teller) (*sandbox.Sandbox, error) {
	return sandbox.Open(ctx, sandboxConfig(isolation, limits, tell))
}

func sandboxConfig(isolation string, limits sandbox.Limits, tell teller) sandbox.Config {
	return sandbox.Config{
		Degraded: isolation == "degraded", Gvisor: isolation == "gvisor", Limits: limits, Notice: tell.notice,
		Progress: tell.packages,
	}
}

// teller writes to standard error: a bar that redraws itself on a terminal, a line a package elsewhere.
func (con console) teller() teller {
	return teller{
		notice:   func(text string) { fmt.Fprintln(con.err, "note:", text) },
		packages: func(done, total int, name string) { fmt.Fprint(con.err, packageLine(con.err, done, total, name)) },
	}
}

func packageLine(w io.Writer, done, total int, name string) string {
	text := fmt.Sprintf("fetching packages for environments  %s %d/%d %s", bar(float64(done)/float64(max(1, total)), 20), done, total, name)
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return text + "\n"
	}
	if done == total {
		return "\r\x1b[K" + text + "\n"
	}
	return "\r\x1b[K" + text
}
