//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// In version 2 a control group holds processes or hands controllers on to groups below it, never both. Where our own
// group is delegated to us and nobody else is in it, we move into a leaf of it while jails have groups there.

// delegatedControllers are those that the groups of jails need.
var delegatedControllers = []string{"memory", "pids"}

// delegation is the group that we have left for a leaf of it.
var delegation struct {
	mu sync.Mutex
	// users counts the groups below it; 0 says that we are in it.
	users int
	own   string
}

// leafName names the leaf that we ourselves are in; jails have higher numbers.
func leafName() string { return groupName(0) }

// handOn has the group own hand its controllers on to the groups below it, and counts one more of them.
func handOn(own string) error {
	delegation.mu.Lock()
	defer delegation.mu.Unlock()
	if delegation.users > 0 && delegation.own == own {
		delegation.users++
		return nil
	}
	if handsOn(own, "cgroup.subtree_control") {
		return nil // whoever did it undoes it
	}
	if !handsOn(own, "cgroup.controllers") {
		return fmt.Errorf("%s has not the controllers %s, only %q", own, strings.Join(delegatedControllers, " and "),
			setting(filepath.Join(own, "cgroup.controllers")))
	}
	leaf := filepath.Join(own, leafName())
	if err := makeGroup(leaf, 0o755); err != nil {
		return err
	}
	err := writeSetting(leaf, "cgroup.procs", strconv.Itoa(os.Getpid()))
	if err == nil {
		err = writeSetting(own, "cgroup.subtree_control", "+"+strings.Join(delegatedControllers, " +"))
	}
	if err != nil {
		goBack(own)
		return fmt.Errorf("handing on controllers, which needs a group that no other process is in: %w", err)
	}
	delegation.users, delegation.own = 1, own
	return nil
}

// handBack counts one less; with the last one we go back.
func handBack(own string) {
	delegation.mu.Lock()
	defer delegation.mu.Unlock()
	if delegation.users == 0 || delegation.own != own {
		return
	}
	if delegation.users--; delegation.users == 0 {
		writeSetting(own, "cgroup.subtree_control", "-"+strings.Join(delegatedControllers, " -"))
		goBack(own)
	}
}

// goBack moves us from the leaf into own, where we have been.
func goBack(own string) {
	if writeSetting(own, "cgroup.procs", strconv.Itoa(os.Getpid())) == nil {
		removeGroup(filepath.Join(own, leafName()))
	}
}

// handsOn reports whether a file of a group names all controllers that jails need.
func handsOn(folder, file string) bool {
	names := strings.Fields(setting(filepath.Join(folder, file)))
	return !slices.ContainsFunc(delegatedControllers, func(name string) bool { return !slices.Contains(names, name) })
}

// makeGroup and removeGroup make and remove the folder of a group; the kernel makes and removes the files in it.
var makeGroup, removeGroup = os.Mkdir, os.Remove

// groupFix says how to get a control group where there is none: version is that of the machine's groups, 0 if it
// has none.
func groupFix(version int) string {
	const whole = " In a container that cannot, bound the container: docker run --memory 8g --pids-limit 4096 …"
	switch version {
	case 2:
		return "Run it in a group of its own that is delegated: systemd-run --user --scope -p Delegate=yes spade …, or as root." + whole
	case 1:
		return "Run it as root, where the groups of memory and pids can be written." + whole
	}
	return "Mount control groups (version 2) on /sys/fs/cgroup." + whole
}

// groupVersion is that of the control groups that we are in, 0 if there are none.
func groupVersion() int {
	controllers, err := findControllers("/proc/self")
	if err != nil || len(controllers) == 0 {
		return 0
	}
	return controllers[0].version
}
