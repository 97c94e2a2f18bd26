package python

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spade"
)

func TestFind(t *testing.T) {
	in, err := Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Concat([]string{in.Executable}, in.Folders, in.Files) {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if !slices.ContainsFunc(in.Files, func(f string) bool { return strings.Contains(f, "libc.so") || strings.Contains(f, "ld-musl") }) {
		t.Errorf("no C library among %v", in.Files)
	}
	for _, hidden := range in.Hidden {
		if !slices.ContainsFunc(in.Folders, func(f string) bool { return strings.HasPrefix(hidden, f+"/") }) {
			t.Errorf("%s is not in a folder that is shown", hidden)
		}
	}
}

// TestFindVenv: a virtual environment leads to the interpreter behind it.
func TestFindVenv(t *testing.T) {
	base, err := Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command(base.Executable, "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
		t.Skipf("no virtual environments here: %v: %s", err, out)
	}
	in, err := Find(context.Background(), filepath.Join(folder, "bin", "python3"))
	if err != nil {
		t.Fatal(err)
	}
	if in.Executable != base.Executable || !slices.Equal(in.Folders, base.Folders) {
		t.Errorf("got %s with %v, want %s with %v", in.Executable, in.Folders, base.Executable, base.Folders)
	}
}

func TestFindRefuses(t *testing.T) {
	folder := t.TempDir()
	script := func(name, body string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, path := range map[string]string{
		"no file":    filepath.Join(folder, "none"),
		"fails":      script("fails", "echo broken >&2; exit 1"),
		"not Python": script("chatty", "echo hello"),
		"too old":    script("old", `echo '{"implementation":"cpython","version":[3,9,1]}'`),
		"other":      script("other", `echo '{"implementation":"pypy","version":[3,11,1]}'`),
	} {
		_, err := Find(context.Background(), path)
		var e *spade.Error
		if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWheels: the list is complete for every version and machine that it names.
func TestWheels(t *testing.T) {
	wheels, err := parseWheels(wheelList)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"antlr4_python3_runtime", "latex2sympy2_extended", "math_verify", "mpmath", "networkx", "numpy", "sympy"}
	for _, machine := range []string{"x86_64", "aarch64"} {
		for minor := 10; minor <= 13; minor++ {
			var names []string
			for _, w := range wheels {
				if w.fits(3, minor, machine) {
					names = append(names, w.name)
				}
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("3.%d on %s: %v", minor, machine, names)
			}
		}
	}
	for _, bad := range []string{"x", "00 a-1-py3-none-any.whl", strings.Repeat("0", 64) + " a.whl"} {
		if _, err := parseWheels(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestUnpack(t *testing.T) {
	for _, test := range []struct {
		name, file string
		mode       os.FileMode
		ok         bool
	}{
		{"plain", "a/b.py", 0o644, true},
		{"up", "../b.py", 0o644, false},
		{"up inside", "a/../../b.py", 0o644, false},
		{"absolute", "/b.py", 0o644, false},
		{"link", "a/b.py", 0o777 | os.ModeSymlink, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			file, hash := makeWheel(t, folder, test.file, test.mode)
			into := filepath.Join(folder, "into")
			if err := os.Mkdir(into, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := unpack(file, strings.Repeat("0", 64), into); err == nil {
				t.Error("a wrong hash is accepted")
			}
			err := unpack(file, hash, into)
			if (err == nil) != test.ok {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(filepath.Join(folder, "b.py")); err == nil {
				t.Error("a file was written outside")
			}
			if data, _ := os.ReadFile(filepath.Join(into, "a/b.py")); test.ok && string(data) != "content" {
				t.Errorf("it holds %q", data)
			}
		})
	}
}

// TestPackagesCancelled: who gives up on the download does not wait for what a wrapper around pip has left, and no other
// pip is tried.
func TestPackagesCancelled(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(folder, "cache"))
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	started, other := filepath.Join(folder, "started"), filepath.Join(folder, "other")
	for name, body := range map[string]string{
		"python": "sleep 600 & echo $! > " + started + ".new; mv " + started + ".new " + started + "; wait",
		"pip3":   "touch " + other, "pip": "touch " + other,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := &Interpreter{Command: filepath.Join(folder, "python"), Executable: "/bin/false", Major: 3, Minor: 12, Machine: "x86_64"}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := in.Packages(ctx, func(int, int, string) {})
		ended <- err
	}()
	var pid int
	for pid == 0 {
		text, _ := os.ReadFile(started)
		fmt.Sscan(string(text), &pid)
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it says that all packages are there")
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another pip was tried")
	}
	if left, err := os.FindProcess(pid); err == nil {
		left.Kill()
	}
}

func makeWheel(t *testing.T, folder, name string, mode os.FileMode) (file, hash string) {
	t.Helper()
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	header := &zip.FileHeader{Name: name}
	header.SetMode(mode)
	f, err := w.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("content"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(folder, "x.whl")
	if err := os.WriteFile(file, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data.Bytes())
	return file, hex.EncodeToString(sum[:])
}

// TestPackagesOffline: without pip there is an error and no half-filled folder.
func TestPackagesOffline(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("PATH", "")
	in := &Interpreter{Command: "/bin/false", Executable: "/bin/false", Major: 3, Minor: 12, Machine: "x86_64"}
	told := 0
	if folder, err := in.Packages(context.Background(), func(int, int, string) { told++ }); err == nil || folder != "" {
		t.Errorf("got %q, %v", folder, err)
	}
	if told == 0 {
		t.Error("no progress was told")
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*", "*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
