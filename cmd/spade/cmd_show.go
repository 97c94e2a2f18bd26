package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"spade"
	"spade/selfplay"
	"spade/store"
)

type showCommand struct {
	Dir  string `arg:"" name:"RUN" help:"Folder of the run."`
	HTML string `name:"html" help:"Write the run as one page that can be mailed." placeholder:"FILE"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// shown is what there is to say about a run.
type shown struct {
	Dir     string            `json:"dir"`
	Config  selfplay.Config   `json:"config"`
	Cycles  []cycleLine       `json:"cycles"`
	Summary *selfplay.Summary `json:"summary"`
	// Teachable are the environments with the largest regret at their last measurement among those neither
	// mastered nor hopeless.
	Teachable []shownEnvironment `json:"teachable"`
	// Findings are the reasons for which designers were not rewarded for all of their regret.
	Findings []finding `json:"findings,omitempty"`
	// Refused counts refused designs by the code of their first reason.
	Refused map[string]int `json:"refused"`
	// Skills counts admitted environments by skill.
	Skills map[string]int `json:"skills"`
	// Missing says what of the run cannot be read, and why.
	Missing []string `json:"missing"`

	frontier frontier
}

type shownEnvironment struct {
	spade.Environment
	Score spade.Score `json:"score"`
}

// teachableShown is the number of environments that are listed.
const teachableShown = 5

func (c *showCommand) Run(con console) error {
	if c.HTML != "" {
		return writeHTML(con, c.Dir, c.HTML)
	}
	s, err := readShown(c.Dir)
	if err != nil && len(s.Missing) == 0 {
		return err
	}
	if c.JSON {
		if printErr := printJSON(con, s); printErr != nil {
			return printErr
		}
	} else if _, printErr := fmt.Fprint(con.out, drawn(visible(s.text(widthOf(con.out))))); printErr != nil {
		return printErr
	}
	return err
}

// readShown reads all that can be read of a run. Where something is missing, it is listed, and the error says what to
// do.
func readShown(dir string) (shown, error) {
	s := shown{Dir: dir, Refused: map[string]int{}, Skills: map[string]int{}, Missing: []string{}}
	run, err := store.Open(dir)
	if err == nil {
		defer run.Close()
		err = s.read(run)
	}
	if lost := (*spade.Error)(nil); err != nil && errors.As(err, &lost) && lost.Boundary == spade.ByStore {
		return salvaged(dir, lost), err
	}
	if err != nil || len(s.Missing) == 0 {
		return s, err
	}
	return s, spade.Errorf(spade.ByStore, "put the files back from a copy; all else is shown, and what it says is not affected",
		"%d of the files of the run in %s cannot be read", len(s.Missing), spade.Quote(dir))
}

// read fills in s from a run whose database can be read.
func (s *shown) read(run *store.Run) error {
	s.config(run.Config())
	stats, err := run.Stats()
	if err != nil {
		return err
	}
	latest := map[string]spade.Score{}
	for _, cycle := range stats {
		scores, err := run.Scores(cycle.Cycle)
		if err != nil {
			return err
		}
		for _, score := range scores {
			latest[score.EnvID] = score
		}
		if cycle.Cycle > 0 {
			s.frontier.add(scores)
		}
	}
	environments, err := run.Index()
	if err != nil {
		return err
	}
	missing, err := run.Missing()
	if err != nil {
		return err
	}
	if s.Findings, err = readFindings(run, stats); err != nil {
		return err
	}
	s.Missing = append(s.Missing, missing...)
	s.cycles(stats)
	s.environments(environments, latest)
	for i := range s.Teachable {
		if env, err := run.Environment(s.Teachable[i].ID); err == nil { // what is missing is listed
			s.Teachable[i].Source = env.Source
		}
	}
	summary, err := run.Summary()
	if err != nil || len(summary) == 0 {
		return err
	}
	s.Summary = new(selfplay.Summary)
	if err := json.Unmarshal(summary, s.Summary); err != nil {
		s.Missing = append(s.Missing, fmt.Sprintf("the summary in spade.db: %v", err))
	}
	return nil
}

// salvaged is what the other files say of a run whose database is lost.
func salvaged(dir string, lost error) shown {
	s := shown{Dir: dir, Refused: map[string]int{}, Skills: map[string]int{}, Missing: []string{}}
	left, err := store.Salvage(dir)
	if err != nil {
		return s // there is nothing to show
	}
	s.Missing = append(s.Missing, fmt.Sprintf("%v; the figures are those of events.jsonl", lost))
	if left.Unread > 0 {
		s.Missing = append(s.Missing, fmt.Sprintf("events.jsonl: %d lines are damaged", left.Unread))
	}
	s.config(left.Config)
	s.cycles(left.Stats)
	first, entered := map[string]spade.Score{}, map[int][]spade.Score{}
	for i, score := range left.Scores {
		first[score.EnvID] = score
		cycle := left.Environments[i].Cycle
		entered[cycle] = append(entered[cycle], score)
	}
	for _, cycle := range left.Stats {
		if cycle.Cycle > 0 {
			s.frontier.add(entered[cycle.Cycle])
		}
	}
	s.environments(left.Environments, first)
	return s
}

// config takes over the configuration, if it can be read.
func (s *shown) config(data []byte) {
	var err error
	if s.Config, err = decodeConfig(filepath.Join(s.Dir, "config.yaml"), data); err != nil || data == nil {
		s.Missing = append(s.Missing, fmt.Sprintf("config.yaml: %v", cmp.Or(err, errors.New("it is missing"))))
	}
}

func (s *shown) cycles(stats []store.Stats) {
	for _, cycle := range stats {
		s.Cycles = append(s.Cycles, cycleLine{Cycle: cycle.Cycle, CycleStats: cycle.CycleStats})
		for code, n := range cycle.Refused {
			s.Refused[code] += n
		}
	}
}

// environments counts skills and picks the most teachable environments.
func (s *shown) environments(environments []spade.Environment, latest map[string]spade.Score) {
	for _, env := range environments {
		s.Skills[env.Skill]++
		if score, ok := latest[env.ID]; ok && teaches(score) {
			s.Teachable = append(s.Teachable, shownEnvironment{env, score})
		}
	}
	sort.SliceStable(s.Teachable, func(a, b int) bool { return s.Teachable[a].Score.Regret > s.Teachable[b].Score.Regret })
	s.Teachable = s.Teachable[:min(teachableShown, len(s.Teachable))]
}

// teaches reports whether an environment is neither mastered nor hopeless.
func teaches(s spade.Score) bool { return s.Plays > 0 && s.WinRate >= 0.15 && s.WinRate <= 0.85 }

// text is what there is to say in lines of at most width columns where that can be.
func (s *shown) text(width int) string {
	var b strings.Builder
	s.story(&b, width)
	if len(s.Missing) > 0 {
		fmt.Fprintf(&b, "\nmissing:\n  %s\n", strings.Join(s.Missing, "\n  "))
	}
	return b.String()
}

// story is the run in words and figures.
func (s *shown) story(b *strings.Builder, width int) {
	fmt.Fprintf(b, "%s: arm %s, policy %s, corpus %s, seed %d, isolation %s\n", spade.Quote(s.Dir), s.Config.Arm, s.Config.Policy,
		s.Config.Corpus, s.Config.Seed, s.Config.Isolation)
	var history []spade.CycleStats
	for _, note := range s.notes() {
		fmt.Fprintf(b, "  %s\n", note)
	}
	for _, c := range s.Cycles {
		if c.Cycle > 0 {
			history = append(history, c.CycleStats)
		}
	}
	if len(history) == 0 {
		b.WriteString("no cycle is committed yet\n")
		return
	}
	fmt.Fprintf(b, "%d of %d cycles\n\n", len(history), max(len(history), s.Config.Cycles))
	fmt.Fprintf(b, "%-22s %7s %7s\n", "", "first", "last")
	for _, row := range shownRows {
		values := row.values(history)
		line := fmt.Sprintf("%-22s %7.2f %7.2f  %s", row.name, values[0], values[len(values)-1], row.sparkline(values, min(60, width-41)))
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
	if plot := s.frontier.plot(1, width); plot != "" {
		fmt.Fprintf(b, "\n%s", plot)
	}
	s.heldOut(b)
	s.regret(b)
	if failures := s.failures(); len(failures) > 0 {
		fmt.Fprintf(b, "\nno reply of the policy: %s\n", refusals(failures))
	}
	if len(s.Refused) > 0 {
		fmt.Fprintf(b, "\nrefused: %s\n", refusals(s.Refused))
	}
	if len(s.Skills) > 0 {
		fmt.Fprintf(b, "environments by skill: %s\n", refusals(s.Skills))
	}
	if len(s.Teachable) > 0 {
		b.WriteString("\nmost teachable (win rate blind → with the hint):\n")
	}
	for _, e := range s.Teachable {
		line := fmt.Sprintf("  %s  %-8s %.2f → %.2f  cycle %-4d hint: ", e.ID, e.Skill, e.Score.WinRate, e.Score.HintedWinRate, e.Cycle)
		fmt.Fprintf(b, "%s%s\n", line, clip(e.Hint, max(20, width-1-utf8.RuneCountInString(line))))
	}
	if len(s.Teachable) > 0 {
		fmt.Fprintf(b, "\nPlay one: spade play %s\n", spade.Quote(filepath.Join(s.Dir, "environments", s.Teachable[0].ID+".py")))
	}
}

// notes are what the policies stated about themselves the last time that a process took the run up.
func (s *shown) notes() []string {
	for i := len(s.Cycles) - 1; i >= 0; i-- {
		if notes := s.Cycles[i].Notes; len(notes) > 0 {
			return notes
		}
	}
	return nil
}

// heldOut says what the run did on work that nobody trained on.
func (s *shown) heldOut(b *strings.Builder) {
	var rates []float64
	var when []string
	for _, c := range s.Cycles {
		if c.HeldOut != nil {
			rates, when = append(rates, *c.HeldOut), append(when, fmt.Sprintf("(cycle %d)", c.Cycle))
		}
	}
	if s.Summary != nil && s.Summary.HeldOut.Episodes > 0 {
		rates, when = append(rates, s.Summary.HeldOutAfter), append(when, "at the end")
	}
	if n := len(rates); n > 1 {
		fmt.Fprintf(b, "\nheld-out win rate: %.1f %% %s → %.1f %% %s", 100*rates[0], when[0], 100*rates[n-1], when[n-1])
		if n > 2 {
			fmt.Fprintf(b, "  %s of %d measurements", sparkline(rates, 0, 1, 24), n)
		}
		fmt.Fprintln(b)
	} else if n == 1 {
		fmt.Fprintf(b, "\nheld-out win rate: %.1f %% %s\n", 100*rates[0], when[0])
	}
	if s.Summary != nil {
		b.WriteString(worseText(s.Config, *s.Summary))
	}
}

// failures counts the replies that a policy could not give, by the class of its failure.
func (s *shown) failures() map[string]int {
	all := map[string]int{}
	for _, c := range s.Cycles {
		for class, n := range c.Failures {
			all[class] += n
		}
	}
	return all
}
