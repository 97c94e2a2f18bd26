//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A jail without namespaces has no private root: its own files are in a folder of the host. Its processes can write
// nowhere, because nothing there could bound how much.

// addScratch gives the jail its folder. Where we are root, a jail that drops our rights runs as a user without any,
// which must be able to read Python.
func (s *serverSpec) addScratch(drop bool) error {
	if drop && os.Geteuid() == 0 {
		for _, b := range s.plan.Binds {
			if path := unreachable(b.Path); path != "" {
				return fmt.Errorf("as root, it needs a Python that every user can read, and %s is private", path)
			}
		}
		s.user = unusedID(s.index)
	}
	scratch, err := makeScratch(scratchJail)
	if err != nil {
		return fmt.Errorf("making the jail's folder: %w", err)
	}
	s.scratch = scratch
	if path := unreachable(scratch); path != "" && s.user != 0 {
		return fmt.Errorf("as root, it needs a folder for temporary files that every user can reach, and %s is private", path)
	}
	return s.own(scratch)
}

// The kinds of folders that jails have on the host.
const (
	scratchJail   = "jail"
	scratchGvisor = "gvisor"
)

// makeScratch makes a folder for temporary files. Its name holds our process number, so that the folders of processes
// that were killed can be told.
func makeScratch(kind string) (string, error) {
	return os.MkdirTemp("", fmt.Sprintf("spade-%s-%d-", kind, os.Getpid()))
}

// staleAge is how old a folder must be before it is taken for a dead process's: containers may share the folder for
// temporary files and not the process numbers.
const staleAge = 24 * time.Hour

// removeStaleScratch removes what processes of ours that were killed have left.
func removeStaleScratch() {
	for _, kind := range []string{scratchJail, scratchGvisor} {
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "spade-"+kind+"-*-*"))
		for _, folder := range left {
			var pid int
			if _, err := fmt.Sscanf(filepath.Base(folder), "spade-"+kind+"-%d-", &pid); err != nil || !noProcess(pid) {
				continue
			}
			if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > staleAge {
				os.RemoveAll(folder)
			}
		}
	}
}

// own gives a folder to the user of the jail.
func (s *serverSpec) own(path string) error {
	if s.user == 0 {
		return nil
	}
	return os.Chown(path, s.user, s.user)
}

// unreachable returns the first folder on the way to path that only some users may pass, "" if there is none.
func unreachable(path string) string {
	for folder := filepath.Dir(path); folder != "/"; folder = filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&0o001 == 0 {
			return folder
		}
	}
	return ""
}
