package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc: hundredths of a second on every Linux that this program runs on.
const tick = time.Second / 100

// TreeTime returns the processor time of a process and of all its descendants, also of those that have ended and were
// waited for, to hundredths of a second; 0 where /proc does not say.
func TreeTime(pid int) time.Duration {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents, used := map[int]int{}, map[int]time.Duration{}
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
		parents[id], _ = strconv.Atoi(fields[1])
		for _, f := range fields[11:15] { // user and system time, of itself and of children that ended
			n, _ := strconv.ParseInt(f, 10, 64)
			used[id] += time.Duration(n) * tick
		}
	}
	var sum time.Duration
	for id := range parents {
		for up, steps := id, 0; up > 0 && steps < len(parents); up, steps = parents[up], steps+1 {
			if up == pid {
				sum += used[id]
				break
			}
		}
	}
	return sum
}
