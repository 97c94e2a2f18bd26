package store

import (
	"os"
	"strings"
)

// episodeFiles selects the names of the files of episodes that were committed.
const episodeFiles = "SELECT DISTINCT printf('cycle-%05d.parquet', cycle) FROM episodes"

// sweep removes files that no committed cycle owns: what a killed process left behind, temporary files, and
// checkpoints past their time. Files under other names than ours are left alone.
func (r *Run) sweep() error {
	environments, err := r.committed("SELECT DISTINCT id FROM environments")
	if err != nil {
		return err
	}
	err = r.remove(environmentsDir, func(name string) bool {
		m := environmentFile.FindStringSubmatch(name)
		return m != nil && !environments[m[1]]
	})
	if err != nil {
		return err
	}
	episodes, err := r.committed(episodeFiles)
	if err != nil {
		return err
	}
	err = r.remove(episodesDir, func(name string) bool {
		_, ours := cycleOf(name)
		return ours && !episodes[name]
	})
	if err != nil {
		return err
	}
	return r.pruneCheckpoints()
}

// pruneCheckpoints removes all checkpoints but the last ones that were committed.
func (r *Run) pruneCheckpoints() error {
	kept, err := r.committed("SELECT printf('cycle-%05d', number) FROM cycles WHERE checkpoint <> '' ORDER BY number DESC LIMIT ?",
		keptCheckpoints)
	if err != nil {
		return err
	}
	return r.remove(checkpointsDir, func(name string) bool {
		_, ours := cycleOf(name)
		return ours && !kept[name]
	})
}

// committed returns the names that a query selects.
func (r *Run) committed(query string, args ...any) (map[string]bool, error) {
	rows, err := r.db.Query(query, args...)
	names, err := collect(r, rows, err, func(scan scanner) (name string, err error) { return name, scan(&name) })
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set, err
}

// remove deletes the entries of one of the run's folders that are temporary or that the function selects. A
// removal need not be on the disk at once: what comes back after a power cut is removed again.
func (r *Run) remove(dir string, selects func(name string) bool) error {
	entries, err := os.ReadDir(r.path(dir))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !selects(name) && !isTemporary(name) {
			continue
		}
		if err := os.RemoveAll(r.path(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// isTemporary reports whether name is one of our own with the temporary ending.
func isTemporary(name string) bool {
	stem, ok := strings.CutSuffix(name, temporary)
	if !ok {
		return false
	}
	_, cycle := cycleOf(stem)
	return cycle || environmentFile.MatchString(stem)
}
