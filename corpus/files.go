package corpus

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"spade"
)

// list returns the files of passages below the root of fsys, sorted by path, but for those in hidden folders and in runs.
func list(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || isRun(fsys, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if format(name) == "" {
			return nil
		}
		info, err := fs.Stat(fsys, name) // follows links to files
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// isRun reports whether a folder is that of a run, whose files grow while it is played and are no passages.
func isRun(fsys fs.FS, folder string) bool {
	for _, name := range []string{"config.yaml", "spade.db"} {
		if _, err := fs.Stat(fsys, path.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// format returns the ending that says how a file is read, or "" if it is not read.
func format(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".jsonl", ".txt", ".md":
		return ext
	}
	return ""
}

func openFile(fsys fs.FS, name string) (fs.File, fs.FileInfo, error) {
	if format(name) == "" {
		return nil, nil, spade.Errorf(spade.ByUser, "name a .jsonl, .txt or .md file, or a folder of them",
			"read corpus: %s has an unknown ending", name)
	}
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, spade.Errorf(spade.ByUser, "save it as a file first: passages are read more than once",
			"read corpus: %s is not a regular file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func indexFile(r io.Reader, name string) (index, error) {
	if format(name) == ".jsonl" {
		return indexJSONL(r)
	}
	return indexText(r, format(name) == ".md")
}
