package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"spade"
)

// Run is one run on disk. A run from Create or Resume holds the folder's lock and may commit; a run from Open
// only reads. It is safe for concurrent use.
type Run struct {
	dir    string
	config []byte
	db     *sql.DB

	// mu serialises writes. lock is nil in a run that only reads, and once the run is closed.
	mu   sync.Mutex
	lock *os.File
	// failed is the first failure of Commit. What it left behind is for Resume to sort out.
	failed error
}

// Create starts a run in the folder dir, which it creates with its parents, and takes its lock. The bytes of
// config become config.yaml. It fails by the user if the folder holds a run already or is in use.
func Create(dir string, config []byte) (*Run, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, storeError(err, "creating the folder of a run", "name a folder that can be written with --dir")
	}
	r, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	if err := r.create(config); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// create fills the folder. config.yaml comes last: a folder without one holds no run, so a process that is
// killed in between leaves a folder that Create takes up again.
func (r *Run) create(config []byte) error {
	used, err := r.inUse()
	if err != nil {
		return r.storeError(err, "looking into the folder")
	}
	if used {
		return spade.Errorf(spade.ByUser, "pass --resume or choose another folder", "%s already holds a run", r.dir)
	}
	if err := r.makeFolders(); err != nil {
		return r.storeError(err, "creating the run")
	}
	if r.db, err = createDatabase(r.path(databaseName)); err != nil {
		return r.storeError(err, "creating the run")
	}
	files := []file{{eventsName, nil}, {configName, config}}
	if err := writeFiles(r.dir, files); err != nil {
		return r.storeError(err, "creating the run")
	}
	r.config = append([]byte(nil), config...)
	return nil
}

// makeFolders makes the folders that are not there.
func (r *Run) makeFolders() error {
	for _, name := range []string{environmentsDir, episodesDir, checkpointsDir} {
		if err := os.MkdirAll(r.path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// inUse reports whether the folder holds anything that a new run would have to touch.
func (r *Run) inUse() (bool, error) {
	if _, err := os.Lstat(r.path(configName)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	// config.yaml is written last: a creation that was killed may have left an empty events.jsonl behind.
	if info, err := os.Lstat(r.path(eventsName)); err == nil && info.Size() > 0 {
		return true, nil
	}
	for _, name := range []string{environmentsDir, episodesDir, checkpointsDir} {
		entries, err := os.ReadDir(r.path(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if len(entries) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// Resume takes up the run in dir and its lock. It removes what a killed process left of a cycle that was not
// committed, and makes events.jsonl agree with what was. It fails by the user if the folder holds no run, is
// in use, or was written by a newer version of this program.
func Resume(dir string) (*Run, error) {
	if err := requireRun(dir); err != nil {
		return nil, err
	}
	r, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	if err := r.resume(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Run) resume() error {
	var err error
	if r.config, err = os.ReadFile(r.path(configName)); err != nil {
		return r.storeError(err, "resuming the run")
	}
	if r.db, err = openDatabase(r.path(databaseName)); err != nil {
		return r.storeError(err, "resuming the run")
	}
	if err := r.makeFolders(); err != nil {
		return r.storeError(err, "resuming the run")
	}
	if err := r.sweep(); err != nil {
		return r.storeError(err, "removing what was not committed")
	}
	if err := r.repairEvents(); err != nil {
		return r.storeError(err, "repairing "+eventsName)
	}
	return nil
}

// Open reads the run in dir. It takes no lock, and sees each cycle that another process commits meanwhile.
func Open(dir string) (*Run, error) {
	if err := requireRun(dir); err != nil {
		return nil, err
	}
	r := &Run{dir: dir}
	var err error
	if r.config, err = os.ReadFile(r.path(configName)); err != nil {
		return nil, r.storeError(err, "opening the run")
	}
	if r.db, err = readDatabase(r.path(databaseName)); err != nil {
		return nil, r.storeError(err, "opening the run")
	}
	return r, nil
}

func requireRun(dir string) error {
	_, err := os.Stat(filepath.Join(dir, configName))
	if errors.Is(err, fs.ErrNotExist) {
		return spade.Errorf(spade.ByUser, "start one with: spade run --dir "+dir, "there is no run in %s", dir)
	}
	if err != nil {
		return storeError(err, "looking for a run", "")
	}
	return nil
}

// Close closes the run and gives up its lock. Closing twice is allowed.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.db != nil {
		err = r.db.Close()
	}
	if r.lock != nil {
		err = errors.Join(err, r.lock.Close())
		r.lock = nil
	}
	if err != nil {
		return r.storeError(err, "closing the run")
	}
	return nil
}

// SetConfig replaces config.yaml. What of a configuration may change is for the caller to know.
func (r *Run) SetConfig(config []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.writable()
	if err == nil {
		err = writeFiles(r.dir, []file{{configName, config}})
	}
	if err != nil {
		return r.storeError(err, "recording the configuration")
	}
	r.config = append([]byte(nil), config...)
	return nil
}

// Config returns the bytes of config.yaml.
func (r *Run) Config() []byte { return append([]byte(nil), r.config...) }

// Dir returns the folder of the run, as it was given.
func (r *Run) Dir() string { return r.dir }

func (r *Run) path(elements ...string) string {
	return filepath.Join(append([]string{r.dir}, elements...)...)
}

// storeError is storeError with the one next step that helps with a run that exists.
func (r *Run) storeError(err error, doing string) error {
	return storeError(err, fmt.Sprintf("%s (%s)", doing, r.dir), "")
}
