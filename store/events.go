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

// noSource stands for the reason of a refused reply that held no source to find a reason in.
const noSource spade.Code = "no_source"

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
		reasons = append(reasons, eventReason{Code: noSource})
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
	metrics, err := encode(cycleMetrics(c.Stats))
	if err != nil {
		return "", err
	}
	return head[:len(head)-1] + "," + metrics[1:], nil
}

func cycleMetrics(s spade.CycleStats) map[string]any {
	m := map[string]any{
		"env_validator/games_requested": s.Designed,
		"env_validator/games_produced":  s.Designed - s.Refused[string(noSource)],
		"env_validator/accepted":        s.Admitted,
		"env_validator/rejected":        s.Designed - s.Admitted,
		"env/avg_actor_win_rate":        s.WinRate,
		"env/avg_hinted_win_rate":       s.HintedWinRate,
		"env/avg_regret":                s.Regret,
		"env/avg_anchor":                s.Anchor,
		"env/in_band":                   s.InBand,
		"env/vendi":                     s.Vendi,
		"rollout/env_mean_return":       s.DesignerReward,
		"rollout/num_env_samples":       s.Designed,
		"rollout/num_actor_samples":     s.Episodes,
		"rollout/num_failed":            s.Faults,
		"rollout/signal":                s.Signal,
		"rollout/turns":                 s.Turns,
		"rollout/sampled_tokens":        s.SampledTokens,
		"rollout/trained_tokens":        s.TrainedTokens,
	}
	for code, n := range s.Refused {
		m["env_validator/rejected_"+code] = n
	}
	for class, n := range s.Failures {
		m["rollout/policy_failed_"+class] = n
	}
	for name, value := range s.Train {
		m["train/"+name] = value
	}
	if s.HeldOut != nil {
		m["eval/win_rate"] = *s.HeldOut
	}
	return m
}

// committedEvents returns the lines of a committed cycle, from what the database holds of it and nothing else,
// so that they come out the same whenever they are written.
func (r *Run) committedEvents(number int) ([]byte, error) {
	c, err := r.withoutEpisodes(number)
	if err != nil {
		return nil, err
	}
	return events(c)
}

// appendEvents adds the lines of a committed cycle. If it fails, Resume writes them.
func (r *Run) appendEvents(number int) error {
	lines, err := r.committedEvents(number)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.path(eventsName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(lines); err != nil {
		return err
	}
	return f.Sync()
}

// repairEvents makes events.jsonl hold exactly the lines of the committed cycles. What is right stays in
// place, so that a reader who follows the file loses nothing.
func (r *Run) repairEvents() error {
	if _, err := RepairJSONL(r.path(eventsName)); err != nil {
		return err
	}
	stats, err := r.Stats()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.path(eventsName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	right := int64(0)
	for _, s := range stats {
		lines, err := r.committedEvents(s.Cycle)
		if err != nil {
			return err
		}
		if err := ensureAt(f, lines, right); err != nil {
			return fmt.Errorf("the events of cycle %d: %w", s.Cycle, err)
		}
		right += int64(len(lines))
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
