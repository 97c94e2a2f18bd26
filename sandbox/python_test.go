package sandbox

import (
	"context"
	"os"
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
	for _, name := range names {
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
