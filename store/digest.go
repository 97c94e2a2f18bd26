package store

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/parquet-go/parquet-go"

	"spade"
)

// Digest returns the committed cycles after number after, in order, without what is long: passages without their
// texts, designs without prompt, reply, tokens, first verdict and repairs, environments without sources, and of the
// episodes only those in which the environment misbehaved, without their turns. It is what a view of a whole run is
// made of.
func (r *Run) Digest(after int) ([]spade.Cycle, error) {
	rows, err := r.db.Query("SELECT number, stats FROM cycles WHERE number > ? ORDER BY number", after)
	cycles, err := collect(r, rows, err, func(scan scanner) (c spade.Cycle, err error) {
		return c, scan(&c.Number, decode{&c.Stats})
	})
	if err != nil || len(cycles) == 0 {
		return nil, err
	}
	d := digest{run: r, from: cycles[0].Number, to: cycles[len(cycles)-1].Number, at: map[int]*spade.Cycle{}}
	for i := range cycles {
		d.at[cycles[i].Number] = &cycles[i]
	}
	for _, part := range []func() error{d.passages, d.designs, d.environments, d.scores, d.faults} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return cycles, nil
}

// digest reads the parts of the cycles from one number to another into place.
type digest struct {
	run      *Run
	from, to int
	at       map[int]*spade.Cycle
}

// each runs a query over the cycles; value reads a row into a cycle.
func (d *digest) each(query string, value func(scan scanner) error) error {
	rows, err := d.run.db.Query(query, d.from, d.to)
	_, err = collect(d.run, rows, err, func(scan scanner) (struct{}, error) { return struct{}{}, value(scan) })
	return err
}

func (d *digest) passages() error {
	return d.each("SELECT cycle, id, source, meta FROM passages WHERE cycle BETWEEN ? AND ? ORDER BY cycle, position", func(scan scanner) error {
		var p spade.Passage
		var cycle int
		err := scan(&cycle, &p.ID, &p.Source, decode{&p.Meta})
		if err == nil {
			d.at[cycle].Passages = append(d.at[cycle].Passages, p)
		}
		return err
	})
}

func (d *digest) designs() error {
	return d.each(`SELECT cycle, made, slot, skill, passage_id, env_id, examples, verdict, hint_verdict, raw, reward,
		advantage, masked FROM designs WHERE cycle BETWEEN ? AND ? ORDER BY cycle, slot`, func(scan scanner) error {
		var v spade.Design
		var cycle int
		err := scan(&cycle, &v.Cycle, &v.Slot, &v.Skill, &v.PassageID, &v.EnvID, decode{&v.Examples}, decode{&v.Verdict},
			decode{&v.HintVerdict}, &v.Raw, &v.Reward, &v.Advantage, &v.Masked)
		if err == nil {
			d.at[cycle].Designs = append(d.at[cycle].Designs, v)
		}
		return err
	})
}

func (d *digest) environments() error {
	return d.each(`SELECT cycle, id, class, kind, skill, hint, passage_id, made, slot FROM environments
		WHERE cycle BETWEEN ? AND ? ORDER BY cycle, position`, func(scan scanner) error {
		var e spade.Environment
		var cycle int
		err := scan(&cycle, &e.ID, &e.Class, &e.Kind, &e.Skill, &e.Hint, &e.PassageID, &e.Cycle, &e.Slot)
		if err == nil {
			d.at[cycle].Environments = append(d.at[cycle].Environments, e)
		}
		return err
	})
}

func (d *digest) scores() error {
	measured, err := d.run.scores("WHERE cycle BETWEEN ? AND ?", d.from, d.to)
	for i := range measured {
		c := d.at[measured[i].Cycle]
		c.Scores = append(c.Scores, measured[i].Score)
	}
	return err
}

func (d *digest) faults() error {
	return d.each(`SELECT cycle, slot, env_id, arm, "index", seed, return, stop, outcome FROM episodes
		WHERE cycle BETWEEN ? AND ? AND outcome <> 'ok' ORDER BY cycle, position`, func(scan scanner) error {
		var e spade.Episode
		err := scan(&e.Cycle, &e.Slot, &e.EnvID, &e.Arm, &e.Index, &e.Seed, &e.Return, &e.Stop, &e.Outcome)
		if err == nil {
			d.at[e.Cycle].Episodes = append(d.at[e.Cycle].Episodes, e)
		}
		return err
	})
}

