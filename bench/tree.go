package bench

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc: hundredths of a second on every Linux that this program runs on.
const tick = time.Second / 100

// process is what /proc says of one.
type process struct {
	parent int
	// used is its processor time and that of children that have ended and were waited for.
	used time.Duration
}

// processes reads /proc, by process id; there are none where there is no /proc.
func processes() map[int]process {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	all := map[int]process{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name is in parentheses and may hold anything; after it come state, parent, … (proc(5)).
		before, _, _ := strings.Cut(string(data), " ")
		fields := strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
		id, err := strconv.Atoi(before)
		if err != nil || len(fields) < 15 {
			continue
		}
		var p process
		p.parent, _ = strconv.Atoi(fields[1])
		for _, f := range fields[11:15] { // user and system time, of itself and of children that ended
			n, _ := strconv.ParseInt(f, 10, 64)
			p.used += time.Duration(n) * tick
		}
		all[id] = p
	}
	return all
}

// Children returns the processes whose parent is pid.
func Children(pid int) []int {
	all := processes()
	maps.DeleteFunc(all, func(_ int, p process) bool { return p.parent != pid })
	return slices.Sorted(maps.Keys(all))
}

// TreeTime returns the processor time of a process and of all its descendants, also of those that have ended and were
// waited for, to hundredths of a second; 0 where /proc does not say.
func TreeTime(pid int) time.Duration {
	all := processes()
	var sum time.Duration
	for id, p := range all {
		for up, steps := id, 0; up > 0 && steps < len(all); up, steps = all[up].parent, steps+1 {
			if up == pid {
				sum += p.used
				break
			}
		}
	}
	return sum
}
