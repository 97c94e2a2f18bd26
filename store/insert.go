package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"

	"spade"
)

// encodedCycle holds the nested values of a cycle as JSON. They are encoded before anything is written, so
// that a value that JSON cannot hold leaves no trace.
type encodedCycle struct {
	stats      string
	checkpoint string // relative to the run's folder, "" if no weights were saved
	metas      []string
	designs    []encodedDesign
}

type encodedDesign struct {
	examples, prompt, trajectory, first, repairs, verdict, hintVerdict string
}

func encodeCycle(c spade.Cycle) (encodedCycle, error) {
	var e encodedCycle
	var err error
	if e.stats, err = encode(c.Stats); err != nil {
		return e, fmt.Errorf("the statistics: %w", err)
	}
	for _, p := range c.Passages {
		meta, err := encode(p.Meta)
		if err != nil {
			return e, fmt.Errorf("the metadata of passage %s: %w", p.ID, err)
		}
		e.metas = append(e.metas, meta)
	}
	for i := range c.Designs {
		d, err := encodeDesign(&c.Designs[i])
		if err != nil {
			return e, fmt.Errorf("the design of slot %d: %w", c.Designs[i].Slot, err)
		}
		e.designs = append(e.designs, d)
	}
	return e, nil
}

func encodeDesign(d *spade.Design) (e encodedDesign, err error) {
	for _, part := range []struct {
		to    *string
		value any
	}{
		{&e.examples, d.Examples}, {&e.prompt, d.Prompt}, {&e.trajectory, d.Trajectory}, {&e.first, d.First},
		{&e.repairs, d.Repairs}, {&e.verdict, d.Verdict}, {&e.hintVerdict, d.HintVerdict},
	} {
		if *part.to, err = encode(part.value); err != nil {
			return e, err
		}
	}
	return e, nil
}

// encode returns v as JSON that a person can read: without escapes for HTML.
func encode(v any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})), nil
}

func insertCycle(tx *sql.Tx, c spade.Cycle, e encodedCycle) error {
	if _, err := tx.Exec("DELETE FROM summary"); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO cycles (number, stats, state, checkpoint) VALUES (?, ?, ?, ?)",
		c.Number, e.stats, c.State, e.checkpoint); err != nil {
		return err
	}
	for _, insert := range []func(*sql.Tx, spade.Cycle, encodedCycle) error{
		insertPassages, insertDesigns, insertEnvironments, insertScores, insertEpisodes,
	} {
		if err := insert(tx, c, e); err != nil {
			return err
		}
	}
	return nil
}

// insertRows runs one statement for n rows.
func insertRows(tx *sql.Tx, statement string, n int, row func(i int) []any) error {
	prepared, err := tx.Prepare(statement)
	if err != nil {
		return err
	}
	defer prepared.Close()
	for i := range n {
		if _, err := prepared.Exec(row(i)...); err != nil {
			return err
		}
	}
	return nil
}

func insertPassages(tx *sql.Tx, c spade.Cycle, e encodedCycle) error {
	const statement = `INSERT INTO passages (cycle, position, id, text, source, meta) VALUES (?, ?, ?, ?, ?, ?)`
	return insertRows(tx, statement, len(c.Passages), func(i int) []any {
		p := &c.Passages[i]
		return []any{c.Number, i, p.ID, p.Text, p.Source, e.metas[i]}
	})
}

func insertDesigns(tx *sql.Tx, c spade.Cycle, e encodedCycle) error {
	const statement = `INSERT INTO designs (cycle, slot, made, skill, passage_id, env_id, examples, prompt, reply,
		trajectory, first, repairs, verdict, hint_verdict, raw, reward, advantage, masked)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return insertRows(tx, statement, len(c.Designs), func(i int) []any {
		d, j := &c.Designs[i], &e.designs[i]
		return []any{c.Number, d.Slot, d.Cycle, d.Skill, d.PassageID, d.EnvID, j.examples, j.prompt, d.Reply,
			j.trajectory, j.first, j.repairs, j.verdict, j.hintVerdict, d.Raw, d.Reward, d.Advantage, d.Masked}
	})
}

func insertEnvironments(tx *sql.Tx, c spade.Cycle, _ encodedCycle) error {
	const statement = `INSERT INTO environments (cycle, position, id, class, kind, skill, hint, passage_id, made, slot)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return insertRows(tx, statement, len(c.Environments), func(i int) []any {
		v := &c.Environments[i]
		return []any{c.Number, i, v.ID, v.Class, string(v.Kind), v.Skill, v.Hint, v.PassageID, v.Cycle, v.Slot}
	})
}

func insertScores(tx *sql.Tx, c spade.Cycle, _ encodedCycle) error {
	const statement = `INSERT INTO scores (cycle, position, env_id, skill, plays, hinted_plays, mean, hinted_mean,
		win_rate, hinted_win_rate, regret, anchor, raw, reward, replay)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return insertRows(tx, statement, len(c.Scores), func(i int) []any {
		s := &c.Scores[i]
		return []any{c.Number, i, s.EnvID, s.Skill, s.Plays, s.HintedPlays, s.Mean, s.HintedMean,
			s.WinRate, s.HintedWinRate, s.Regret, s.Anchor, s.Raw, s.Reward, s.Replay}
	})
}

func insertEpisodes(tx *sql.Tx, c spade.Cycle, _ encodedCycle) error {
	const statement = `INSERT INTO episodes (cycle, position, slot, env_id, arm, "index", seed, return, turns, stop, outcome)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return insertRows(tx, statement, len(c.Episodes), func(i int) []any {
		e := &c.Episodes[i]
		return []any{c.Number, i, e.Slot, e.EnvID, string(e.Arm), e.Index, e.Seed, e.Return, len(e.Turns),
			string(e.Stop), string(e.Outcome)}
	})
}
