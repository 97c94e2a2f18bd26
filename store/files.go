package store

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// The names in a run's folder.
const (
	configName      = "config.yaml"
	databaseName    = "spade.db"
	eventsName      = "events.jsonl"
	scalarsName     = "events.out.tfevents.spade"
	lockName        = "lock"
	environmentsDir = "environments"
	episodesDir     = "episodes"
	checkpointsDir  = "checkpoints"
)

// temporary ends the names of files that are being written.
const temporary = ".tmp"

var (
	environmentFile = regexp.MustCompile(`^([0-9a-f]{16})\.py$`)
	cycleFile       = regexp.MustCompile(`^cycle-(\d{5,})(?:\.parquet)?$`)
)

func environmentName(id string) string { return id + ".py" }

func cycleName(number int) string { return fmt.Sprintf("cycle-%05d", number) }

func episodesName(number int) string { return cycleName(number) + ".parquet" }

// cycleOf returns the cycle that a file of episodes or a checkpoint is named after.
func cycleOf(name string) (int, bool) {
	m := cycleFile.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// file is a file to write: its name within a folder, and what goes into it.
type file struct {
	name string
	data []byte
}

// writeFiles writes files into the folder dir so that each appears whole or not at all, in order, and is on
// the disk when it returns. A file that is there with the same content is left alone. All are written before
// the first is synced, so that one flush of the disk serves them all.
func writeFiles(dir string, files []file) error {
	var pending []file
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.data) {
			continue
		}
		if err := os.WriteFile(path+temporary, f.data, 0o644); err != nil {
			return err
		}
		pending = append(pending, f)
	}
	for _, f := range pending {
		if err := syncPath(filepath.Join(dir, f.name+temporary)); err != nil {
			return err
		}
	}
	for _, f := range pending {
		path := filepath.Join(dir, f.name)
		if err := os.Rename(path+temporary, path); err != nil {
			return err
		}
	}
	return syncPath(dir)
}

// syncPath flushes a file or a folder to the disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// syncTree flushes everything in the folder dir, and dir itself.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		return syncPath(path)
	})
}
