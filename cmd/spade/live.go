package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"spade"
	"spade/selfplay"
)

// liveView is the screen of a run on a terminal. It reads no keys: Ctrl-C goes to the program as a signal.
type liveView struct {
	program *tea.Program
	ended   chan struct{}
}

// Messages to the screen.
type (
	cycleMsg struct {
		cycle spade.Cycle
		took  time.Duration
	}
	progressMsg selfplay.Progress
	noticeMsg   string
	packagesMsg struct {
		done, total int
		name        string
	}
)

func newLiveView(out *os.File, cfg selfplay.Config, dir string) *liveView {
	screen := liveScreen{cfg: cfg, dir: dir, width: 80, begun: time.Now()}
	v := &liveView{
		program: tea.NewProgram(screen, tea.WithOutput(out), tea.WithInput(nil), tea.WithoutSignalHandler()),
		ended:   make(chan struct{}),
	}
	go func() {
		defer close(v.ended)
		v.program.Run() // an error means that the terminal went away; the run itself goes on
	}()
	return v
}

func (v *liveView) cycle(c spade.Cycle, took time.Duration) { v.program.Send(cycleMsg{c, took}) }
func (v *liveView) progress(p selfplay.Progress)            { v.program.Send(progressMsg(p)) }
func (v *liveView) notice(text string)                      { v.program.Send(noticeMsg(text)) }

func (v *liveView) packages(done, total int, name string) {
	v.program.Send(packagesMsg{done, total, name})
}

func (v *liveView) close() {
	v.program.Send(progressMsg{}) // nothing is being done any more
	v.program.Quit()
	<-v.ended
}

// liveScreen is what the screen knows.
type liveScreen struct {
	cfg      selfplay.Config
	dir      string
	begun    time.Time
	now      selfplay.Progress
	notices  []string
	packages packagesMsg
	heldOut  []float64
	// width and height are those of the terminal, 0 where they are not known yet.
	width, height int
	// reached is the last committed cycle; history holds those that this process has committed.
	reached int
	history []spade.CycleStats
	// frontier begins with the first of them. teachable is the newest most teachable environment, "" before any.
	frontier  frontier
	teachable string
	took      time.Duration
	spent     time.Duration
}

func (s liveScreen) Init() tea.Cmd { return nil }

func (s liveScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case progressMsg:
		s.now = selfplay.Progress(msg)
	case packagesMsg:
		s.packages = msg
	case noticeMsg:
		s.notices = append(s.notices, string(msg))
	case cycleMsg:
		if msg.cycle.Stats.HeldOut != nil {
			s.heldOut = append(s.heldOut, *msg.cycle.Stats.HeldOut)
		}
		s.reached = msg.cycle.Number
		if msg.cycle.Number > 0 {
			s.history = append(s.history, msg.cycle.Stats)
			s.frontier.add(msg.cycle.Scores)
			s.teachable = cmp.Or(teachable(msg.cycle), s.teachable)
			s.took = msg.took
			s.spent += msg.took
		}
	}
	return s, nil
}

func (s liveScreen) View() tea.View { return tea.NewView(drawn(s.render())) }

// teachable describes the environment of a cycle with the largest regret among those neither mastered nor hopeless, ""
// if there is none.
func teachable(c spade.Cycle) string {
	var best *spade.Score
	for i := range c.Scores {
		if s := &c.Scores[i]; teaches(*s) && (best == nil || s.Regret > best.Regret) {
			best = s
		}
	}
	if best == nil || best.Regret <= 0 {
		return ""
	}
	text := fmt.Sprintf("%s  %s  %.2f → %.2f", best.EnvID, best.Skill, best.WinRate, best.HintedWinRate)
	for _, env := range c.Environments {
		if env.ID == best.EnvID && env.Hint != "" {
			text += "  hint: " + env.Hint
		}
	}
	return text
}

