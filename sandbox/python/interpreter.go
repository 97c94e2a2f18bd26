package python

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"spade"
)

// An Interpreter is a CPython installation and what of the host must be visible for it to run.
type Interpreter struct {
	// Command is how it was asked for, with virtual environment and all; pip is run through it.
	Command string
	// Executable is the real binary, free of symbolic links.
	Executable string
	// Major and Minor are its version; Version is the whole, for example "3.12.1".
	Major, Minor int
	Version      string
	// Machine is the processor that it was built for, as in the names of wheels: "x86_64" or "aarch64".
	Machine string
	// Folders are the standard library's; Files are the binary, its shared libraries and the loader's cache.
	Folders, Files []string
	// Hidden are folders inside Folders that hold the user's own packages.
	Hidden []string
	// Links are symbolic links of the root folder that paths of Files go through.
	Links map[string]string

	libraries *libraries
}

//go:embed query.py
var query string

// answer is what query.py prints.
type answer struct {
	Implementation string   `json:"implementation"`
	Version        []int    `json:"version"`
	Executable     string   `json:"executable"`
	Machine        string   `json:"machine"`
	Folders        []string `json:"folders"`
	Platform       string   `json:"platform"`
}

const installHint = "Install Python 3.10 or newer, or put the folder of one that you have first on PATH."

// askTime is how long an interpreter may take to tell about itself: a script in its place may never answer.
const askTime = 30 * time.Second

// Find asks the interpreter called name (a path or a command; "" is python3) about itself. Its errors are
// [spade.Error] by the machine, or by the user if name was given.
func Find(ctx context.Context, name string) (*Interpreter, error) {
	boundary := spade.ByUser
	if name == "" {
		boundary, name = spade.ByMachine, "python3"
	}
	command, err := exec.LookPath(name)
	if err != nil {
		return nil, spade.Errorf(boundary, installHint, "looking for Python: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	a, err := ask(ctx, command)
	if err != nil {
		return nil, spade.Errorf(boundary, installHint, "asking %s about itself: %w", command, err)
	}
	if a.Implementation != "cpython" || len(a.Version) < 3 || a.Version[0] != 3 || a.Version[1] < 10 {
		return nil, spade.Errorf(boundary, installHint, "%s is %s %v; environments need CPython 3.10 or newer",
			command, a.Implementation, a.Version)
	}
	in := &Interpreter{
		Command:    command,
		Executable: a.Executable,
		Major:      a.Version[0],
		Minor:      a.Version[1],
		Version:    fmt.Sprintf("%d.%d.%d", a.Version[0], a.Version[1], a.Version[2]),
		Machine:    a.Machine,
		Folders:    a.Folders,
	}
	for _, folder := range a.Folders {
		for _, packages := range []string{"site-packages", "dist-packages"} {
			if path := filepath.Join(folder, packages); isFolder(path) {
				in.Hidden = append(in.Hidden, path)
			}
		}
	}
	if a.Platform != "linux" {
		return in, nil // there is no jail to show files in
	}
	if err := in.findLibraries(); err != nil {
		return nil, spade.Errorf(boundary, installHint, "following the shared libraries of %s: %w", a.Executable, err)
	}
	return in, nil
}

func ask(ctx context.Context, command string) (answer, error) {
	var a answer
	cmd := exec.CommandContext(ctx, command, "-I", "-c", query)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(complaint.String()); text != "" {
			err = fmt.Errorf("%w: %.300s", err, text)
		}
		return a, err
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return a, fmt.Errorf("reading its answer %.100q: %w", out, err)
	}
	return a, nil
}

func (in *Interpreter) findLibraries() error {
	in.Links = rootLinks()
	in.libraries = newLibraries(in.Links)
	files := []string{in.Executable}
	for _, folder := range in.Folders {
		files = append(files, extensions(folder)...)
	}
	needed, err := in.libraries.closure(files)
	if err != nil {
		return err
	}
	in.Files = append([]string{in.Executable}, needed...)
	if cache := "/etc/ld.so.cache"; isFile(cache) {
		in.Files = append(in.Files, cache)
	}
	return nil
}

// Needed returns the shared libraries that the extension modules under folder need beyond those in Files.
func (in *Interpreter) Needed(folder string) ([]string, error) {
	var modules []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".so") {
			modules = append(modules, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return in.libraries.closure(modules)
}

// rootLinks returns the library folders of the root that are symbolic links, as on most systems since they merged
// /lib into /usr/lib.
func rootLinks() map[string]string {
	links := map[string]string{}
	for _, path := range []string{"/lib", "/lib64"} {
		if target, err := os.Readlink(path); err == nil {
			links[path] = target
		}
	}
	return links
}

// extensions returns the standard library's extension modules in folder.
func extensions(folder string) []string {
	direct, _ := filepath.Glob(filepath.Join(folder, "*.so"))
	dynload, _ := filepath.Glob(filepath.Join(folder, "lib-dynload", "*.so"))
	return append(direct, dynload...)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
