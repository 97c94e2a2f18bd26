package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"spade"
)

// Write makes the folder dir, which must not hold anything yet, into a pool of entries in every layout: manifest.json
// with games/gen_NNNN/game_NNNNN_NNN_SKILL.py, environments.jsonl, environments.parquet, and checksums.sha256 over all
// of them. Names within the pool, checksums and sizes are filled in; an entry without an OriginalFileName keeps its
// FileName as that. Equal entries give equal bytes.
//
// A new folder appears whole or not at all: it is called dir.unfinished until it is on the disk, and what a killed process
// left under that name is replaced. A folder that is there and empty is filled where it is, since a shell may stand in it;
// until it is whole, Open refuses it.
func Write(dir string, entries []Entry) error {
	files, err := layOut(entries)
	if err != nil {
		return fmt.Errorf("write the pool %s: %w", dir, err)
	}
	existing, err := os.ReadDir(dir)
	switch {
	case err != nil:
		err = create(filepath.Clean(dir), files)
	case len(existing) > 0:
		return spade.Errorf(spade.ByUser, "name a folder that does not exist yet", "write the pool %s: there are files in it", dir)
	default:
		err = fill(dir, files)
	}
	if err != nil {
		return spade.Errorf(spade.ByUser, "name a folder that can be written, with room", "write the pool %s: %w", dir, err)
	}
	return nil
}

// create makes the folder dir of files.
func create(dir string, files []file) error {
	half := dir + unfinished
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	err := fill(half, files)
	if err == nil {
		err = os.Rename(half, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(half))
	}
	return syncPath(filepath.Dir(dir))
}

// fill writes files into the folder dir and onto the disk: the first, the checksums of the others, before these, so that
// none of them is missed if the machine stops in between.
func fill(dir string, files []file) error {
	for i, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.name))
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if err == nil {
			err = os.WriteFile(at, f.data, 0o644)
		}
		if err == nil && i == 0 {
			err = syncTree(dir)
		}
		if err != nil {
			return err
		}
	}
	return syncTree(dir)
}

// syncTree flushes the folder dir, and everything in it, to the disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// file is one file of a pool; its name is relative to the pool, with slashes.
type file struct {
	name string
	data []byte
}

// layOut returns the files of a pool, its checksums first.
func layOut(entries []Entry) ([]file, error) {
	var files []file
	rows := make([]Entry, len(entries))
	m := manifest{Games: make([]game, len(entries))}
	for i, e := range entries {
		if !utf8.ValidString(e.Code) || !utf8.ValidString(e.Hint) {
			return nil, spade.Errorf(spade.ByUser, "leave it out, or store it as UTF-8", "%s is no UTF-8 text", e.FileName)
		}
		if e.OriginalFileName == "" {
			e.OriginalFileName = e.FileName
		}
		e.GameID = fmt.Sprintf("game_%06d", i)
		e.FileName = fmt.Sprintf("game_%05d_%03d_%s.py", i, e.Slot, slug(e.Skill))
		e.measure()
		at := path.Join("games", fmt.Sprintf("gen_%04d", e.Generation), e.FileName)
		rows[i], m.Games[i] = e, gameOf(e, at)
		m.Summary.count(e, i == 0)
		files = append(files, file{at, []byte(e.Code)})
	}
	head, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	lines, err := encodeLines(rows)
	if err != nil {
		return nil, err
	}
	table, err := encodeParquet(rows)
	if err != nil {
		return nil, err
	}
	files = append(files, file{manifestName, append(head, '\n')}, file{tableName + ".jsonl", lines}, file{tableName + ".parquet", table})
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", checksum(f.data), f.name)
	}
	return slices.Insert(files, 0, file{checksumsName, []byte(sums.String())}), nil
}

func (s *summary) count(e Entry, first bool) {
	s.Games++
	if e.Skill != "" {
		s.WithSkill++
	}
	if e.Hint != "" {
		s.WithHint++
	}
	if first {
		s.StepMin = e.Generation
	}
	s.StepMin, s.StepMax = min(s.StepMin, e.Generation), max(s.StepMax, e.Generation)
}

func encodeLines(rows []Entry) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return nil, fmt.Errorf("%s: %w", row.OriginalFileName, err)
		}
	}
	return b.Bytes(), nil
}

func encodeParquet(rows []Entry) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[Entry](&b,
		parquet.CreatedBy("spade", "1", ""), // not the version of a library: bytes must not change with it
		parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// slug is a skill as part of a file name.
func slug(skill string) string {
	words := strings.FieldsFunc(strings.ToLower(skill), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "environment"
	}
	return strings.Join(words, "_")
}
