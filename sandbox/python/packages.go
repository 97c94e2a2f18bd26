package python

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// wheelList pins the wheels that environments may import, in the form of sha256sum.
//
//go:embed wheels.txt
var wheelList string

// A wheel is one pinned file.
type wheel struct {
	file, hash string
	// name, version, python, abi and platform are the parts of its file name.
	name, version, python, abi, platform string
}

func parseWheels(list string) ([]wheel, error) {
	var wheels []wheel
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("list of wheels: bad line %q", line)
		}
		parts := strings.Split(strings.TrimSuffix(fields[1], ".whl"), "-")
		if len(parts) != 5 || len(fields[0]) != 2*sha256.Size {
			return nil, fmt.Errorf("list of wheels: bad line %q", line)
		}
		wheels = append(wheels, wheel{fields[1], fields[0], parts[0], parts[1], parts[2], parts[3], parts[4]})
	}
	return wheels, nil
}

// fits reports whether the wheel can be used by an interpreter of this version and machine.
func (w wheel) fits(major, minor int, machine string) bool {
	if w.platform == "any" {
		return true
	}
	return w.python == fmt.Sprintf("cp%d%d", major, minor) && strings.HasSuffix(w.platform, "_"+machine)
}

// downloadTimeout bounds the download of one wheel.
const downloadTimeout = 10 * time.Minute

// Packages returns the folder that holds numpy, sympy, networkx, math-verify and what they need, as unpacked
// wheels. The first call on a machine downloads them with the user's pip, so that the user's index, proxy and
// certificates apply, and keeps them in the user's cache. progress is told before each package and at the end.
// With an error the folder may still name those that there are for this version of Python.
func (in *Interpreter) Packages(ctx context.Context, progress func(done, total int, name string)) (string, error) {
	all, err := parseWheels(wheelList)
	if err != nil {
		return "", err
	}
	var wheels []wheel
	numpy := false
	for _, w := range all {
		if w.fits(in.Major, in.Minor, in.Machine) {
			wheels = append(wheels, w)
			numpy = numpy || w.name == "numpy"
		}
	}
	var lacks error
	if !numpy {
		lacks = fmt.Errorf("numpy is not among the pinned packages for Python %d.%d on %s", in.Major, in.Minor, in.Machine)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("looking for a cache folder: %w", err)
	}
	sum := sha256.Sum256([]byte(wheelList))
	folder := filepath.Join(cache, "spade", fmt.Sprintf("python-%d.%d-%s-%s", in.Major, in.Minor, in.Machine, hex.EncodeToString(sum[:6])))
	if isFolder(folder) {
		return folder, lacks
	}
	if err := in.install(ctx, wheels, folder, progress); err != nil {
		return "", fmt.Errorf("downloading the packages that environments may import: %w", err)
	}
	return folder, lacks
}

// install downloads and unpacks into a folder beside the final one, which then appears at once or not at all.
func (in *Interpreter) install(ctx context.Context, wheels []wheel, folder string, progress func(int, int, string)) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	removeStale(filepath.Dir(folder))
	work, err := os.MkdirTemp(filepath.Dir(folder), "download-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	unpacked := filepath.Join(work, "packages")
	if err := os.Mkdir(unpacked, 0o755); err != nil {
		return err
	}
	for i, w := range wheels {
		progress(i, len(wheels), w.name)
		if err := in.download(ctx, w, work); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := unpack(filepath.Join(work, w.file), w.hash, unpacked); err != nil {
			return fmt.Errorf("%s: %w", w.file, err)
		}
	}
	progress(len(wheels), len(wheels), "")
	in.compile(ctx, unpacked)
	if err := os.Rename(unpacked, folder); err != nil && !isFolder(folder) { // another run may have been faster
		return err
	}
	return nil
}

// removeStale removes what downloads left that were killed a day ago or earlier.
func removeStale(cache string) {
	left, _ := filepath.Glob(filepath.Join(cache, "download-*"))
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(path)
		}
	}
}

// compile writes the byte code of everything in folder, because the jail can write none, and importing sympy
// without it takes longer than an environment may take to load. It executes nothing of the packages. A failure
// costs time only.
func (in *Interpreter) compile(ctx context.Context, folder string) {
	exec.CommandContext(ctx, in.Executable, "-I", "-m", "compileall", "-q", "-j", "0",
		"--invalidation-mode", "unchecked-hash", folder).Run()
}

// download has pip fetch one wheel into folder.
func (in *Interpreter) download(ctx context.Context, w wheel, folder string) error {
	list := filepath.Join(folder, "requirement.txt")
	name := strings.ReplaceAll(w.name, "_", "-")
	requirement := fmt.Sprintf("%s==%s --hash=sha256:%s\n", name, w.version, w.hash)
	if err := os.WriteFile(list, []byte(requirement), 0o600); err != nil {
		return err
	}
	arguments := []string{"download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps",
		"--only-binary=:all:", "--require-hashes", "--implementation", "cp",
		"--python-version", fmt.Sprintf("%d.%d", in.Major, in.Minor), "--platform", "manylinux2014_" + in.Machine,
		"-r", list, "-d", folder}
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	var failure error
	for _, pip := range [][]string{{in.Command, "-m", "pip"}, {"pip3"}, {"pip"}} {
		err := run(ctx, append(pip, arguments...))
		if err == nil {
			return nil
		}
		if failure == nil {
			failure = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failure
}

func run(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	cmd.WaitDelay = time.Second // a wrapper around pip that is ended may leave pip, which holds on to the pipe
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("pip: %w: %.300s", err, lines[len(lines)-1])
	}
	return nil
}

// unpack checks the wheel against its hash and extracts it into folder.
func unpack(file, hash, folder string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return errors.New("the file is not the one that was pinned")
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range archive.File {
		if err := extract(root, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// extract writes one file of a wheel. Names that lead out of the folder are refused by the root.
func extract(root *os.Root, f *zip.File) error {
	if strings.HasSuffix(f.Name, "/") {
		return nil
	}
	if f.Mode().Type() != 0 || !fs.ValidPath(f.Name) {
		return errors.New("not a plain file")
	}
	if err := root.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(f.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
