//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A group is the control group of one jail: it bounds what all its processes use together. In version 1 each
// controller has a folder of its own, in version 2 one folder has both.
type group struct {
	folders []string
	// delegated is the group of ours that hands controllers on to it, "" if it needs none of ours to.
	delegated string
}

// groupLimits bound a jail as a whole.
type groupLimits struct {
	memory    int64
	processes int
}

// newGroup makes a control group below our own, or beside it where version 2 lets no group hold both processes
// and groups. An error says why this machine does not let us.
func newGroup(name string, limits groupLimits) (*group, error) {
	return newGroupOf("/proc/self", name, limits)
}

// newGroupOf makes it for the process whose folder in /proc is given.
func newGroupOf(proc, name string, limits groupLimits) (*group, error) {
	controllers, err := findControllers(proc)
	if err != nil {
		return nil, err
	}
	g := &group{}
	for _, c := range controllers {
		if err := g.enlarge(c, name, limits); err != nil {
			g.remove()
			return nil, err
		}
	}
	return g, nil
}

// enlarge adds the folder of a controller.
func (g *group) enlarge(c controller, name string, limits groupLimits) error {
	var why error
	for _, parent := range c.parents() {
		removeStaleGroups(parent)
		err := g.enlargeIn(c, parent, name, limits)
		if err == nil {
			return nil
		}
		why = errors.Join(why, err)
	}
	return why
}

// enlargeIn adds the folder of a controller below the group parent.
func (g *group) enlargeIn(c controller, parent, name string, limits groupLimits) error {
	ours := c.version == 2 && parent == c.group()
	if ours {
		if err := handOn(parent); err != nil {
			return err
		}
	}
	folder := filepath.Join(parent, name)
	err := makeGroup(folder, 0o755)
	if err == nil {
		if err = c.limit(folder, limits); err != nil {
			removeGroup(folder)
		}
	}
	if err != nil {
		if ours {
			handBack(parent)
		}
		return err
	}
	g.folders = append(g.folders, folder)
	if ours {
		g.delegated = parent
	}
	return nil
}

