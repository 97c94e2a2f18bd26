package web

import (
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"spade"
)

// index is what a server keeps of one run in memory: everything that a list, a chart or the map shows.
type index struct {
	run Run

	mu      sync.Mutex
	last    int // the last cycle that it holds, -1 before the first
	version int // counts what was added
	cycles  []cycleRow
	envs    []*envRow
	byID    map[string]*envRow
	corpus  []*passageRow
	drawn   map[string]*passageRow
	designs []designRow
	faults  []faultRow
	// read is the number of environments, from the first, whose names are known; reading says that more are being read.
	read    int
	reading bool
	// listed is the list of environments as it was last asked for.
	listed listed
}

// cycleRow is one committed cycle.
type cycleRow struct {
	number int
	stats  spade.CycleStats
	skills map[string]skillRow
	// rewarded is the number of designs that it rewarded; anchorSum and rawSum are sums over the environments among them that
	// were paid for their plays.
	rewarded          int
	anchorSum, rawSum float64
	at                time.Time // zero where it is not known
	// metrics are the numbers under the names of loggers.
	metrics map[string]float64
}

// skillRow is what one cycle measured of one skill, on environments of its own.
type skillRow struct {
	environments                   int
	winRate, hintedWinRate, regret float64
}

// envRow is one environment.
type envRow struct {
	number  int // its place in envs
	env     spade.Environment
	entered int // the cycle that committed it
	// design is the cycle that rewarded its design, -1 if the run was given it.
	design   int
	masked   bool
	parents  []string // the remembered environments that its designer was shown
	children []string
	scores   []measured
	turns    float64
	warnings []string
	// names are the variables that it keeps, nil until its source was read.
	names []string
}

type measured struct {
	cycle int
	spade.Score
}

// score is the latest measurement, nil if it was never played.
func (e *envRow) score() *measured {
	if len(e.scores) == 0 {
		return nil
	}
	return &e.scores[len(e.scores)-1]
}

// passageRow is one passage of the corpus that the run has drawn.
type passageRow struct {
	passage spade.Passage // without its text
	cycle   int           // the first cycle that drew it
	draws   int
	designs []int // places in index.designs
}

// designRow is one design.
type designRow struct {
	cycle, slot, made int
	skill             string
	passage           string
	env               string
	admit             bool
	stage             string
	codes             []string // why it was refused, the first reason first
	detail            string   // of the first reason
	hintRefused       string
	raw               float64
}

// faultRow is an episode in which an environment misbehaved.
type faultRow struct {
	cycle   int
	env     string
	arm     spade.Arm
	index   int
	outcome spade.Outcome
}

func newIndex(run Run) *index {
	return &index{run: run, last: -1, byID: map[string]*envRow{}, drawn: map[string]*passageRow{}}
}

// refresh takes in what was committed since the last call.
func (x *index) refresh() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	last, err := x.run.Last()
	if err != nil || last == x.last {
		return err
	}
	cycles, err := x.run.Digest(x.last)
	if err != nil {
		return err
	}
	turns, err := x.run.Turns(x.last)
	if err != nil {
		return err
	}
	for i := range cycles {
		x.add(&cycles[i])
	}
	for id, mean := range turns {
		if e := x.byID[id]; e != nil {
			e.turns = mean
		}
	}
	x.version++
	return nil
}

