package remote

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"spade/sandbox/python"
)

//go:embed pattern.py
var patternSource string

// pattern is a Python that runs pattern.py: a coroutine for each episode that waits for the same time instead of for a
// server, and steps its environment in a pool of threads.
type pattern struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (b *Bench) startPattern(ctx context.Context) (*pattern, error) {
	interpreter, err := python.Find(ctx, "")
	if err != nil {
		return nil, err
	}
	p := &pattern{command: exec.CommandContext(ctx, interpreter.Executable, "-I", "-c", patternSource,
		strconv.Itoa(b.Episodes), fmt.Sprint(b.Delay.Seconds()), endless)}
	if p.in, p.out, err = begin(p.command); err != nil {
		return nil, fmt.Errorf("start the pattern in Python: %w", err)
	}
	return p, nil
}

func (p *pattern) measure(settle, span time.Duration) (spent, error) {
	var s spent
	if _, err := fmt.Fprintln(p.in, settle.Seconds(), span.Seconds()); err != nil {
		return s, fmt.Errorf("measure the pattern in Python: %w", err)
	}
	if _, err := fmt.Fscanln(p.out, &s.turns, &s.seconds, &s.python); err != nil {
		return s, fmt.Errorf("measure the pattern in Python: %w", err)
	}
	return s, nil
}

func (p *pattern) pid() int { return p.command.Process.Pid }

func (p *pattern) stop() {
	p.in.Close()
	p.command.Wait()
}
