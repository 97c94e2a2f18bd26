package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestFindControllers reads what machines of both versions say about themselves.
func TestFindControllers(t *testing.T) {
	for name, test := range map[string]struct {
		groups, mounts string
		want           []controller
	}{
		"version 1": {
			"8:pids:/\n4:memory:/a/b\n0::/\n",
			"30 20 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 20 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
			[]controller{{1, "pids", "/sys/fs/cgroup/pids"}, {1, "memory", "/sys/fs/cgroup/memory/a/b"}},
		},
		"version 2": {
			"0::/user.slice/app.scope\n",
			"30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
			[]controller{{2, "", "/sys/fs/cgroup/user.slice/app.scope"}},
		},
		"a container": {
			"0::/docker/abc/inner\n", "30 20 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup ro\n",
			[]controller{{2, "", "/sys/fs/cgroup/inner"}},
		},
		"a mount of something else": {"0::/x\n", "30 20 0:26 /y /sys/fs/cgroup ro - cgroup2 cgroup ro\n", nil},
		"half and half": {
			"4:memory:/\n0::/x\n",
			"30 20 0:26 / /v1 rw - cgroup cgroup rw,memory\n31 20 0:27 / /v2 rw - cgroup2 cgroup2 rw\n",
			[]controller{{2, "", "/v2/x"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			proc := t.TempDir()
			err := errors.Join(os.WriteFile(filepath.Join(proc, "cgroup"), []byte(test.groups), 0o600),
				os.WriteFile(filepath.Join(proc, "mountinfo"), []byte(test.mounts), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			got, err := findControllers(proc)
			if (err == nil) != (test.want != nil) || len(got) != len(test.want) {
				t.Fatalf("got %+v, %v", got, err)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("got %+v, want %+v", got[i], test.want[i])
				}
			}
		})
	}
}

// TestGroup: the processes of a jail are in a group with limits, and the group goes with the jail.
func TestGroup(t *testing.T) {
	s := open(t, Config{})
	server := s.servers[flavour{}].server
	if server.group == nil {
		t.Skipf("no control groups here: %v", server.groupError)
	}
	p := load(t, s, trivial)
	for _, folder := range server.group.folders {
		procs, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range []int{server.cmd.Process.Pid, p.child.pid} {
			if !strings.Contains("\n"+string(procs), "\n"+strconv.Itoa(pid)+"\n") {
				t.Errorf("process %d is not in %s: %s", pid, folder, procs)
			}
		}
	}
	folders := server.group.folders
	stale := filepath.Join(filepath.Dir(folders[0]), fmt.Sprintf("spade-4194304-%d", os.Getpid())) // of no process: numbers end below
	if err := os.Mkdir(stale, 0o755); err != nil {
		t.Fatal(err)
	}
	removeStaleGroups(filepath.Dir(stale))
	s.Close()
	for _, folder := range append(folders, stale) {
		if exists(folder) {
			t.Errorf("%s is left", folder)
		}
	}
}

// TestGroupLimits: a program that wants more than its group has is ended.
func TestGroupLimits(t *testing.T) {
	g, err := newGroup(groupName(1<<20), groupLimits{memory: 64 << 20, processes: 4})
	if err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	defer g.remove()
	cmd := exec.Command("/usr/bin/python3", "-c", "input(); x = b'x' * (256 << 20)")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.add(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	in.Write([]byte("\n"))
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("got %v", err)
	}
}
