package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"spade"
	"spade/policy"
	"spade/selfplay"
)

// runView shows a run while it goes: a live screen on a terminal, one plain line a cycle elsewhere, JSON on
// standard output where asked for. Progress goes to standard error.
type runView struct {
	con  console
	cfg  selfplay.Config
	dir  string
	json bool
	live *liveView // nil unless standard error is a terminal
	end  context.CancelCauseFunc

	mu    sync.Mutex
	begun time.Time
	last  time.Time
	// barren counts the cycles in a row that admitted nothing.
	barren int
}

// newRunView returns the view of a run that end ends, once nobody reads what the view writes.
func newRunView(con console, cfg selfplay.Config, dir string, json bool, end context.CancelCauseFunc) *runView {
	v := &runView{con: con, cfg: cfg, dir: dir, json: json, end: end, begun: time.Now(), last: time.Now()}
	if f, ok := con.err.(*os.File); ok && !json && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		v.live = newLiveView(f, cfg, dir)
	}
	v.con.err = &unread{Writer: con.err}
	return v
}

// begin says what is about to be played.
func (v *runView) begin() {
	if v.live != nil {
		return
	}
	cfg := v.cfg
	v.line("run %s: arm %s, policy %s, corpus %s, seed %d, %d cycles, isolation %s",
		spade.Quote(v.dir), cfg.Arm, cfg.Policy, spade.Quote(cfg.Corpus), cfg.Seed, cfg.Cycles, cfg.Isolation)
	if cfg.Reward.Centring == "shrunk_mean" {
		v.line("designer rewards are centred on a leave-one-out mean shrunk to a moving average per skill (reward.centring: shrunk_mean)")
	}
}

func (v *runView) line(format string, args ...any) { fmt.Fprintf(v.con.err, format+"\n", args...) }

// teller shows what a person should know of the sandbox: on the live screen, or on standard error.
func (v *runView) teller() teller {
	if v.live == nil {
		return v.con.teller()
	}
	return teller{notice: v.live.notice, packages: v.live.packages}
}

func (v *runView) progress(p selfplay.Progress) {
	if v.live != nil {
		v.live.progress(p)
		return
	}
	if p.Phase == "held-out" {
		v.line("measuring on %d held-out environments", p.Total)
	}
}

// cycle shows a committed cycle.
func (v *runView) cycle(c spade.Cycle) {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer endIfUnread(v.end, v.con.out, v.con.err)
	if v.json && c.Number > 0 { // cycle 0 is the measurement before the first one
		printJSON(v.con, cycleLine{Cycle: c.Number, CycleStats: c.Stats})
	}
	took := time.Since(v.last)
	v.last = time.Now()
	v.watchBarren(c.Stats)
	if v.live != nil {
		v.live.cycle(c, took)
		return
	}
	if c.Number == 0 && c.Stats.HeldOut == nil {
		return
	}
	if c.Number == 0 {
		v.line("cycle 0: held-out win rate %.1f %% before training", 100*deref(c.Stats.HeldOut))
		return
	}
	v.line("%s", plainLine(c, v.cfg.Cycles, took))
}

// barrenCycles is the number of cycles in a row without an admitted design at which a person is told.
const barrenCycles = 3

// watchBarren tells a person once that the designer gets nowhere.
func (v *runView) watchBarren(s spade.CycleStats) {
	if s.Designed == 0 || s.Admitted > 0 {
		v.barren = 0
		return
	}
	if v.barren++; v.barren == barrenCycles {
		why := "The embedded model knows the words of the built-in corpus only: passages must be written in them " +
			"(corpus/builtin.jsonl shows how), or leave --corpus out"
		switch {
		case promptsOf(v.cfg.Policy) == policy.InstructPrompts || v.cfg.Designer != "":
			why = "Look at the answers and their reasons (spade show " + spade.Quote(v.dir) + ", events.jsonl): a model that cannot write such files needs a larger one as designer"
		case v.cfg.Corpus == "builtin":
			why = "The model may have unlearnt to write: " + lowerRate(v.cfg)
		}
		v.teller().notice(fmt.Sprintf("%d cycles in a row admitted no design (%s), so nothing is learnt. %s", v.barren, refusals(s.Refused), why))
	}
}

// cycleLine is a cycle as JSON: its number and its stats, in one object.
type cycleLine struct {
	Cycle int `json:"cycle"`
	spade.CycleStats
}

func plainLine(c spade.Cycle, cycles int, took time.Duration) string {
	s := c.Stats
	line := fmt.Sprintf("cycle %d/%d: win %.2f, hinted %.2f, regret %+.2f, designer %.2f, valid %d/%d, signal %.2f, vendi %.2f, %.0f turns, %.0f tokens/s",
		c.Number, cycles, s.WinRate, s.HintedWinRate, s.Regret, s.DesignerReward, s.Admitted, s.Judged(), s.Signal, s.Vendi, s.Turns,
		float64(s.SampledTokens+s.TrainedTokens)/took.Seconds())
	if len(s.Refused) > 0 {
		line += ", refused: " + refusals(s.Refused)
	}
	if len(s.Failures) > 0 {
		line += ", no reply: " + refusals(s.Failures)
	}
	if s.HeldOut != nil {
		line += fmt.Sprintf(", held-out %.1f %%", 100**s.HeldOut)
	}
	return line
}

func deref(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// close ends the live screen; nothing is shown on it afterwards.
func (v *runView) close() {
	if v.live != nil {
		v.live.close()
	}
}
