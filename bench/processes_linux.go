package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Children returns the processes whose parent is pid.
func Children(pid int) []int {
	var found []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			found = append(found, id)
		}
	}
	return found
}

// ProcessorTime returns the processor time that a process has used, all its threads together; 0 if there is none.
func ProcessorTime(pid int) time.Duration {
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
