package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"spade"
)

//go:embed schema.sql
var schema string

// schemaVersion is the user_version of the databases that this program writes.
const schemaVersion = 1

// createDatabase opens the database at path to write, with the schema in it. A database that was left without
// cycles by a process that was killed while it created a run is taken as it is.
func createDatabase(path string) (*sql.DB, error) {
	db, err := connect(path, "rwc", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)")
	if err != nil {
		return nil, err
	}
	version, err := readVersion(db)
	if err == nil && version == 0 {
		err = installSchema(db)
	}
	if err == nil {
		err = checkVersion(db, path)
	}
	if err != nil {
		db.Close()
		return nil, atPath(path, err)
	}
	return db, nil
}

func installSchema(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// openDatabase opens the database of an existing run to write.
func openDatabase(path string) (*sql.DB, error) {
	return checked(path)(connect(path, "rw", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)"))
}

// readDatabase opens the database of an existing run to read. SQLite keeps its notes about readers beside the
// database; where that cannot be written and nobody has written since the last tidy close, the file is read as
// one that does not change.
func readDatabase(path string) (*sql.DB, error) {
	if unix.Access(filepath.Dir(path), unix.W_OK) == nil {
		return checked(path)(connect(path, "rw", "query_only(1)"))
	}
	mode := "ro"
	if _, err := os.Stat(path + "-wal"); err != nil {
		mode = "ro&immutable=1"
	}
	return checked(path)(connect(path, mode, "query_only(1)"))
}

// connect opens the database at path. Every connection of the pool runs the pragmas.
func connect(path, mode string, pragmas ...string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	location := url.URL{Scheme: "file", Path: absolute}
	dsn := location.String() + "?mode=" + mode + "&_txlock=immediate&_pragma=busy_timeout(10000)"
	for _, p := range pragmas {
		dsn += "&_pragma=" + p
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, atPath(path, err)
	}
	return db, nil
}

// checked returns a function that refuses a database whose schema this program does not know.
func checked(path string) func(*sql.DB, error) (*sql.DB, error) {
	return func(db *sql.DB, err error) (*sql.DB, error) {
		if err != nil {
			return nil, err
		}
		if err := checkVersion(db, path); err != nil {
			db.Close()
			return nil, atPath(path, err)
		}
		return db, nil
	}
}

func checkVersion(db *sql.DB, path string) error {
	version, err := readVersion(db)
	switch {
	case err != nil:
		return err
	case version > schemaVersion:
		return spade.Errorf(spade.ByUser, "open it with the version of spade that wrote it, or a newer one",
			"%s has schema version %d, this program knows versions up to %d", path, version, schemaVersion)
	case version == 0:
		return errNoSchema
	case version < schemaVersion:
		return spade.Errorf(spade.ByUser, "open it with the version of spade that wrote it",
			"%s has schema version %d, this program knows version %d", spade.Quote(path), version, schemaVersion)
	}
	return nil
}

func readVersion(db *sql.DB) (version int, err error) {
	err = db.QueryRowContext(context.Background(), "PRAGMA user_version").Scan(&version)
	return version, err
}