// Turns returns the mean number of turns of the unhinted episodes of each environment, over the cycles after number
// after.
func (r *Run) Turns(after int) (map[string]float64, error) {
	rows, err := r.db.Query("SELECT env_id, avg(turns) FROM episodes WHERE cycle > ? AND arm = ? GROUP BY env_id", after, spade.Unhinted)
	means := map[string]float64{}
	_, err = collect(r, rows, err, func(scan scanner) (struct{}, error) {
		var id string
		var mean float64
		err := scan(&id, &mean)
		means[id] = mean
		return struct{}{}, err
	})
	return means, err
}

// Design returns the whole design of a slot of a cycle. It fails by the user if there is none.
func (r *Run) Design(cycle, slot int) (spade.Design, error) {
	list, err := r.designs("cycle = ? AND slot = ?", cycle, slot)
	if err != nil {
		return spade.Design{}, err
	}
	if len(list) == 0 {
		return spade.Design{}, spade.Errorf(spade.ByUser, "see which cycles there are with: spade show "+r.dir,
			"the run in %s has no design in slot %d of cycle %d", r.dir, slot, cycle)
	}
	return list[0], nil
}

// Play is one episode of an environment without its texts.
type Play struct {
	Cycle   int              `json:"cycle"`
	Arm     spade.Arm        `json:"arm"`
	Index   int              `json:"index"`
	Seed    int64            `json:"seed"`
	Return  float64          `json:"return"`
	Turns   int              `json:"turns"`
	Stop    spade.StopReason `json:"stop"`
	Outcome spade.Outcome    `json:"outcome"`
}

// Plays returns every episode of the environment with the given id, in the order of cycle, arm and index.
func (r *Run) Plays(id string) ([]Play, error) {
	rows, err := r.db.Query(`SELECT cycle, arm, "index", seed, return, turns, stop, outcome FROM episodes
		WHERE env_id = ? ORDER BY cycle, position`, id)
	return collect(r, rows, err, func(scan scanner) (p Play, err error) {
		return p, scan(&p.Cycle, &p.Arm, &p.Index, &p.Seed, &p.Return, &p.Turns, &p.Stop, &p.Outcome)
	})
}

// Paired returns the episodes of a cycle that played one environment under one index, that is, on one seed: one for
// each arm. Only their rows of the cycle's file are read. There may be none.
func (r *Run) Paired(cycle int, id string, index int) ([]spade.Episode, error) {
	rows, err := r.db.Query(`SELECT position FROM episodes WHERE env_id = ? AND cycle = ? AND "index" = ? ORDER BY position`, id, cycle, index)
	positions, err := collect(r, rows, err, func(scan scanner) (n int64, err error) { return n, scan(&n) })
	if err != nil || len(positions) == 0 {
		return nil, err
	}
	path := r.path(episodesDir, episodesName(cycle))
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, damaged(path, err)
	}
	episodes, err := decodeRows(data, positions)
	if err != nil {
		return nil, damaged(path, err)
	}
	return episodes, nil
}

// decodeRows reads some rows of what encodeEpisodes wrote.
func decodeRows(data []byte, positions []int64) ([]spade.Episode, error) {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	reader := parquet.NewGenericReader[episodeRow](f)
	defer reader.Close()
	episodes := make([]spade.Episode, len(positions))
	for i, position := range positions {
		if err := reader.SeekToRow(position); err != nil {
			return nil, err
		}
		rows := make([]episodeRow, 1)
		if n, err := reader.Read(rows); n != 1 {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		episodes[i] = fromRow(&rows[0])
	}
	return episodes, nil
}

// Committed returns when the file system says that the episodes of a cycle were written; ok is false where there are
// none. Nothing in a run holds a clock, and a copy of a run may have lost these times too.
func (r *Run) Committed(cycle int) (at time.Time, ok bool) {
	info, err := os.Stat(r.path(episodesDir, episodesName(cycle)))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// Writing reports whether a process holds the run's lock, that is, whether the run is going on.
func (r *Run) Writing() bool {
	if r.lock != nil {
		return true
	}
	f, err := os.Open(r.path(lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	// A shared lock is refused while a writer holds its exclusive one, and goes with the file.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}
