package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"spade"
)

// lockRun takes the lock of the run's folder. The kernel gives the lock up with the process, however that
// ends; the file holds the process id for the message that a second process prints.
func lockRun(dir string) (*Run, error) {
	r := &Run{dir: dir}
	f, err := os.OpenFile(r.path(lockName), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, r.storeError(err, "locking the run")
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, r.storeError(&os.PathError{Op: "lock", Path: f.Name(), Err: err}, "locking the run")
		}
		return nil, spade.Errorf(spade.ByUser, "wait for it to end, stop it, or choose another folder",
			"the run in %s is in use by process %s", spade.Quote(dir), holder(f))
	}
	if err := writeHolder(f); err != nil {
		f.Close()
		return nil, r.storeError(err, "locking the run")
	}
	r.lock = f
	return r, nil
}

// tryLock takes the lock unless another process writes. Whoever looks whether one does (Writing) holds a shared lock for
// a moment, so a refusal is asked again before it counts.
func tryLock(f *os.File) error {
	var err error
	for range 5 {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// holder returns the id of the process that wrote the lock file.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if id := strings.TrimSpace(string(text)); err == nil && id != "" {
		return id
	}
	return "(unknown)"
}
