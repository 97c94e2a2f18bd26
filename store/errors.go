package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"spade"
)

// storeError says that the run could not be read or written while doing something. An error that already
// names its boundary keeps it; where next is empty, a full disk has a next step of its own.
func storeError(err error, doing, next string) error {
	if known := (*spade.Error)(nil); errors.As(err, &known) {
		return err
	}
	if next == "" && diskFull(err) {
		next = "free space and try again"
	}
	return spade.Errorf(spade.ByStore, next, "%s: %w", doing, err)
}

// corrupt reports whether err says that the database is none, or is damaged.
func corrupt(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return errors.Is(err, errNoSchema)
	}
	code := failed.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// errNoSchema: the database is an empty one.
var errNoSchema = errors.New("it is empty")

// atPath adds path to an error of SQLite, which names no file.
func atPath(path string, err error) error {
	if known := (*spade.Error)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// diskFull reports whether err says that there is no room left: on the disk, in the user's quota, or under
// the process's limit on the size of a file.
func diskFull(err error) bool {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return true
		}
	}
	var failed *sqlite.Error
	return errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_FULL
}
