package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"spade"
	"spade/lab"
	"spade/policy/local"
	"spade/selfplay"
)

type labCommand struct {
	Arms            []string `help:"Experiment arms, as spade run takes them: ${arms}. ARM@N plays an arm on the first N seeds only." default:"spade,fixed:96,frozen-designer,ladder:1-16" placeholder:"A,B"`
	Seeds           int      `help:"Number of seeds. Of every five the last two have warm starts of their own." default:"3" placeholder:"N"`
	Cycles          int      `help:"Number of cycles of every run." default:"100" placeholder:"N"`
	EvalEvery       int      `help:"Cycles between held-out measurements, a divisor of --cycles. Default: about a tenth of them." placeholder:"N"`
	Sizes           []string `help:"Sizes of the embedded model: shipped, 0.3M, 1M, 3M. Others than shipped need warm starts of their own." default:"shipped" placeholder:"S,T"`
	Config          string   `help:"Configuration (YAML) that all runs share; arm, seed, length, policy and suite are the lab's." placeholder:"F"`
	Tune            bool     `help:"Tuning seeds (from 1001 on) and the tuning suite, for choosing settings. Nothing in such a report is a result."`
	Parallel        int      `help:"Runs at a time, each on its share of the processors. Default: one for each processor." placeholder:"N"`
	WarmStartTokens int64    `help:"Tokens of a fresh warm start." default:"${warm_start_tokens}" placeholder:"N"`
	Out             string   `help:"Folder of the lab: its runs, warm starts and report. An existing one is continued." default:"lab" placeholder:"D"`
	JSON            bool     `name:"json" help:"Print the report as one JSON object."`
}

func (c *labCommand) Run(ctx context.Context, con console) error {
	plan, err := c.plan()
	if err != nil {
		return err
	}
	base, err := c.base()
	if err != nil {
		return err
	}
	if c.Parallel < 1 {
		c.Parallel = runtime.NumCPU()
	}
	out, err := filepath.Abs(c.Out)
	if err != nil {
		return fmt.Errorf("find the folder of the lab: %w", err)
	}
	m := &labMachine{
		plan: plan, base: base, out: out, tokens: c.WarmStartTokens,
		processors: max(1, runtime.NumCPU()/c.Parallel), say: func(format string, args ...any) { fmt.Fprintf(con.err, format+"\n", args...) },
	}
	if err := m.open(); err != nil {
		return err
	}
	view := &labView{cycles: plan.Cycles, say: m.say}
	m.say("%d runs of %d cycles, %d at a time, in %s", len(plan.Cells()), plan.Cycles, c.Parallel, c.Out)
	var written time.Time
	write := func(runs []lab.Run) error {
		if time.Since(written) < reportEvery {
			return nil
		}
		err := c.write(c.report(plan, base, runs))
		written = time.Now()
		return err
	}
	runs, err := lab.Execute(ctx, plan, m, c.Parallel, view.progress, write)
	if err != nil && ctx.Err() != nil {
		return spade.Errorf(spade.ByUser, "what was committed is safe; the same command goes on", "%w", err)
	}
	report := c.report(plan, base, runs)
	if len(runs) > 0 {
		err = errors.Join(err, c.write(report))
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con, report)
	}
	fmt.Fprint(con.out, report.Text())
	fmt.Fprintf(con.out, "\n%s\n%s\n", filepath.Join(c.Out, "report.html"), filepath.Join(c.Out, "report.json"))
	return nil
}

// reportEvery is the shortest time between two reports while runs end, as many do at once where a lab goes on.
const reportEvery = 10 * time.Second

