package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"

	"spade"
)

// keptCheckpoints is how many checkpoints stay on disk: the newest, and the one before it.
const keptCheckpoints = 2

// Commit stores everything that cycle c made. Cycles are committed in order, from 1, or from 0 where the run
// begins with a record of its start. The function save writes the weights after the cycle into the folder that
// it is given and that it creates; it is not called for cycle 0, and is nil if the policy has no weights.
//
// The cycle is committed whole or not at all. If ctx ends before the commit point, it is not. A run whose
// Commit failed commits no more: Resume takes it up again.
func (r *Run) Commit(ctx context.Context, c spade.Cycle, save func(ctx context.Context, dir string) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writable(); err != nil {
		return fmt.Errorf("committing cycle %d: %w", c.Number, err)
	}
	if err := r.commit(ctx, c, save); err != nil {
		r.failed = err
		return r.commitError(err, c.Number)
	}
	return nil
}

func (r *Run) writable() error {
	if r.lock == nil {
		return errors.New("the run was opened to read only, or is closed")
	}
	if r.failed != nil {
		return fmt.Errorf("the run must be resumed after: %w", r.failed)
	}
	return nil
}

func (r *Run) commit(ctx context.Context, c spade.Cycle, save func(ctx context.Context, dir string) error) error {
	if err := r.expect(c.Number); err != nil {
		return err
	}
	if c.Number == 0 {
		save = nil
	}
	c = sorted(c)
	encoded, err := encodeCycle(c)
	if err != nil {
		return err
	}
	if save != nil {
		encoded.checkpoint = checkpointsDir + "/" + cycleName(c.Number)
	}
	if err := r.stage(ctx, c, save); err != nil {
		// Nothing was committed: give the room back, which a full disk needs.
		return errors.Join(err, r.sweep())
	}
	if err := r.transact(func(tx *sql.Tx) error { return insertCycle(tx, c, encoded) }); err != nil {
		// The files stay: whether the transaction reached the disk is for Resume to see.
		return err
	}
	if err := r.appendEvents(c.Number); err != nil {
		return err
	}
	return r.pruneCheckpoints()
}

// expect refuses a cycle that does not follow the last one.
func (r *Run) expect(number int) error {
	last, _, _, ok, err := r.Last()
	if err != nil {
		return err
	}
	if ok && number != last+1 {
		return fmt.Errorf("cycle %d cannot follow cycle %d", number, last)
	}
	if !ok && number != 0 && number != 1 {
		return fmt.Errorf("cycle %d cannot be the first of a run", number)
	}
	return nil
}

// sorted returns c with designs and episodes in the order in which they are stored, whatever the order in
// which they were made.
func sorted(c spade.Cycle) spade.Cycle {
	c.Designs = slices.SortedStableFunc(slices.Values(c.Designs), func(a, b spade.Design) int {
		return cmp.Compare(a.Slot, b.Slot)
	})
	c.Episodes = slices.SortedStableFunc(slices.Values(c.Episodes), func(a, b spade.Episode) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.EnvID, b.EnvID),
			cmp.Compare(armRank(a.Arm), armRank(b.Arm)), cmp.Compare(a.Index, b.Index))
	})
	return c
}

func armRank(a spade.Arm) int {
	return slices.Index([]spade.Arm{spade.Unhinted, spade.Hinted, spade.Placebo}, a)
}

// stage writes the files of a cycle. Until the cycle is in the database they belong to nobody.
func (r *Run) stage(ctx context.Context, c spade.Cycle, save func(ctx context.Context, dir string) error) error {
	if save != nil {
		if err := r.saveCheckpoint(ctx, c.Number, save); err != nil {
			return err
		}
	}
	files, err := sources(c.Environments)
	if err != nil {
		return err
	}
	if err := writeFiles(r.path(environmentsDir), files); err != nil {
		return err
	}
	if len(c.Episodes) > 0 {
		data, err := encodeEpisodes(c.Episodes)
		if err != nil {
			return fmt.Errorf("%s: %w", r.path(episodesDir, episodesName(c.Number)), err)
		}
		if err := writeFiles(r.path(episodesDir), []file{{episodesName(c.Number), data}}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sources returns the files of environments, each once. It refuses an id that is not that of the source.
func sources(environments []spade.Environment) ([]file, error) {
	var files []file
	seen := map[string]bool{}
	for _, e := range environments {
		if id := spade.ContentID(e.Source); id != e.ID {
			return nil, fmt.Errorf("the id of environment %q should be %s", e.ID, id)
		}
		if !seen[e.ID] {
			seen[e.ID] = true
			files = append(files, file{environmentName(e.ID), []byte(e.Source)})
		}
	}
	return files, nil
}

func (r *Run) saveCheckpoint(ctx context.Context, number int, save func(ctx context.Context, dir string) error) error {
	final := r.path(checkpointsDir, cycleName(number))
	if err := save(ctx, final+temporary); err != nil {
		return fmt.Errorf("saving the weights to %s: %w", final, err)
	}
	if err := syncTree(final + temporary); err != nil {
		return err
	}
	if err := os.Rename(final+temporary, final); err != nil {
		return err
	}
	return syncPath(r.path(checkpointsDir))
}

// transact runs do in one transaction. From here on nothing is interrupted: a cycle is in or out.
func (r *Run) transact(do func(tx *sql.Tx) error) error {
	tx, err := r.db.Begin()
	if err != nil {
		return atPath(r.path(databaseName), err)
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return atPath(r.path(databaseName), err)
	}
	return atPath(r.path(databaseName), tx.Commit())
}

// commitError says what failed and what is safe. The end of the caller's context is no failure of the store, nor
// is what failed at another boundary while the weights were saved.
func (r *Run) commitError(err error, number int) error {
	doing := fmt.Sprintf("committing cycle %d", number)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if known := (*spade.Error)(nil); errors.As(err, &known) && known.Boundary != spade.ByStore {
		return fmt.Errorf("%s: %w", doing, err)
	}
	first := "see to the cause"
	if diskFull(err) {
		first = "free space"
	}
	next := fmt.Sprintf("%s, then spade run --resume --dir %s; %s", first, spade.Quote(r.dir), r.safe())
	return spade.Errorf(spade.ByStore, next, "%s: %w", doing, err)
}

// safe says which cycles are committed.
func (r *Run) safe() string {
	last, _, _, ok, err := r.Last()
	switch {
	case err != nil:
		return "what was committed is safe"
	case !ok:
		return "nothing was committed before"
	}
	return fmt.Sprintf("cycles up to %d are safe", last)
}

// Finish stores the summary of a finished run, as JSON whose form the caller owns. Finishing again replaces
// it; a Commit after it removes it.
func (r *Run) Finish(ctx context.Context, summary []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.writable()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("storing the summary: %w", err)
	}
	err = r.transact(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO summary (id, body) VALUES (1, ?)", summary)
		return err
	})
	if err != nil {
		return storeError(err, "storing the summary", "see to the cause, then spade run --resume --dir "+spade.Quote(r.dir)+"; "+r.safe())
	}
	return nil
}