// add moves a process, which has no children yet, into the group.
func (g *group) add(pid int) error {
	for _, folder := range g.folders {
		if err := writeSetting(folder, "cgroup.procs", strconv.Itoa(pid)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the group once its last process is gone.
func (g *group) remove() {
	for _, folder := range g.folders {
		for wait := time.Millisecond; removeGroup(folder) != nil && exists(folder) && wait < time.Second; wait *= 2 {
			time.Sleep(wait)
		}
	}
	g.folders = nil
	if g.delegated != "" {
		handBack(g.delegated)
		g.delegated = ""
	}
}

// A controller is where memory and processes are counted: one for both in version 2, one for each in version 1.
type controller struct {
	version int
	name    string
	// own is the folder of the group that we are in.
	own string
}

func (c controller) parents() []string {
	if c.version == 1 {
		return []string{c.own}
	}
	return []string{c.group(), filepath.Dir(c.group())}
}

// group is our own group, whether or not we are in our leaf of it.
func (c controller) group() string {
	if c.version == 2 && filepath.Base(c.own) == leafName() {
		return filepath.Dir(c.own)
	}
	return c.own
}

func (c controller) limit(folder string, limits groupLimits) error {
	memory, processes := strconv.FormatInt(limits.memory, 10), strconv.Itoa(limits.processes)
	switch {
	case c.version == 2:
		writeSetting(folder, "memory.swap.max", "0") // absent without swap
		return errors.Join(writeSetting(folder, "memory.max", memory), writeSetting(folder, "pids.max", processes))
	case c.name == "memory":
		err := writeSetting(folder, "memory.limit_in_bytes", memory)
		writeSetting(folder, "memory.memsw.limit_in_bytes", memory) // absent without swap accounting
		return err
	}
	return writeSetting(folder, "pids.max", processes)
}

// present returns the limit of memory that our own group has, 0 if none can be read.
func (c controller) present() int64 {
	for _, file := range []string{"memory.limit_in_bytes", "memory.max"} {
		if n, err := strconv.ParseInt(setting(filepath.Join(c.group(), file)), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

func writeSetting(folder, file, value string) error {
	f, err := os.OpenFile(filepath.Join(folder, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// findControllers finds those of memory and processes for the process whose folder in /proc is given.
func findControllers(proc string) ([]controller, error) {
	groups, err := os.ReadFile(filepath.Join(proc, "cgroup"))
	if err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
	if err != nil {
		return nil, err
	}
	var found []controller
	for line := range strings.Lines(string(groups)) { // number:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for _, name := range strings.Split(fields[1], ",") {
			if name == "memory" || name == "pids" {
				if folder := mounted(mounts, "cgroup", name, fields[2]); folder != "" {
					found = append(found, controller{1, name, folder})
				}
			}
		}
	}
	if len(found) == 2 {
		return found, nil
	}
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			if folder := mounted(mounts, "cgroup2", "", path); folder != "" {
				return []controller{{2, "", folder}}, nil
			}
		}
	}
	return nil, errors.New("no control groups are mounted")
}

// mounted returns the folder of the group at path in the hierarchy of a kind of mount that has the option.
func mounted(mounts []byte, kind, option, path string) string {
	for scanner := bufio.NewScanner(bytes.NewReader(mounts)); scanner.Scan(); {
		// id parent device root point options … - kind source options
		head, tail, _ := strings.Cut(scanner.Text(), " - ")
		before, after := strings.Fields(head), strings.Fields(tail)
		if len(before) < 5 || len(after) < 3 || after[0] != kind {
			continue
		}
		if option != "" && !slices.Contains(strings.Split(after[2], ","), option) {
			continue
		}
		if inside, err := filepath.Rel(before[3], path); err == nil && inside != ".." && !strings.HasPrefix(inside, "../") {
			return filepath.Join(before[4], inside)
		}
	}
	return ""
}

// groupName names the group of our jail with this index. It holds our process number, so that groups of processes
// that were killed can be told.
func groupName(index int) string { return fmt.Sprintf("spade-%d-%d", os.Getpid(), index) }

// removeStaleGroups removes what processes of ours that were killed have left.
func removeStaleGroups(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, "spade-*-*"))
	for _, folder := range left {
		var pid, index int
		if _, err := fmt.Sscanf(filepath.Base(folder), "spade-%d-%d", &pid, &index); err == nil && noProcess(pid) {
			removeGroup(folder) // fails if anybody is in it
		}
	}
}

// noProcess reports whether no process has the number.
func noProcess(pid int) bool { return unix.Kill(pid, 0) == unix.ESRCH }

// wholeLimits are half of the memory that we may use, and threads for every process that there may be.
func wholeLimits(processes int) groupLimits {
	memory := int64(0)
	if fields := strings.Fields(setting("/proc/meminfo")); len(fields) > 1 { // MemTotal: n kB
		kib, _ := strconv.ParseInt(fields[1], 10, 64)
		memory = kib << 10
	}
	controllers, _ := findControllers("/proc/self")
	for _, c := range controllers {
		if present := c.present(); present > 0 && (memory == 0 || present < memory) {
			memory = present
		}
	}
	const threads, spare = 9, 16
	return groupLimits{memory: memory / 2, processes: threads*(processes+poolSize) + spare}
}

// joinGroup puts the first process of a jail into a control group of its own, if this machine lets us.
func (s *server) joinGroup() {
	s.limits = wholeLimits(s.spec.processes)
	if s.group, s.groupError = newGroup(groupName(s.spec.index), s.limits); s.groupError != nil {
		return
	}
	if s.groupError = s.group.add(s.cmd.Process.Pid); s.groupError != nil {
		s.group.remove()
		s.group = nil
	}
}

func (s *server) leaveGroup() {
	if s.group != nil {
		s.group.remove()
	}
}

// groupLayer describes the control group of a jail.
func (s *server) groupLayer() Layer {
	layer := Layer{Name: "control group", On: s.group != nil}
	if layer.On {
		layer.Why = fmt.Sprintf("a jail as a whole has at most %d MiB of memory and %d threads (version %d)",
			s.limits.memory>>20, s.limits.processes, groupVersion())
		return layer
	}
	layer.Why = fmt.Sprintf("only each process of its own is limited, not a jail as a whole: %v", s.groupError)
	layer.Fix = groupFix(groupVersion())
	return layer
}
