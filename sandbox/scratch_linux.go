//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
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
	scratch, err := os.MkdirTemp("", fmt.Sprintf("spade-jail-%d-", os.Getpid()))
	if err != nil {
		return fmt.Errorf("making the jail's folder: %w", err)
	}
	s.scratch = scratch
	if path := unreachable(scratch); path != "" && s.user != 0 {
		os.Remove(scratch)
		return fmt.Errorf("as root, it needs a folder for temporary files that every user can reach, and %s is private", path)
	}
	return s.own(scratch)
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
