//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// attachMounts opens the binds of the plan here, with our own rights, and marks those in the plan. Root must do
// that, because the jail's user cannot reach a Python under a private home; an ordinary user cannot, and leaves it
// to the jail's first process, which has the same rights.
func (s *server) attachMounts() ([]int, error) {
	if !s.spec.plan.Namespaces || os.Geteuid() != 0 {
		return nil, nil
	}
	users, err := unix.Open(fmt.Sprintf("/proc/%d/ns/user", s.cmd.Process.Pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the jail's user namespace: %w", err)
	}
	defer unix.Close(users)
	var mounts []int
	for i := range s.spec.plan.Binds {
		b := &s.spec.plan.Binds[i]
		fd, err := attachMount(*b, users)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
			return mounts, nil // root of a container without the right to mount
		}
		if err != nil {
			return mounts, err
		}
		b.Attached = true
		mounts = append(mounts, fd)
	}
	return mounts, nil
}

// attachMount opens one bind. Where its files are readable to their owner only, it maps the owner to the jail's
// user if the file system can do that.
func attachMount(b bind, users int) (int, error) {
	if !b.Device && !readableByOthers(b) {
		if fd, err := openTree(b, users); err == nil {
			return fd, nil
		}
	}
	return openTree(b, -1)
}

// readableByOthers looks at a file, or at a folder and what is directly in it.
func readableByOthers(b bind) bool {
	info, err := os.Stat(b.Path)
	if err != nil || info.Mode().Perm()&0o004 == 0 {
		return false
	}
	if !b.Folder {
		return true
	}
	entries, err := os.ReadDir(b.Path)
	if err != nil || info.Mode().Perm()&0o001 == 0 {
		return false
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode().Type() == os.ModeSymlink {
			continue
		}
		if info.Mode().Perm()&0o004 == 0 {
			return false
		}
	}
	return true
}
