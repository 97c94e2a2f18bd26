package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"spade"
	"spade/sandbox"
	"spade/store"
)

// session is a person who plays an environment by hand, once or several times. Nothing about them is kept.
type session struct {
	command *playCommand
	con     console
	source  string
	// known is what the environment's run knows of it; its hint is that of --hint where one was given.
	known known
	// typed says that the person sees what they type, lines are what they type, and width is that of the screen.
	typed bool
	lines <-chan string
	width int
	// blind and hinted are their returns by seed.
	blind, hinted map[int64]float64
}

// known is what the run that an environment lies in knows of it; its zero value is nothing.
type known struct {
	hint, run string
	// score is the latest measurement, nil without any, and cycle the one that made it.
	score *spade.Score
	cycle int
}

// knownOf looks an environment up in the run that its file lies in, if it lies in one. A run that cannot be read knows
// nothing: what is played is the file.
func knownOf(file, id string) known {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil || filepath.Base(folder) != "environments" {
		return known{}
	}
	dir := filepath.Join(filepath.Dir(file), "..")
	run, err := store.Open(dir)
	if err != nil {
		return known{}
	}
	defer run.Close()
	env, err := run.Environment(id)
	if err != nil {
		return known{}
	}
	k := known{hint: env.Hint, run: dir}
	stats, _ := run.Stats()
	for i := len(stats) - 1; i >= 0 && k.score == nil; i-- {
		scores, _ := run.Scores(stats[i].Cycle)
		for _, s := range scores {
			if s.EnvID == id && s.Plays > 0 {
				k.score, k.cycle = &s, stats[i].Cycle
			}
		}
	}
	return k
}

func (c *playCommand) session(con console, source, hint string) *session {
	s := &session{command: c, con: con, source: source, known: knownOf(c.File, spade.ContentID(source)), width: widthOf(con.out),
		blind: map[int64]float64{}, hinted: map[int64]float64{}}
	s.known.hint = cmp.Or(hint, s.known.hint)
	if f, ok := con.in.(*os.File); ok {
		s.typed = term.IsTerminal(int(f.Fd()))
	}
	return s
}

// run lets the person play, and play again as long as they ask for it. With --json there is one episode.
func (s *session) run(ctx context.Context, jail *sandbox.Sandbox) error {
	s.lines = readLines(ctx, s.con.in)
	seed, withHint := s.command.Seed, false
	for first := true; ; first = false {
		t := s.command.table(s.con, s.source, seed)
		t.by = s
		fault, err := s.command.episode(ctx, jail, s.source, t, func(ctx context.Context) (*sandbox.Fault, error) {
			if first {
				s.explain(t)
			}
			if withHint {
				s.hint(t)
			}
			return s.play(ctx, t)
		})
		if err != nil {
			return err
		}
		if err := s.command.end(s.con, t, fault); err != nil || s.command.JSON {
			return err
		}
		if t.game.Status == leftEarly {
			return nil
		}
		s.sum(t)
		if seed, withHint, err = s.next(ctx, t); err != nil || seed < 0 {
			return err
		}
	}
}

// leftEarly is the status of an episode in which the actions ended first.
const leftEarly = "actions_exhausted"

func (s *session) say(format string, args ...any) {
	if !s.command.JSON {
		fmt.Fprint(s.con.out, drawn(visible(fmt.Sprintf(format, args...))))
	}
}

// explain says how to play.
func (s *session) explain(t *table) {
	how := `What you type is your action; it is passed on as \boxed{…}.`
	if t.kind == spade.ToolUse {
		how = "What you type is passed on as it is: a tool call, or <answer>…</answer>."
	}
	s.say("(%s :help lists commands.)\n", how)
}

// play asks for actions until the episode is over, the person leaves, or the input ends.
func (s *session) play(ctx context.Context, t *table) (*sandbox.Fault, error) {
	for !t.over() {
		line, more, err := s.ask(ctx, fmt.Sprintf("turn %d of %d> ", len(t.game.Turns)+1, t.budget))
		if err != nil {
			return nil, err
		}
		action, isAction := strings.CutPrefix(line, "::")
		switch {
		case !more || line == ":quit":
			t.finish(leftEarly)
			return nil, nil
		case isAction:
			line = ":" + action
		case strings.HasPrefix(line, ":"):
			s.obey(line, t)
			continue
		case strings.TrimSpace(line) == "":
			continue // an accident more often than an action
		}
		if t.kind != spade.ToolUse {
			line = boxed(line)
		}
		if fault, err := t.step(ctx, line); err != nil || fault != nil {
			return fault, err
		}
	}
	return nil, nil
}