func (c *labCommand) plan() (lab.Plan, error) {
	p := lab.Plan{Seeds: c.Seeds, Fewer: map[string]int{}, Tuning: c.Tune, Cycles: c.Cycles, EvalEvery: c.EvalEvery}
	for _, text := range c.Arms {
		arm, seeds, fewer := strings.Cut(text, "@")
		p.Arms = append(p.Arms, arm)
		if !fewer {
			continue
		}
		n, err := strconv.Atoi(seeds)
		if err != nil {
			return p, spade.Errorf(spade.ByUser, "write "+arm+"@3 for its first three seeds, or "+arm+" for all of them", "arm %q: the number of seeds must be a whole number", text)
		}
		p.Fewer[arm] = n
	}
	for _, size := range c.Sizes {
		size = strings.TrimPrefix(size, shippedSize)
		if _, err := local.ConfigOfSize(1, size); err != nil {
			return p, spade.Errorf(spade.ByUser, "choose sizes among shipped, "+strings.Join(local.Sizes(), ", "), "%w", err)
		}
		p.Sizes = append(p.Sizes, size)
	}
	for k := 10; p.EvalEvery == 0 && k > 0; k-- {
		if p.Cycles%k == 0 {
			p.EvalEvery = p.Cycles / k
		}
	}
	return p, p.Validate()
}

// base is the configuration that all runs share.
func (c *labCommand) base() (selfplay.Config, error) {
	cfg := selfplay.Default()
	if c.Config != "" {
		var err error
		if cfg, err = readConfig(c.Config, nil); err != nil {
			return cfg, err
		}
		if cfg.Designer != "" || cfg.Agent != "" {
			return cfg, spade.Errorf(spade.ByUser, "take designer and agent out of it", "configuration %s: in a lab the embedded model plays both roles",
				spade.Quote(c.Config))
		}
	}
	if cfg.Suite = "library"; c.Tune {
		cfg.Suite = "tuning"
	}
	return cfg, nil
}

// command is what makes the lab again, without what changes no result.
func (c *labCommand) command(p lab.Plan) string {
	sizes := make([]string, len(p.Sizes))
	for i, s := range p.Sizes {
		if sizes[i] = s; s == "" {
			sizes[i] = shippedSize
		}
	}
	text := fmt.Sprintf("spade lab --arms %s --seeds %d --cycles %d --eval-every %d --sizes %s", strings.Join(c.Arms, ","), p.Seeds, p.Cycles,
		p.EvalEvery, strings.Join(sizes, ","))
	if c.Config != "" {
		text += " --config " + spade.Quote(c.Config)
	}
	if p.Tuning {
		text += " --tune"
	}
	if c.WarmStartTokens != warmStartTokens {
		text += fmt.Sprintf(" --warm-start-tokens %d", c.WarmStartTokens)
	}
	return text
}

// report is that of the runs that are over.
func (c *labCommand) report(p lab.Plan, base selfplay.Config, runs []lab.Run) lab.Report {
	return lab.NewReport(p, c.command(p), labSuite(base), runs)
}

// write puts a report beside the runs.
func (c *labCommand) write(report lab.Report) error {
	data, err := report.JSON()
	if err != nil {
		return err
	}
	page, err := report.HTML()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"report.json": data, "report.html": page} {
		if err := lab.ReplaceFile(filepath.Join(c.Out, name), content); err != nil {
			return spade.Errorf(spade.ByStore, "free space or make the folder writable, and start again", "write the report: %w", err)
		}
	}
	return nil
}

// labSuite is the suite that the runs of a lab are measured on.
func labSuite(base selfplay.Config) lab.Suite {
	suite := suiteNamed(base.Suite).First(base.HeldOutSeeds)
	s := lab.Suite{Name: suite.Name}
	for _, item := range suite.Items {
		s.Families = append(s.Families, item.Family)
		s.Episodes = append(s.Episodes, len(item.Seeds))
	}
	return s
}

// labView says how far a lab is: a line for every tenth of a run.
type labView struct {
	cycles int
	say    func(format string, args ...any)
}

func (v *labView) progress(p lab.Progress) {
	switch {
	case p.Done:
		v.say("%s is over: %d of %d runs", p.Cell.Name(), p.Finished, p.Total)
	case p.Cycle%max(1, v.cycles/10) == 0 && p.Cycle < v.cycles:
		v.say("%s: cycle %d/%d", p.Cell.Name(), p.Cycle, v.cycles)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
