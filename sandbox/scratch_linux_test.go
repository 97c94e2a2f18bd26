package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestScratchIsRemoved: a jail that could not be started leaves no folder, and neither does one whose spade was killed the
// day before.
func TestScratchIsRemoved(t *testing.T) {
	const nobody, nobodyNew = 4194304, 4194305 // no processes: numbers end below
	for _, tier := range []string{"degraded", "gvisor"} {
		t.Run(tier, func(t *testing.T) {
			folder := publicFolder(t)
			t.Setenv("TMPDIR", folder)
			var want []string
			for _, pid := range []int{nobody, nobodyNew, os.Getpid()} {
				for _, kind := range []string{"jail", "gvisor"} {
					left := filepath.Join(folder, fmt.Sprintf("spade-%s-%d-1", kind, pid))
					if err := os.MkdirAll(filepath.Join(left, "files"), 0o755); err != nil {
						t.Fatal(err)
					}
					if pid != nobodyNew {
						if err := os.Chtimes(left, time.Time{}, time.Now().Add(-25*time.Hour)); err != nil {
							t.Fatal(err)
						}
					}
					if pid != nobody {
						want = append(want, filepath.Base(left))
					}
				}
			}
			s := open(t, tiers[tier])
			own := filepath.Base(s.servers[flavour{}].server.spec.scratch)
			python := *s.interpreter
			s.interpreter.Executable = "/no/such/python"
			if _, err := s.server(t.Context(), flavour{alternate: true}); err == nil {
				t.Error("a server starts without Python")
			}
			*s.interpreter = python
			s.interpreter.Folders = append(slices.Clone(python.Folders), "/no/such/folder")
			s.interpreter.Hidden = []string{"/no/such/folder/hidden"}
			if _, err := s.server(t.Context(), flavour{alternate: true}); err == nil {
				t.Error("a server starts with a folder that is not there")
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, entry := range entries {
				left = append(left, entry.Name())
			}
			want = append(want, own)
			slices.Sort(want)
			if !slices.Equal(left, want) {
				t.Errorf("the folder holds %v, want %v", left, want)
			}
		})
	}
}
