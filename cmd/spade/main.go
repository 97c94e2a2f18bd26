// Command spade runs self-play in adaptive synthetic executable environments: one model designs Python
// environments from a corpus, plays them blind and with a hint in a jail, and learns in both roles.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"spade"
	"spade/policy"
	"spade/sandbox"
	"spade/selfplay"
)

func main() {
	sandbox.Init() // in a re-executed child this becomes the jail and does not return
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes, as the help states them.
const (
	exitDone    = 0
	exitNo      = 1
	exitUsage   = 2
	exitMachine = 3
	exitServer  = 4
	exitSignal  = 130
	exitUnread  = 141 // as a shell reports a program that SIGPIPE ended
)

// errNo is the answer no: a file was rejected, a check failed. What there is to say has been printed.
var errNo = errors.New("the answer is no")

// errInterrupted is wrapped by errors that say how to go on after an interrupt. What others say was caused by it.
var errInterrupted = errors.New("interrupted")

// console is where a command reads and writes: results to out, progress and errors to err.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// commands is the command line; each command is in the file cmd_<name>.go.
type commands struct {
	Run      runCommand      `cmd:"" help:"Self-play: design environments, play them, learn. Without arguments: the embedded model on the built-in corpus, a few minutes."`
	Show     showCommand     `cmd:"" help:"Show a run in the terminal."`
	UI       uiCommand       `cmd:"" name:"ui" help:"The dashboard of a run: its curves, environments, episodes and refusals, and a table to play at."`
	Check    checkCommand    `cmd:"" help:"Judge environments: would they be admitted, and why not."`
	Play     playCommand     `cmd:"" help:"Play an environment by hand, from a file of actions, or by a policy."`
	Design   designCommand   `cmd:"" help:"Let a policy design one environment from a passage, and judge it."`
	Eval     evalCommand     `cmd:"" help:"Measure a run or a checkpoint on a held-out suite."`
	Lab      labCommand      `cmd:"" help:"The paper in miniature: arms × seeds, held-out curves with intervals, report.html and report.json. Continues where it was stopped."`
	Pool     poolCommand     `cmd:"" help:"Pools of environments in the public layouts: import, export, list."`
	Explain  explainCommand  `cmd:"" help:"Explain how replies are read, plays are scored, corpora are read, groups are normalised."`
	Serve    serveCommand    `cmd:"" help:"Serve others over HTTP: the embedded model for training, any policy for evaluation, rollouts for other trainers."`
	Pretrain pretrainCommand `cmd:"" help:"Make the base checkpoint of the embedded model from the synthetic library."`
	Bench    benchCommand    `cmd:"" help:"Measure this machine."`
	Doctor   doctorCommand   `cmd:"" help:"Say what this machine offers: isolation, Python, kernels."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

const description = `Self-play in adaptive synthetic executable environments.

One language model designs Python environments from a corpus, plays them blind and with its own hint in a jail,
and learns in both roles.

Exit status: 0 yes or done, 1 the answer is no, 2 wrong usage or input, 3 this machine cannot do it, 4 a model
server failed, 130 interrupted, 141 nobody reads what a run writes.`

// run is the whole program: it parses args, runs one command and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	keepWriting()
	stdout = &unread{Writer: stdout}
	context.AfterFunc(ctx, stop) // a second signal ends the program at once

	var cli commands
	status := -1
	parser, err := kong.New(&cli,
		kong.Name("spade"), kong.Description(description),
		kong.Vars{"policies": policyHelp, "version": version(), "arms": strings.Join(selfplay.ArmNames(), ", "), "warm_start_tokens": strconv.Itoa(warmStartTokens)},
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { status = code }),
		kong.UsageOnError(), kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(console{in: stdin, out: stdout, err: stderr}))
	if err != nil {
		panic(err) // the command line itself is malformed: a bug that every test would hit
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	if status >= 0 { // --help or --version has been answered
		return status
	}
	if err != nil {
		fmt.Fprintf(stderr, "spade: %v\nTry: spade --help\n", err)
		return exitUsage
	}
	return report(stderr, ctx, command.Run())
}

// report prints err with its next step and returns the exit status for it.
func report(stderr io.Writer, ctx context.Context, err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, errNo) {
		return exitNo
	}
	var boundary *spade.Error
	if ctx.Err() != nil {
		reportInterrupt(stderr, err)
		return exitSignal
	}
	fmt.Fprintf(stderr, "spade: %v\n", err)
	err = unanswered(err)
	if !errors.As(err, &boundary) {
		return exitMachine
	}
	if boundary.Next != "" {
		fmt.Fprintf(stderr, "next: %s\n", nextStep(boundary.Next))
	}
	if errors.Is(err, errUnread) {
		return exitUnread
	}
	switch boundary.Boundary {
	case spade.ByUser:
		return exitUsage
	case spade.ByPolicy:
		return exitServer
	}
	return exitMachine
}

// reportInterrupt prints that the program was interrupted, and of err what wraps errInterrupted: how to go on, and where
// something failed besides, what.
func reportInterrupt(stderr io.Writer, err error) {
	var boundary *spade.Error
	if !errors.Is(err, errInterrupted) || !errors.As(err, &boundary) {
		fmt.Fprintln(stderr, "spade: interrupted")
		return
	}
	if boundary.Boundary == spade.ByUser {
		fmt.Fprintln(stderr, "spade: interrupted")
	} else {
		fmt.Fprintf(stderr, "spade: %v\n", err)
	}
	if boundary.Next != "" {
		fmt.Fprintf(stderr, "next: %s\n", nextStep(boundary.Next))
	}
}

// unanswered gives a reply that no command can do without, and that the policy could not give, its boundary.
func unanswered(err error) error {
	var known *spade.Error
	if failure := (*policy.Failure)(nil); errors.As(err, &failure) && !errors.As(err, &known) {
		return spade.Errorf(spade.ByPolicy, "see what is wrong with the server, then try again", "%w", err)
	}
	return err
}

// nextStep is what to do next in one form, whichever package says it: a clause, not a sentence.
func nextStep(text string) string {
	if first, size := utf8.DecodeRuneInString(text); size < len(text) && unicode.IsLower(rune(text[size])) {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	return strings.TrimSuffix(text, ".")
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "spade (devel)"
	}
	return "spade " + info.Main.Version
}
