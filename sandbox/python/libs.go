package python

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries resolves the shared libraries of ELF files as the dynamic loader would, without running anything.
type libraries struct {
	links   map[string]string
	folders []string // the system's library folders
	// inherited are search folders of the executable, which apply to what it loads as well.
	inherited []string
}

func newLibraries(links map[string]string) *libraries {
	folders := configured("/etc/ld.so.conf", 0)
	for _, pattern := range []string{"/lib/*-linux-*", "/usr/lib/*-linux-*"} {
		found, _ := filepath.Glob(pattern)
		folders = append(folders, found...)
	}
	folders = append(folders, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")
	return &libraries{links: links, folders: folders}
}

// configured returns the folders that an ld.so.conf names, following its include lines.
func configured(path string, depth int) []string {
	data, err := os.ReadFile(path)
	if err != nil || depth > 4 {
		return nil
	}
	var folders []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "include":
			pattern := fields[1]
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			included, _ := filepath.Glob(pattern)
			for _, file := range included {
				folders = append(folders, configured(file, depth+1)...)
			}
		case len(fields) == 1:
			folders = append(folders, fields[0])
		}
	}
	return folders
}

// closure returns every library that files need, directly or not, and the loader. Libraries that are not found
// are left out: a module that needs one cannot be imported outside the jail either.
func (l *libraries) closure(files []string) ([]string, error) {
	var found []string
	queue := slices.Clone(files)
	for i := 0; i < len(queue); i++ {
		needed, err := l.needed(queue[i], i == 0)
		if err != nil && i < len(files) {
			return nil, err
		}
		for _, path := range needed {
			if !slices.Contains(queue, path) {
				queue = append(queue, path)
				found = append(found, path)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// needed returns the libraries that the file names itself.
func (l *libraries) needed(path string, first bool) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		var format *elf.FormatError
		if errors.As(err, &format) {
			return nil, nil // a script or the like: it needs no library
		}
		return nil, err
	}
	defer f.Close()
	own := searchPath(f, filepath.Dir(path))
	if first && l.inherited == nil {
		l.inherited = own
	}
	var needed []string
	if loader := loaderOf(f); loader != "" {
		needed = append(needed, l.canonical(loader))
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return nil, nil // statically linked
	}
	for _, name := range names {
		for _, folder := range slices.Concat(own, l.inherited, l.folders) {
			if candidate := filepath.Join(folder, name); fits(candidate, f) {
				needed = append(needed, l.canonical(candidate))
				break
			}
		}
	}
	return needed, nil
}

// searchPath returns the folders that the file itself tells the loader to search.
func searchPath(f *elf.File, origin string) []string {
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, _ := f.DynString(tag)
		for _, value := range values {
			for folder := range strings.SplitSeq(value, ":") {
				folder = strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(folder)
				if filepath.IsAbs(folder) {
					folders = append(folders, filepath.Clean(folder))
				}
			}
		}
	}
	return folders
}

func loaderOf(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				return strings.TrimRight(string(name), "\x00")
			}
		}
	}
	return ""
}

// fits reports whether path is a library for the same processor as f.
func fits(path string, f *elf.File) bool {
	library, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer library.Close()
	return library.Machine == f.Machine && library.Class == f.Class
}

// canonical replaces a leading link of the root folder by what it points to, so that each file has one path.
func (l *libraries) canonical(path string) string {
	for link, target := range l.links {
		if rest, found := strings.CutPrefix(path, link+"/"); found {
			return filepath.Join("/", target, rest)
		}
	}
	return path
}
