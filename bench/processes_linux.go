package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns the processor time that a process has used, all its threads together; 0 if there is none.
func ProcessorTime(pid int) time.Duration {
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
