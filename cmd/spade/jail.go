package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

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

const (
	// processMemory is what a process that waits is taken to need, in bytes; most need a quarter of it.
	processMemory = 16 << 20
	mostProcesses = 1024
)

// waitingProcesses is how many jailed processes there may be where episodes wait for a network: an environment whose
// instances cannot share a process holds one for each episode all the time. It is bounded by half of the memory that
// is free now; 0, the sandbox's own bound, where that cannot be told.
func waitingProcesses() int {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kilobytes int
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kilobytes); n == 1 {
			return min(mostProcesses, max(64, kilobytes<<10/2/processMemory))
		}
	}
	return 0
}
