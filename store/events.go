package store

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"spade"
)

// environmentEvent says that an environment entered, and how it was played in its first cycle.
type environmentEvent struct {
	Event         string     `json:"event"`
	Cycle         int        `json:"cycle"`
	Slot          int        `json:"slot"`
	ID            string     `json:"id"`
	Class         string     `json:"class"`
	Kind          spade.Kind `json:"kind"`
	Skill         string     `json:"skill"`
	PassageID     string     `json:"passage_id"`
	Hint          string     `json:"hint"`
	Plays         int        `json:"plays"`
	WinRate       float64    `json:"win_rate"`
	HintedWinRate float64    `json:"hinted_win_rate"`
	Regret        float64    `json:"regret"`
	Reward        float64    `json:"reward"`
}

// refusedEvent says that a design was refused, and why.
type refusedEvent struct {
	Event     string        `json:"event"`
	Cycle     int           `json:"cycle"`
	Slot      int           `json:"slot"`
	ID        string        `json:"id"`
	Skill     string        `json:"skill"`
	PassageID string        `json:"passage_id"`
	Stage     string        `json:"stage"`
	Reasons   []eventReason `json:"reasons"`
}

type eventReason struct {
	Code   spade.Code `json:"code"`
	Detail string     `json:"detail"`
}

// policyEvent says what the policies of a run state about themselves.
type policyEvent struct {
	Event string   `json:"event"`
	Cycle int      `json:"cycle"`
	Notes []string `json:"notes"`
}

// events returns the lines of events.jsonl for a cycle: what its policies state, the environments that entered in it, then the refused among
// the designs that it rewarded, then the cycle. The episodes of c and the sources of its environments are not used.
func events(c spade.Cycle) ([]byte, error) {
	var b bytes.Buffer
	add := func(event any) error {
		line, err := encode(event)
		b.WriteString(line + "\n")
		return err
	}
	if len(c.Stats.Notes) > 0 {
		if err := add(policyEvent{"policy", c.Number, c.Stats.Notes}); err != nil {
			return nil, err
		}
	}
	for i := range c.Environments {
		if err := add(entered(c, &c.Environments[i])); err != nil {
			return nil, err
		}
	}
	for i := range c.Designs {
		if d := &c.Designs[i]; !d.Verdict.Admit {
			if err := add(refused(d)); err != nil {
				return nil, err
			}
		}
	}
	line, err := cycleEvent(c)
	b.WriteString(line + "\n")
	return b.Bytes(), err
}

func refused(d *spade.Design) refusedEvent {
	reasons := []eventReason{}
	for _, r := range d.Verdict.Reasons {
		reasons = append(reasons, eventReason{r.Code, r.Detail})
	}
	if d.Verdict.Stage == spade.StagePolicy {
		reasons = append(reasons, eventReason{Code: spade.WarnPolicy, Detail: d.Verdict.Warnings[0].Detail})
	} else if len(reasons) == 0 && d.EnvID == "" {
		reasons = append(reasons, eventReason{Code: spade.NoSource})
	}
	return refusedEvent{Event: "refused", Cycle: d.Cycle, Slot: d.Slot, ID: d.EnvID, Skill: d.Skill,
		PassageID: d.PassageID, Stage: d.Verdict.Stage, Reasons: reasons}
}

func entered(c spade.Cycle, e *spade.Environment) environmentEvent {
	event := environmentEvent{Event: "environment", Cycle: c.Number, Slot: e.Slot, ID: e.ID, Class: e.Class, Kind: e.Kind,
		Skill: e.Skill, PassageID: e.PassageID, Hint: e.Hint}
	for _, s := range c.Scores {
		if s.EnvID == e.ID {
			event.Plays, event.WinRate, event.HintedWinRate = s.Plays, s.WinRate, s.HintedWinRate
			event.Regret, event.Reward = s.Regret, s.Reward
			break
		}
	}
	return event
}

// cycleEvent returns the line of a cycle: its statistics under the names that loggers of this method use where
// there is such a name, in alphabetical order.
func cycleEvent(c spade.Cycle) (string, error) {
	head, err := encode(struct {
		Event string `json:"event"`
		Cycle int    `json:"cycle"`
	}{"cycle", c.Number})
	if err != nil {
		return "", err
	}
	metrics, err := encode(c.Metrics())
	if err != nil {
		return "", err
	}
	return head[:len(head)-1] + "," + metrics[1:], nil
}

// derived is a file that is made of what was committed, cycle by cycle, and of nothing else: events.jsonl and the event
// file of TensorBoard.
type derived struct {
	name string
	head []byte
	of   func(c spade.Cycle) ([]byte, error)
}

func derivedFiles() []derived {
	return []derived{{eventsName, nil, events}, {scalarsName, scalarsHead(), func(c spade.Cycle) ([]byte, error) { return scalars(c), nil }}}
}

// appendEvents adds a committed cycle to the derived files. If it fails, Resume does it.
func (r *Run) appendEvents(number int) error {
	c, err := r.withoutEpisodes(number)
	if err != nil {
		return err
	}
	for _, d := range derivedFiles() {
		data, err := d.of(c)
		if err != nil {
			return err
		}
		if err := r.appendTo(d, data); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) appendTo(d derived, data []byte) error {
	f, err := os.OpenFile(r.path(d.name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return err
	} else if info.Size() == 0 {
		data = append(bytes.Clone(d.head), data...)
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// repairEvents makes the derived files hold exactly what the committed cycles give. What is right stays in place, so
// that a reader who follows a file loses nothing.
func (r *Run) repairEvents() error {
	stats, err := r.Stats()
	if err != nil {
		return err
	}
	for _, d := range derivedFiles() {
		if err := r.repair(d, stats); err != nil {
			return spade.Errorf(spade.ByStore, "move "+spade.Quote(r.path(d.name))+" out of the way: it is written again from the database",
				"repairing %s (%s): %w", d.name, spade.Quote(r.dir), err)
		}
	}
	return nil
}

func (r *Run) repair(d derived, stats []Stats) error {
	if d.name == eventsName { // lines that are torn go, so that what is appended next begins one of its own
		if _, err := RepairJSONL(r.path(d.name)); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(r.path(d.name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	right := int64(0)
	for i, s := range stats {
		c, err := r.withoutEpisodes(s.Cycle)
		if err != nil {
			return err
		}
		data, err := d.of(c)
		if err != nil {
			return err
		}
		if i == 0 {
			data = append(bytes.Clone(d.head), data...)
		}
		if err := ensureAt(f, data, right); err != nil {
			return fmt.Errorf("the events of cycle %d: %w", s.Cycle, err)
		}
		right += int64(len(data))
	}
	if err := f.Truncate(right); err != nil {
		return err
	}
	return f.Sync()
}

// ensureAt writes want at an offset of f unless it is there.
func ensureAt(f *os.File, want []byte, offset int64) error {
	have := make([]byte, len(want))
	if _, err := f.ReadAt(have, offset); err == nil && bytes.Equal(have, want) {
		return nil
	} else if err != nil && err != io.EOF {
		return err
	}
	_, err := f.WriteAt(want, offset)
	return err
}
