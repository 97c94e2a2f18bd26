//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// jailName is argv[0] of the first process of a jail.
	jailName = "spade-jail"
	// Descriptors of the first process and of the fork server that it becomes.
	controlFD = 3
	procFD    = 4
	// maxPlan bounds the plan, in bytes; it must fit into one message.
	maxPlan = 192 << 10
)

// Init takes the process over if it was started to become a jail, and returns otherwise. It must be the first
// call of main, and of TestMain in packages whose tests open a sandbox.
func Init() {
	if len(os.Args) != 1 || os.Args[0] != jailName {
		return
	}
	layer, err := becomeServer()
	// Only a failure comes back: otherwise the process is the fork server now.
	var errno unix.Errno
	errors.As(err, &errno)
	report := mustJSON(buildReport{Layer: layer, Error: err.Error(), Errno: int(errno), Profile: profile()})
	if err := unix.Sendto(controlFD, report, unix.MSG_NOSIGNAL, nil); err != nil {
		os.Stderr.Write(report)
	}
	os.Exit(1)
}

// becomeServer builds the jail around this process and executes the fork server in it. It names the layer that
// failed.
func becomeServer() (layer string, err error) {
	p, mounts, err := receivePlan()
	if err != nil {
		return layerUser, err
	}
	unix.Umask(0o022)
	if p.Namespaces {
		if err := buildRoot(p, mounts); err != nil {
			return layerMount, err
		}
	} else if err := writeFiles(p.Home, p.Files); err != nil {
		return layerMount, err
	}
	kept := controlFD
	if p.Namespaces {
		kept = procFD
	}
	if err := unix.CloseRange(uint(kept)+1, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return layerSeccomp, fmt.Errorf("closing descriptors: %w", err)
	}
	return layerMount, fmt.Errorf("executing %s: %w", p.Argv[0], syscall.Exec(p.Argv[0], p.Argv, p.Env))
}

func receivePlan() (plan, []int, error) {
	var p plan
	data := make([]byte, maxPlan)
	control := make([]byte, unix.CmsgSpace(4*maxMounts))
	n, oobn, _, _, err := unix.Recvmsg(controlFD, data, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return p, nil, fmt.Errorf("receiving the plan: %w", err)
	}
	var mounts []int
	messages, err := unix.ParseSocketControlMessage(control[:oobn])
	if err != nil {
		return p, nil, fmt.Errorf("receiving mounts: %w", err)
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return p, nil, fmt.Errorf("receiving mounts: %w", err)
		}
		mounts = append(mounts, fds...)
	}
	if err := json.Unmarshal(data[:n], &p); err != nil {
		return p, nil, fmt.Errorf("reading the plan: %w", err)
	}
	return p, mounts, nil
}

// rootMountPoint is where the new root is mounted before it becomes the root. Whatever the host has there was
// opened before, so nothing is hidden from us.
const rootMountPoint = "/tmp"

// buildRoot makes a read-only root that holds the binds of p, its files and nothing else, and moves into it.
func buildRoot(p plan, mounts []int) error {
	proc, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening /proc: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	trees := make([]int, len(p.Binds))
	for i, b := range p.Binds {
		if b.Attached {
			trees[i], mounts = mounts[0], mounts[1:]
		} else if trees[i], err = openTree(b, -1); err != nil {
			return err
		}
	}
	err = unix.Mount("tmpfs", rootMountPoint, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=2m,nr_inodes=2048,mode=755")
	if err != nil {
		return fmt.Errorf("mounting the root: %w", err)
	}
	if err := fillRoot(p, trees); err != nil {
		return err
	}
	if err := enterRoot(); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte("spade")); err != nil {
		return fmt.Errorf("setting the host name: %w", err)
	}
	// Instances map their user ids through this descriptor and close it before any code of theirs runs.
	return unix.Dup3(proc, procFD, 0)
}

func fillRoot(p plan, trees []int) error {
	for _, l := range p.Links {
		if err := os.Symlink(l.Target, rootMountPoint+l.Path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(rootMountPoint+p.Tmp, 0o755); err != nil {
		return err
	}
	for i, b := range p.Binds {
		target := rootMountPoint + b.Path
		if err := makeMountPoint(target, b.Folder); err != nil {
			return fmt.Errorf("showing %s: %w", b.Path, err)
		}
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("showing %s: %w", b.Path, err)
		}
		unix.Close(trees[i])
	}
	for _, path := range p.Masks {
		err := unix.Mount("tmpfs", rootMountPoint+path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "size=4k,mode=755")
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("hiding %s: %w", path, err)
		}
	}
	return writeFiles(rootMountPoint+p.Home, p.Files)
}

func makeMountPoint(path string, folder bool) error {
	if folder {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

func writeFiles(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func enterRoot() error {
	const old = "/.old"
	if err := os.Mkdir(rootMountPoint+old, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(rootMountPoint, rootMountPoint+old); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Unmount(old, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the old root: %w", err)
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	flags := uintptr(unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV)
	if err := unix.Mount("", "/", "", flags, ""); err != nil {
		return fmt.Errorf("making the root read-only: %w", err)
	}
	return nil
}

// maxMounts is how many descriptors one message can carry.
const maxMounts = 253

// openTree returns a detached, read-only copy of the mount of b. If users is the descriptor of a user namespace,
// files appear with their owners mapped through it.
func openTree(b bind, users int) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, b.Path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("opening %s: %w", b.Path, err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if !b.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if users >= 0 {
		attr.Attr_set |= unix.MOUNT_ATTR_IDMAP
		attr.Userns_fd = uint64(users)
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("making %s read-only: %w", b.Path, err)
	}
	return fd, nil
}
