package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"spade"
)

// Stats are the statistics of one committed cycle.
type Stats struct {
	// Cycle is the number of the cycle; 0 is the record of the run's start.
	Cycle int `json:"cycle"`
	spade.CycleStats
}

// Last returns what the next cycle starts from: the number of the last committed cycle, its state, and the
// folder with the weights after it, "" if none were saved. ok is false if nothing is committed yet.
func (r *Run) Last() (number int, state []byte, checkpoint string, ok bool, err error) {
	row := r.db.QueryRow("SELECT number, state, checkpoint FROM cycles ORDER BY number DESC LIMIT 1")
	err = row.Scan(&number, &state, &checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, "", false, nil
	}
	if err != nil {
		return 0, nil, "", false, r.readError(err)
	}
	if checkpoint != "" {
		checkpoint = r.path(checkpoint)
	}
	return number, state, checkpoint, true, nil
}

// Summary returns what Finish stored, nil if the run is not finished.
func (r *Run) Summary() ([]byte, error) {
	var summary []byte
	err := r.db.QueryRow("SELECT body FROM summary").Scan(&summary)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, r.readError(err)
	}
	return summary, nil
}

// Stats returns the statistics of every committed cycle, in order.
func (r *Run) Stats() ([]Stats, error) {
	rows, err := r.db.Query("SELECT number, stats FROM cycles ORDER BY number")
	return collect(r, rows, err, func(scan scanner) (s Stats, err error) {
		return s, scan(&s.Cycle, decode{&s.CycleStats})
	})
}

// Cycle returns the whole of a committed cycle, with its designs in the order of their slots and its episodes
// in the order of slot, environment, arm and index. It fails by the user if the run has no such cycle.
func (r *Run) Cycle(number int) (spade.Cycle, error) {
	c, err := r.withoutEpisodes(number)
	if err != nil {
		return spade.Cycle{}, err
	}
	if c.Environments, err = r.withSources(c.Environments); err != nil {
		return spade.Cycle{}, err
	}
	if c.Episodes, err = r.Episodes(number); err != nil {
		return spade.Cycle{}, err
	}
	return c, nil
}

// withoutEpisodes returns what the database knows of a cycle: all but episodes and the sources of environments.
func (r *Run) withoutEpisodes(number int) (spade.Cycle, error) {
	c := spade.Cycle{Number: number}
	row := r.db.QueryRow("SELECT stats, state FROM cycles WHERE number = ?", number)
	err := row.Scan(decode{&c.Stats}, &c.State)
	if errors.Is(err, sql.ErrNoRows) {
		return c, spade.Errorf(spade.ByUser, "see which there are with: spade show "+spade.Quote(r.dir),
			"the run in %s has no cycle %d", spade.Quote(r.dir), number)
	}
	if err != nil {
		return c, r.readError(err)
	}
	if c.Passages, err = r.Passages(number); err != nil {
		return c, err
	}
	if c.Designs, err = r.Designs(number); err != nil {
		return c, err
	}
	if c.Environments, err = r.environments("WHERE cycle = ? ORDER BY position", number); err != nil {
		return c, err
	}
	c.Scores, err = r.Scores(number)
	return c, err
}

// Passages returns the passages that a cycle drew, in the order in which it committed them.
func (r *Run) Passages(cycle int) ([]spade.Passage, error) {
	rows, err := r.db.Query("SELECT id, text, source, meta FROM passages WHERE cycle = ? ORDER BY position", cycle)
	return collect(r, rows, err, func(scan scanner) (p spade.Passage, err error) {
		return p, scan(&p.ID, &p.Text, &p.Source, decode{&p.Meta})
	})
}

// Designs returns the designs that a cycle rewarded, admitted and refused, in the order of their slots.
func (r *Run) Designs(cycle int) ([]spade.Design, error) { return r.designs("cycle = ?", cycle) }

func (r *Run) designs(condition string, args ...any) ([]spade.Design, error) {
	rows, err := r.db.Query(`SELECT made, slot, skill, passage_id, env_id, examples, prompt, reply, trajectory, first,
		repairs, verdict, hint_verdict, raw, reward, advantage, masked FROM designs WHERE `+condition+" ORDER BY slot", args...)
	return collect(r, rows, err, func(scan scanner) (d spade.Design, err error) {
		return d, scan(&d.Cycle, &d.Slot, &d.Skill, &d.PassageID, &d.EnvID, decode{&d.Examples}, decode{&d.Prompt},
			&d.Reply, decode{&d.Trajectory}, decode{&d.First}, decode{&d.Repairs}, decode{&d.Verdict},
			decode{&d.HintVerdict}, &d.Raw, &d.Reward, &d.Advantage, &d.Masked)
	})
}

// Environments returns every environment that was committed, in the order in which they first were. Where one
// was committed again, it is as the last cycle left it.
func (r *Run) Environments() ([]spade.Environment, error) {
	list, err := r.Index()
	if err != nil {
		return nil, err
	}
	return r.withSources(list)
}

// Environment returns the environment with the given id, as the last cycle that committed it left it. It fails
// by the user if the run has no such environment.
func (r *Run) Environment(id string) (spade.Environment, error) {
	list, err := r.environments("WHERE id = ? ORDER BY rowid DESC LIMIT 1", id)
	if err != nil {
		return spade.Environment{}, err
	}
	if len(list) == 0 {
		return spade.Environment{}, spade.Errorf(spade.ByUser, "see which there are with: spade show "+spade.Quote(r.dir),
			"the run in %s has no environment %s", spade.Quote(r.dir), id)
	}
	list, err = r.withSources(list)
	if err != nil {
		return spade.Environment{}, err
	}
	return list[0], nil
}