var (
	boldStyle = lipgloss.NewStyle().Bold(true)
	dimStyle  = lipgloss.NewStyle().Faint(true)
	goodStyle = lipgloss.NewStyle().Foreground(lipgloss.Color("2"))
)

// tallScreen is the number of lines that a screen with the plot of the frontier needs.
const tallScreen = 32

func (s liveScreen) render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", boldStyle.Render("spade, arm "+s.cfg.Arm), dimStyle.Render(s.dir))
	fmt.Fprintf(&b, "%s\n\n", s.headline())
	if n := len(s.history); n > 0 {
		for _, row := range shownRows {
			note := ""
			if row.name == "valid share" {
				note = refusals(s.history[n-1].Refused)
			}
			s.row(&b, row, note)
		}
	}
	if plot := s.frontier.plot(s.reached-len(s.frontier)+1, s.width); plot != "" && s.height >= tallScreen {
		fmt.Fprintf(&b, "\n%s", plot)
	}
	if s.teachable != "" {
		label, room := fmt.Sprintf("%-20s ", "most teachable"), s.width-22
		if s.width < 60 { // a line of its own
			label, room = "most teachable\n", s.width-1
		}
		fmt.Fprintf(&b, "\n%s%s\n", label, clip(s.teachable, max(20, room)))
	}
	if len(s.heldOut) > 0 {
		text := make([]string, len(s.heldOut))
		for i, h := range s.heldOut {
			text[i] = fmt.Sprintf("%.1f %%", 100*h)
		}
		fmt.Fprintf(&b, "%-20s %s\n", "held-out win rate", strings.Join(text, " → "))
	}
	if p := s.packages; p.done < p.total {
		fmt.Fprintf(&b, "fetching packages for environments  %s %d/%d %s\n", bar(float64(p.done)/float64(p.total), 20), p.done, p.total, p.name)
	}
	for _, n := range s.notices {
		fmt.Fprintf(&b, "%s\n", dimStyle.Render("note: "+n))
	}
	return b.String()
}

// headline says where the run is, how fast it goes and how long it will take.
func (s liveScreen) headline() string {
	n := max(s.reached, s.now.Cycle-1) // a resumed run begins with the cycle in work
	text := fmt.Sprintf("cycle %d/%d", min(n+1, s.cfg.Cycles), s.cfg.Cycles)
	if n == s.cfg.Cycles {
		text = fmt.Sprintf("%d cycles done", n)
	}
	if wide := barWidth(s.width); wide > 0 {
		text += "  " + bar(float64(n)/float64(max(1, s.cfg.Cycles)), wide)
	}
	if s.now.Phase != "" {
		text += "  " + s.now.Phase
		if s.now.Total > 0 {
			text += fmt.Sprintf(" %d/%d", s.now.Done, s.now.Total)
		}
	}
	if played := len(s.history); played > 0 {
		last := s.history[played-1]
		text += fmt.Sprintf("  %.1fk tokens/s", float64(last.SampledTokens+last.TrainedTokens)/s.took.Seconds()/1000)
		left := s.spent / time.Duration(played) * time.Duration(s.cfg.Cycles-n)
		text += "  " + left.Round(time.Second).String() + " left"
	}
	return text
}

// barWidth leaves room for what stands beside the bar.
func barWidth(screen int) int {
	switch {
	case screen >= 90:
		return 24
	case screen >= 70:
		return 12
	}
	return 0
}

func (s liveScreen) row(b *strings.Builder, row shownRow, note string) {
	if s.width < 60 {
		note = ""
	}
	values := row.values(s.history)
	room := max(0, min(60, s.width-32-lipgloss.Width(note)))
	fmt.Fprintf(b, "%-20s %6.2f  %s", row.name, values[len(values)-1], goodStyle.Render(row.sparkline(values, room)))
	if note != "" {
		fmt.Fprintf(b, "  %s", dimStyle.Render(note))
	}
	b.WriteByte('\n')
}
