package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fakeGroups makes a folder that looks like a control group of version 2 which hands nothing on yet, with plain files
// for the kernel's, and a folder like one of /proc for a process in it.
func fakeGroups(t *testing.T, controllers string) (own, proc string) {
	t.Helper()
	root := t.TempDir()
	own, proc = filepath.Join(root, "app.scope"), t.TempDir()
	makeGroup = func(folder string, mode fs.FileMode) error {
		if err := os.Mkdir(folder, mode); err != nil {
			return err
		}
		var err error
		for _, file := range []string{"cgroup.procs", "cgroup.controllers", "cgroup.subtree_control", "memory.max", "pids.max"} {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, file), nil, 0o644))
		}
		return err
	}
	removeGroup = os.RemoveAll
	t.Cleanup(func() { makeGroup, removeGroup = os.Mkdir, os.Remove })
	err := errors.Join(makeGroup(own, 0o755), os.WriteFile(filepath.Join(own, "cgroup.controllers"), []byte(controllers+"\n"), 0o644),
		os.WriteFile(filepath.Join(proc, "cgroup"), []byte("0::/app.scope\n"), 0o644),
		os.WriteFile(filepath.Join(proc, "mountinfo"), fmt.Appendf(nil, "30 20 0:26 / %s rw - cgroup2 cgroup2 rw\n", root), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return own, proc
}

// TestDelegation: we move into a leaf of our group, jails get groups beside it, and in the end all is as it was.
func TestDelegation(t *testing.T) {
	own, proc := fakeGroups(t, "cpu memory pids")
	first, err := newGroupOf(proc, groupName(1<<20), groupLimits{memory: 64 << 20, processes: 7})
	if err != nil {
		t.Fatal(err)
	}
	leaf := filepath.Join(own, leafName())
	for path, want := range map[string]string{
		filepath.Join(leaf, "cgroup.procs"):             strconv.Itoa(os.Getpid()),
		filepath.Join(own, "cgroup.subtree_control"):    "+memory +pids",
		filepath.Join(first.folders[0], "memory.max"):   strconv.Itoa(64 << 20),
		filepath.Join(first.folders[0], "pids.max"):     "7",
		filepath.Join(first.folders[0], "cgroup.procs"): "",
	} {
		if got := setting(path); got != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	// As the kernel tells it from now on.
	if err := os.WriteFile(filepath.Join(proc, "cgroup"), []byte("0::/app.scope/"+leafName()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := newGroupOf(proc, groupName(1<<20+1), groupLimits{memory: 1 << 20, processes: 1})
	if err != nil || filepath.Dir(second.folders[0]) != own {
		t.Fatalf("got %+v, %v", second, err)
	}
	first.remove()
	if !exists(leaf) || exists(filepath.Join(own, groupName(1<<20))) {
		t.Error("the leaf went with the first group, or the group did not")
	}
	second.remove()
	if exists(leaf) || exists(filepath.Join(own, groupName(1<<20+1))) {
		t.Error("a group is left")
	}
	if got := setting(filepath.Join(own, "cgroup.procs")); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("we are not back: %q", got)
	}
	if got := setting(filepath.Join(own, "cgroup.subtree_control")); !strings.HasPrefix(got, "-memory -pids") {
		t.Errorf("controllers are still handed on: %q", got)
	}
}

// TestNotDelegated: where we may not, or the controllers are lacking, nothing is changed and the error says why.
func TestNotDelegated(t *testing.T) {
	for name, test := range map[string]struct{ controllers, readOnly, want string }{
		"no controllers":   {"cpu pids", "", "has not the controllers memory and pids"},
		"others are in it": {"memory pids", "cgroup.subtree_control", "no other process"},
	} {
		t.Run(name, func(t *testing.T) {
			own, proc := fakeGroups(t, test.controllers)
			if test.readOnly != "" { // a folder cannot be written, whoever we are
				path := filepath.Join(own, test.readOnly)
				if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
					t.Fatal(err)
				}
			}
			// Beside it nothing can be made either.
			blocked := filepath.Join(filepath.Dir(own), groupName(1<<20))
			if err := os.WriteFile(blocked, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			g, err := newGroupOf(proc, groupName(1<<20), groupLimits{memory: 1 << 20, processes: 1})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %+v, %v", g, err)
			}
			if exists(filepath.Join(own, leafName())) || delegation.users != 0 {
				t.Error("we are still in a leaf")
			}
		})
	}
}

// TestGroupFix: what a person is told depends on what the machine has.
func TestGroupFix(t *testing.T) {
	for version, want := range map[int]string{0: "Mount", 1: "as root", 2: "Delegate=yes"} {
		if got := groupFix(version); !strings.Contains(got, want) || !strings.Contains(got, "--pids-limit") {
			t.Errorf("version %d: %s", version, got)
		}
	}
}
