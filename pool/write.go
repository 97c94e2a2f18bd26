package pool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
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
func Write(dir string, entries []Entry) error {
	files, err := layOut(entries)
	if err != nil {
		return fmt.Errorf("write the pool %s: %w", dir, err)
	}
	if existing, err := os.ReadDir(dir); err == nil && len(existing) > 0 {
		return spade.Errorf(spade.ByUser, "name a folder that does not exist yet", "write the pool %s: there are files in it", dir)
	}
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.name))
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if err == nil {
			err = os.WriteFile(at, f.data, 0o644)
		}
		if err != nil {
			return spade.Errorf(spade.ByUser, "name a folder that can be written, with room", "write the pool %s: %w", dir, err)
		}
	}
	return nil
}

// file is one file of a pool; its name is relative to the pool, with slashes.
type file struct {
	name string
	data []byte
}

// layOut returns the files of a pool.
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
	return append(files, file{checksumsName, []byte(sums.String())}), nil
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
