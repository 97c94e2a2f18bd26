package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

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
	err := os.MkdirAll(dir, 0o755)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, spade.Errorf(spade.ByUser, "name a folder with --dir, not a file", "creating the folder of a run: %w", err)
	}
	if err != nil {
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
		return spade.Errorf(spade.ByUser, "pass --resume or choose another folder", "%s already holds a run", spade.Quote(r.dir))
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
	if err := r.checkWhole(); err != nil {
		return err
	}
	if err := r.makeFolders(); err != nil {
		return r.storeError(err, "resuming the run")
	}
	if err := r.sweep(); err != nil {
		return r.storeError(err, "removing what was not committed")
	}
	return r.repairEvents()
}

// checkWhole refuses to go on with a run that has lost something, before anything in it is changed.
func (r *Run) checkWhole() error {
	var verdict string
	if err := r.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return r.readError(err)
	}
	if verdict != "ok" {
		return spade.Errorf(spade.ByStore, r.withoutDatabase(), "resuming the run: %s is damaged (%s)", spade.Quote(r.path(databaseName)), verdict)
	}
	if err := r.checkNewest(); err != nil {
		return err
	}
	missing, err := r.Missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	more := ""
	if len(missing) > 3 {
		more = fmt.Sprintf(" and %d more (spade show lists them)", len(missing)-3)
		missing = missing[:3]
	}
	return spade.Errorf(spade.ByStore, "put the files back from a copy; without one, "+r.startAgain(),
		"resuming the run: %s%s", strings.Join(missing, "; "), more)
}

// checkNewest refuses a database that is older than the files beside it, which would be removed as those of a cycle
// that was not committed. A killed process leaves those of one cycle only.
func (r *Run) checkNewest() error {
	last, _, _, _, err := r.Last()
	if err != nil {
		return err
	}
	for _, dir := range []string{episodesDir, checkpointsDir} {
		entries, err := os.ReadDir(r.path(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return r.storeError(err, "resuming the run")
		}
		for _, entry := range entries {
			if number, ours := cycleOf(entry.Name()); ours && number > last+1 {
				return spade.Errorf(spade.ByStore, "put the newest "+databaseName+" back, or move what is newer than it out of the run's folder",
					"resuming the run: %s knows cycles up to %d, but there is %s", spade.Quote(r.path(databaseName)), last,
					spade.Quote(r.path(dir, entry.Name())))
			}
		}
	}
	return nil
}

// startAgain names a way on for a run that cannot be resumed.
func (r *Run) startAgain() string {
	saved, _ := filepath.Glob(filepath.Join(r.dir, checkpointsDir, "cycle-*[0-9]"))
	if len(saved) == 0 {
		return "start a new run in another folder"
	}
	return "begin a new run with the last weights: spade run --policy local:" + spade.Quote(saved[len(saved)-1])
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
	r := &Run{dir: dir}
	_, err := os.Stat(r.path(configName))
	_, errDatabase := os.Stat(r.path(databaseName))
	used := false
	if errors.Is(err, fs.ErrNotExist) { // or a creation was killed, and nothing is lost
		used, _ = r.inUse()
	}
	switch {
	case used:
		return spade.Errorf(spade.ByStore, "put the file back from a copy: a run goes on under the configuration that it began with",
			"%s is missing from the run in %s", configName, spade.Quote(dir))
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return spade.Errorf(spade.ByUser, "name the folder of a run, or start one there with: spade run --dir "+spade.Quote(dir),
			"there is no run in %s", spade.Quote(dir))
	case err == nil && errors.Is(errDatabase, fs.ErrNotExist):
		return spade.Errorf(spade.ByStore, r.withoutDatabase(), "%s is missing from the run in %s", databaseName, spade.Quote(dir))
	case err != nil:
		return storeError(err, "looking for a run", "make the folder readable for you")
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

// storeError is storeError with the next step that helps with a run that exists.
func (r *Run) storeError(err error, doing string) error {
	doing = fmt.Sprintf("%s (%s)", doing, spade.Quote(r.dir))
	if corrupt(err) {
		return spade.Errorf(spade.ByStore, r.withoutDatabase(), "%s: %s is damaged (%w)", doing, spade.Quote(r.path(databaseName)), err)
	}
	next := ""
	if errors.Is(err, fs.ErrPermission) {
		next = "make the folder and what is in it readable and writable for you"
	}
	return storeError(err, doing, next)
}

// withoutDatabase says what can be done about a run whose database is lost.
func (r *Run) withoutDatabase() string {
	next := "put " + databaseName + " back from a copy, since no other file holds all that is in it"
	return next + "; without one, " + r.startAgain()
}