// ask returns the next line; more is false at the end of the input.
func (s *session) ask(ctx context.Context, prompt string) (line string, more bool, err error) {
	fmt.Fprint(s.con.err, prompt)
	select {
	case line, more = <-s.lines:
		return strings.TrimRight(line, "\r\n"), more, nil
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
}

// obey does what a line that begins with a colon asks for.
func (s *session) obey(command string, t *table) {
	switch command {
	case ":hint":
		s.hint(t)
	case ":history":
		s.history(t)
	case ":help":
		s.say("%s", playHelp)
	default:
		s.say("(There is no command %s: :help lists them, and :%s passes %s on as an action.)\n", command, command, command)
	}
}

const playHelp = `  :hint      show the hint; from then on this is a play with the hint
  :history   show again what was seen and done
  :quit      leave
  An empty line does nothing. To say something that begins with a colon, put another one before it.
`

// hint shows the hint and records that it was asked for.
func (s *session) hint(t *table) {
	if s.known.hint == "" {
		s.say("(There is no hint: give one with --hint, or play an environment in the folder of its run.)\n")
		return
	}
	if t.game.HintTurn == 0 {
		t.game.HintTurn = len(t.game.Turns) + 1
	}
	s.say("hint: %s\n", s.known.hint)
}

func (s *session) history(t *table) {
	s.say("%s\n", s.margined(t.game.Reset.Observation))
	for i, turn := range t.game.Turns {
		s.say("turn %d> %s\n%s\n", i+1, turn.Action, s.margined(turn.Observation))
	}
}

// margined puts a line beside a text and breaks its long lines.
func (s *session) margined(text string) string {
	const margin = "│ "
	text = lipgloss.Wrap(strings.TrimRight(visible(text), "\n"), max(20, s.width-lipgloss.Width(margin)), "")
	return drawn(margin + strings.ReplaceAll(text, "\n", "\n"+margin))
}

// sum says what the episode came to, beside what the model makes of this environment.
func (s *session) sum(t *table) {
	g := t.game
	how := "without the hint"
	if g.HintTurn > 0 {
		how = fmt.Sprintf("with the hint from turn %d on", g.HintTurn)
		s.hinted[g.Seed] = g.Return
	} else {
		s.blind[g.Seed] = g.Return
	}
	word := map[string]string{"won": "You won", "lost": "You lost", "truncated": "The turns ran out"}[g.Status]
	s.say("%s after %d of at most %d turns, %s.\n", word, len(g.Turns), t.budget, how)
	blind, played := s.blind[g.Seed]
	if hinted, both := s.hinted[g.Seed]; played && both {
		s.say("Your regret on seed %d: %+.2f (blind %.2f, with the hint %.2f).\n", g.Seed, hinted-blind, blind, hinted)
	}
	if m := s.known.score; m != nil {
		s.say("The model in cycle %d: %.0f %% of %d won blind", s.known.cycle, 100*m.WinRate, m.Plays)
		if m.HintedPlays > 0 {
			s.say(", %.0f %% of %d with the hint; its regret is %+.2f", 100*m.HintedWinRate, m.HintedPlays, m.Regret)
		}
		s.say(".\n")
	}
}

// next asks what to do after an episode: the seed of another one, and whether it begins with the hint. The seed is below
// 0 if there is to be none.
func (s *session) next(ctx context.Context, t *table) (seed int64, withHint bool, err error) {
	choices := ":again plays another seed, :quit leaves"
	if s.known.hint != "" {
		choices = ":hinted plays this seed with the hint, " + choices
	}
	s.say("(%s.)\n", choices)
	for {
		line, more, err := s.ask(ctx, "next> ")
		switch {
		case err != nil:
			return -1, false, err
		case !more || line == ":quit":
			if s.known.run != "" {
				s.say("Environments near your own level: the page Play of spade ui %s\n", spade.Quote(s.known.run))
			}
			return -1, false, nil
		case line == ":again":
			return t.game.Seed + 1, false, nil
		case line == ":hinted" && s.known.hint != "":
			return t.game.Seed, true, nil
		case line == ":history":
			s.history(t)
		default:
			s.say("(%s, :history shows the episode.)\n", choices)
		}
	}
}

// readLines reads lines in the background, so that a signal can end the wait for the next one. The channel is closed at
// the end of the input, or at a line that is too long to be an action.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
