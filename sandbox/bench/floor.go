package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"spade/sandbox/python"
)

//go:embed floor.py
var floorProgram string

// floor runs the plain Python that figures are compared with.
type floor struct {
	interpreter *python.Interpreter
	packages    string
}

func newFloor(ctx context.Context) (floor, error) {
	interpreter, err := python.Find(ctx, "")
	if err != nil {
		return floor{}, err
	}
	packages, err := interpreter.Packages(ctx, func(int, int, string) {})
	return floor{interpreter, packages}, err
}

func (f floor) command(ctx context.Context, what string, n int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.interpreter.Executable, "-c", floorProgram, what, "1", strconv.Itoa(n))
	cmd.Env = []string{"PYTHONPATH=" + f.packages, "OPENBLAS_NUM_THREADS=1", "PYTHONHASHSEED=0", "PYTHONUTF8=1"}
	cmd.Stderr = os.Stderr
	return cmd
}

func sourceLine(source string) string {
	line, _ := json.Marshal(source)
	return string(line) + "\n"
}

// measure returns the figures that one of the programs prints.
func (f floor) measure(ctx context.Context, what, source string, n int) ([]float64, error) {
	cmd := f.command(ctx, what, n)
	cmd.Stdin = strings.NewReader(sourceLine(source))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("measuring the floor %q: %w", what, err)
	}
	var figures []float64
	if err := json.Unmarshal(out, &figures); err != nil {
		return nil, fmt.Errorf("measuring the floor %q: %w", what, err)
	}
	return figures, nil
}

// plainServer is one environment in a process of its own, without a jail, that answers lines.
type plainServer struct {
	cmd     *exec.Cmd
	to      io.WriteCloser
	answers *bufio.Reader
}

func (f floor) serve(ctx context.Context, source string) (*plainServer, error) {
	s := &plainServer{cmd: f.command(ctx, "serve", 0)}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.answers = bufio.NewReader(out)
		s.to, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err == nil {
		_, err = io.WriteString(s.to, sourceLine(source))
	}
	if err != nil {
		return nil, fmt.Errorf("starting a plain process: %w", err)
	}
	return s, nil
}

func (s *plainServer) step() error {
	if _, err := io.WriteString(s.to, `{"action": "\\boxed{1}"}`+"\n"); err != nil {
		return err
	}
	line, err := s.answers.ReadBytes('\n')
	if err != nil {
		return err
	}
	var answer []any
	return json.Unmarshal(line, &answer)
}

func (s *plainServer) close() {
	s.to.Close()
	s.cmd.Wait()
}