func (r *Run) environments(clause string, args ...any) ([]spade.Environment, error) {
	rows, err := r.db.Query("SELECT id, class, kind, skill, hint, passage_id, made, slot FROM environments "+clause, args...)
	return collect(r, rows, err, func(scan scanner) (e spade.Environment, err error) {
		return e, scan(&e.ID, &e.Class, &e.Kind, &e.Skill, &e.Hint, &e.PassageID, &e.Cycle, &e.Slot)
	})
}

// withSources reads the source of each environment, which must still be what its name says.
func (r *Run) withSources(list []spade.Environment) ([]spade.Environment, error) {
	for i := range list {
		source, err := r.source(list[i].ID)
		if err != nil {
			return nil, damaged(r.path(environmentsDir, environmentName(list[i].ID)), err)
		}
		list[i].Source = source
	}
	return list, nil
}

// source reads the source of a committed environment.
func (r *Run) source(id string) (string, error) {
	source, err := os.ReadFile(r.path(environmentsDir, environmentName(id)))
	if err == nil && spade.ContentID(string(source)) != id {
		err = errors.New("it was changed after it was committed")
	}
	return string(source), err
}

// Index returns every environment that was committed like Environments, but without the sources, so that it needs no
// file but the database.
func (r *Run) Index() ([]spade.Environment, error) {
	return r.environments(`WHERE rowid IN (SELECT max(rowid) FROM environments GROUP BY id)
		ORDER BY (SELECT min(rowid) FROM environments first WHERE first.id = environments.id)`)
}

// Scores returns the scores of a cycle, in the order in which it committed them.
func (r *Run) Scores(cycle int) ([]spade.Score, error) {
	list, err := r.scores("WHERE cycle = ?", cycle)
	if err != nil {
		return nil, err
	}
	var scores []spade.Score
	for i := range list {
		scores = append(scores, list[i].Score)
	}
	return scores, nil
}

// Measured is the score of an environment in one cycle.
type Measured struct {
	Cycle int `json:"cycle"`
	spade.Score
}

// History returns every score of the environment with the given id, in the order of cycles.
func (r *Run) History(id string) ([]Measured, error) {
	return r.scores("WHERE env_id = ?", id)
}

func (r *Run) scores(clause string, args ...any) ([]Measured, error) {
	rows, err := r.db.Query(`SELECT cycle, env_id, skill, plays, hinted_plays, mean, hinted_mean, win_rate,
		hinted_win_rate, regret, anchor, raw, reward, replay FROM scores `+clause+" ORDER BY cycle, position", args...)
	return collect(r, rows, err, func(scan scanner) (s Measured, err error) {
		return s, scan(&s.Cycle, &s.EnvID, &s.Skill, &s.Plays, &s.HintedPlays, &s.Mean, &s.HintedMean, &s.WinRate,
			&s.HintedWinRate, &s.Regret, &s.Anchor, &s.Raw, &s.Reward, &s.Replay)
	})
}

// Episodes returns the episodes of a cycle in the order of slot, environment, arm and index.
func (r *Run) Episodes(cycle int) ([]spade.Episode, error) {
	var count int
	if err := r.db.QueryRow("SELECT count(*) FROM episodes WHERE cycle = ?", cycle).Scan(&count); err != nil {
		return nil, r.readError(err)
	}
	if count == 0 {
		return nil, nil
	}
	path := r.path(episodesDir, episodesName(cycle))
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged(path, err)
	}
	episodes, err := decodeEpisodes(data)
	if err != nil {
		err = fmt.Errorf("it is no whole Parquet file (%w)", err)
	} else if len(episodes) != count {
		err = fmt.Errorf("it holds %d episodes, %d were committed", len(episodes), count)
	}
	if err != nil {
		return nil, damaged(path, err)
	}
	return episodes, nil
}

func (r *Run) readError(err error) error {
	return r.storeError(atPath(r.path(databaseName), err), "reading the run")
}

// damaged says that a file that was committed cannot be read.
func damaged(path string, err error) error {
	return spade.Errorf(spade.ByStore, "put the file back from a copy; what other files hold is not affected",
		"reading the run: %s: %s", spade.Quote(path), reasonOf(err))
}

// scanner reads the columns of one row.
type scanner func(dest ...any) error

// collect turns the rows of a query, or its error, into values.
func collect[T any](r *Run, rows *sql.Rows, err error, value func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, r.readError(err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		v, err := value(rows.Scan)
		if err != nil {
			return nil, r.readError(err)
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		return nil, r.readError(err)
	}
	return list, nil
}

// decode scans a column of JSON into the value that it points to.
type decode struct{ to any }

func (d decode) Scan(column any) error {
	switch text := column.(type) {
	case string:
		return d.read([]byte(text))
	case []byte:
		return d.read(text)
	}
	return fmt.Errorf("JSON expected, found %T", column)
}

// read reads numbers that no float64 can hold as they are written: older versions stored such metadata of passages.
func (d decode) read(text []byte) error {
	err := json.Unmarshal(text, d.to)
	if wrong := (*json.UnmarshalTypeError)(nil); !errors.As(err, &wrong) {
		return err
	}
	exact := json.NewDecoder(bytes.NewReader(text))
	exact.UseNumber()
	return exact.Decode(d.to)
}
