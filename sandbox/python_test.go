package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestInterpreters runs an environment on every Python of this machine that is new enough.
func TestInterpreters(t *testing.T) {
	names := []string{"/usr/bin/python3"}
	home, _ := os.UserHomeDir()
	for _, pattern := range []string{
		home + "/.pyenv/versions/3.1[0-9].*/bin/python3", home + "/.local/share/uv/python/cpython-3.1*/bin/python3",
		home + "/miniconda3/bin/python3", "/opt/conda/bin/python3",
	} {
		found, _ := filepath.Glob(pattern)
		names = append(names, found...)
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		found, _ := filepath.Glob(filepath.Join(folder, "python3.[0-9]*"))
		for _, path := range found {
			var minor int
			if n, err := fmt.Sscanf(filepath.Base(path), "python3.%d", &minor); n == 1 && err == nil && minor >= 10 &&
				filepath.Base(path) == fmt.Sprintf("python3.%d", minor) && answers(path) { // not python3.12-config
				names = append(names, path)
			}
		}
	}
	tried := map[string]bool{}
	for _, name := range names {
		if real, err := filepath.EvalSymlinks(name); err != nil || tried[real+filepath.Base(name)] {
			continue
		} else {
			tried[real+filepath.Base(name)] = true
		}
		if _, err := os.Stat(name); err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), Config{Python: name})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			i := instance(t, load(t, s, everyModule))
			got, fault, err := i.Reset(t.Context(), 1)
			if fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			if got.Text != "all there" {
				t.Errorf("modules that do not load in the jail: %s", got.Text)
			}
		})
	}
}

// answers reports whether a program is a Python that runs. A shim for versions that are not installed is none.
func answers(path string) bool { return exec.Command(path, "-c", "").Run() == nil }

const everyModule = `
import importlib
class ModulesEnv:
    def reset(self, seed=None):
        bad = []
        for name in ("ctypes decimal datetime hashlib lzma bz2 zlib sqlite3 ssl unicodedata array cmath csv difflib fractions "
                     "heapq json math pickle random statistics string struct threading uuid zoneinfo asyncio queue "
                     "textwrap typing secrets tempfile inspect traceback").split():
            try:
                importlib.import_module(name)
            except Exception as e:
                bad.append(f"{name}: {e}")
        return ", ".join(bad) or "all there", {}
    def step(self, action):
        return "", 0.0, True, False, {}
`