func (x *index) add(c *spade.Cycle) {
	for i := range c.Environments {
		x.enter(c.Number, &c.Environments[i])
	}
	for i := range c.Passages {
		x.draw(c.Number, &c.Passages[i])
	}
	for i := range c.Designs {
		x.design(c.Number, &c.Designs[i])
	}
	row := cycleRow{number: c.Number, stats: c.Stats, skills: map[string]skillRow{}, rewarded: rewarded(c.Designs), metrics: c.Metrics()}
	row.at, _ = x.run.Committed(c.Number)
	paid := paidForPlays(c.Designs)
	for _, s := range c.Scores {
		if e := x.byID[s.EnvID]; e != nil {
			e.scores = append(e.scores, measured{c.Number, s})
		}
		if !s.Replay && s.Plays > 0 {
			if paid[s.EnvID] {
				row.anchorSum, row.rawSum = row.anchorSum+s.Anchor, row.rawSum+s.Raw
			}
			k := row.skills[s.Skill]
			k.environments++
			k.winRate, k.hintedWinRate, k.regret = k.winRate+s.WinRate, k.hintedWinRate+s.HintedWinRate, k.regret+s.Regret
			row.skills[s.Skill] = k
		}
	}
	for i := range c.Episodes {
		e := &c.Episodes[i]
		x.faults = append(x.faults, faultRow{e.Cycle, e.EnvID, e.Arm, e.Index, e.Outcome})
	}
	x.cycles = append(x.cycles, row)
	x.last = c.Number
}

// rewarded counts the designs that earned something, be it 0 or less.
func rewarded(designs []spade.Design) int {
	n := 0
	for i := range designs {
		if designs[i].Earned() {
			n++
		}
	}
	return n
}

// paidForPlays are the environments whose designs earned what their plays came to. A design whose first answer was refused
// earned 0, or less for a hang, though a repair of it is played: a digest has no first verdicts, so it is known by that
// price. Whoever earned 0 by plays has no parts either; less by plays is masked.
func paidForPlays(designs []spade.Design) map[string]bool {
	paid := map[string]bool{}
	for i := range designs {
		if d := &designs[i]; d.Raw > 0 || d.Masked {
			paid[d.EnvID] = true
		}
	}
	return paid
}

func (x *index) enter(cycle int, env *spade.Environment) {
	if x.byID[env.ID] != nil {
		return
	}
	e := &envRow{number: len(x.envs), env: *env, entered: cycle, design: -1}
	x.envs = append(x.envs, e)
	x.byID[env.ID] = e
}

func (x *index) draw(cycle int, p *spade.Passage) {
	row := x.drawn[p.ID]
	if row == nil {
		row = &passageRow{passage: *p, cycle: cycle}
		x.drawn[p.ID] = row
		x.corpus = append(x.corpus, row)
	}
	row.draws++
}

func (x *index) design(cycle int, d *spade.Design) {
	row := designRow{cycle: cycle, slot: d.Slot, made: d.Cycle, skill: d.Skill, passage: d.PassageID, env: d.EnvID,
		admit: d.Verdict.Admit, stage: d.Verdict.Stage, raw: d.Raw}
	if !row.admit {
		row.codes, row.detail = refusal(&d.Verdict)
	}
	if h := d.HintVerdict; h != nil && !h.Admit && len(h.Reasons) > 0 {
		row.hintRefused = clip(h.Reasons[0].Detail, 200)
	}
	if p := x.drawn[d.PassageID]; p != nil {
		p.designs = append(p.designs, len(x.designs))
	}
	x.designs = append(x.designs, row)
	if e := x.byID[d.EnvID]; e != nil && d.Verdict.Admit && e.design < 0 {
		e.design, e.masked, e.parents = cycle, d.Masked, d.Examples
		for _, w := range d.Verdict.Warnings {
			e.warnings = append(e.warnings, w.Code)
		}
		for _, id := range d.Examples {
			if parent := x.byID[id]; parent != nil {
				parent.children = append(parent.children, d.EnvID)
			}
		}
	}
}

// noReply stands for the reason of a design to which the policy did not reply.
const noReply = "no_reply"

// refusal is why a verdict refuses, under the codes that the statistics of cycles count, each once, and the detail of the
// first.
func refusal(v *spade.Verdict) (codes []string, detail string) {
	for _, r := range v.Reasons {
		if code := string(r.Code); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	if len(v.Reasons) > 0 {
		detail = clip(v.Reasons[0].Detail, 200)
	}
	switch {
	case v.Stage == spade.StagePolicy:
		codes = []string{noReply}
	case v.Stage == spade.StageReply || len(codes) == 0:
		codes = []string{spade.NoSource}
	}
	return codes, detail
}

// clip cuts text to at most n bytes, between characters.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// finite is x, or 0 where JSON has no such number.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
