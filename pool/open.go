package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"spade"
)

// Layout says how a pool is laid out. The set is closed.
type Layout string

const (
	// Manifest is a folder with manifest.json and the Python files that it names.
	Manifest Layout = "manifest"
	// JSONLines and Parquet are tables with the public columns, as one file or as a folder of such files.
	JSONLines Layout = "jsonl"
	Parquet   Layout = "parquet"
	// Files is a folder of Python files, at any depth, with hints in NAME.hint.txt beside NAME.py.
	Files Layout = "files"
)

// Pool is a set of environments that was read.
type Pool struct {
	Layout Layout
	// Entries are in the order of the manifest or table, Python files in the order of their names.
	Entries []Entry
	// Verified is the number of files whose checksum was compared and is right.
	Verified int
}

// Open reads the pool at path in whatever layout it has: of those that a folder has, the first of manifest, Parquet,
// JSON lines and Python files. Where a folder has checksums.sha256, all files that it names are verified, and where a
// row has a sha256, its code is. Errors are the user's and name the file.
func Open(path string) (Pool, error) {
	p, err := open(path)
	if err != nil {
		return Pool{}, spade.Errorf(spade.ByUser,
			"name a folder with manifest.json, a .parquet or .jsonl file, or a folder of .py files, complete and unchanged",
			"read the pool %s: %w", path, err)
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		if sum := checksum([]byte(e.Code)); e.SHA256 != "" && !strings.EqualFold(e.SHA256, sum) {
			return Pool{}, spade.Errorf(spade.ByUser, "fetch the file again", "read the pool %s: %s has the checksum %s, not %s",
				path, e.FileName, sum, e.SHA256)
		}
		e.measure()
	}
	return p, nil
}

func open(path string) (Pool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Pool{}, err
	}
	if !info.IsDir() {
		switch filepath.Ext(path) {
		case ".jsonl":
			entries, err := readLines(path)
			return Pool{Layout: JSONLines, Entries: entries}, err
		case ".parquet":
			entries, err := readParquet(path)
			return Pool{Layout: Parquet, Entries: entries}, err
		}
		return Pool{}, errors.New("it is no .parquet and no .jsonl file")
	}
	verified, err := verify(path)
	if err != nil {
		return Pool{}, err
	}
	p, err := openFolder(path)
	p.Verified = verified
	return p, err
}

func openFolder(dir string) (Pool, error) {
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		entries, err := readManifest(dir)
		return Pool{Layout: Manifest, Entries: entries}, err
	}
	found := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != dir && strings.HasSuffix(path, unfinished) {
			return fs.SkipDir
		}
		if err == nil && entry.Type().IsRegular() {
			found[filepath.Ext(path)] = append(found[filepath.Ext(path)], path)
		}
		return err
	})
	if err != nil {
		return Pool{}, err
	}
	for _, layout := range []struct {
		Layout
		extension string
		read      func(path string) ([]Entry, error)
	}{{Parquet, ".parquet", readParquet}, {JSONLines, ".jsonl", readLines}, {Files, ".py", readPython}} {
		files := found[layout.extension]
		if len(files) == 0 || (layout.Layout == JSONLines && len(found[".py"]) > 0) { // notes beside the files
			continue
		}
		p := Pool{Layout: layout.Layout}
		for _, file := range files {
			entries, err := layout.read(file)
			if err != nil {
				return Pool{}, err
			}
			p.Entries = append(p.Entries, entries...)
		}
		return p, nil
	}
	return Pool{}, errors.New("there is no environment in it")
}

// readLines reads a table of JSON lines; columns that it has beyond ours are passed over.
func readLines(path string) ([]Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		if e.Code == "" {
			return nil, fmt.Errorf("%s, line %d: the column code is missing", path, number)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// readParquet reads a Parquet table. Columns that it lacks are left empty.
func readParquet(path string) ([]Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, ok := file.Schema().Lookup("code"); !ok {
		return nil, fmt.Errorf("%s: the column code is missing", path)
	}
	reader := parquet.NewGenericReader[Entry](file)
	defer reader.Close()
	entries := make([]Entry, file.NumRows())
	for read := 0; read < len(entries); {
		n, err := reader.Read(entries[read:])
		read += n
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if n == 0 {
			return nil, fmt.Errorf("%s: %w", path, io.ErrUnexpectedEOF)
		}
	}
	return entries, nil
}

// published matches the names of files in public pools, which end in the skill: game_0000_state_modification.py.
var published = regexp.MustCompile(`^game_\d+(?:_\d+)?_(.+)\.py$`)

// readPython reads one Python file, with its hint if there is one beside it.
func readPython(path string) ([]Entry, error) {
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	e := Entry{GameID: strings.TrimSuffix(name, ".py"), FileName: name, OriginalFileName: name, Code: string(code)}
	if parts := published.FindStringSubmatch(name); parts != nil {
		e.Skill = parts[1]
	}
	hint, err := os.ReadFile(strings.TrimSuffix(path, ".py") + ".hint.txt")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e.Hint = strings.TrimSpace(string(hint))
	return []Entry{e}, nil
}

// verify compares the files that checksums.sha256 names with it, and returns their number; 0 if there is no such file.
func verify(dir string) (int, error) {
	list, err := os.ReadFile(filepath.Join(dir, checksumsName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	verified := 0
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		sum, name, ok := strings.Cut(line, " ")
		name = strings.TrimLeft(name, " *")
		if !ok || !filepath.IsLocal(name) {
			return 0, fmt.Errorf("%s: %q is no checksum of a file in the pool", checksumsName, line)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		if got := checksum(data); !strings.EqualFold(got, sum) {
			return 0, fmt.Errorf("%s has the checksum %s, not %s", name, got, sum)
		}
		verified++
	}
	return verified, nil
}

// Skills counts the entries by skill; names are in order.
func (p Pool) Skills() (names []string, counts map[string]int) {
	counts = map[string]int{}
	for _, e := range p.Entries {
		if counts[e.Skill] == 0 {
			names = append(names, e.Skill)
		}
		counts[e.Skill]++
	}
	slices.Sort(names)
	return names, counts
}
