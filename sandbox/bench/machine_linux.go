package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"spade/bench"
)

// onOneCore keeps every thread of this process, and what it starts from now on, on one core until undo is called.
func onOneCore() (undo func(), err error) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("asking for the cores: %w", err)
	}
	for core := range len(before) * 64 {
		if before.IsSet(core) {
			one.Zero()
			one.Set(core) // the last one stays
		}
	}
	if err := setCores(&one); err != nil {
		return nil, err
	}
	return func() { setCores(&before) }, nil
}

func setCores(set *unix.CPUSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(id, set); err != nil && err != unix.ESRCH {
			return fmt.Errorf("keeping to one core: %w", err)
		}
	}
	return nil
}

// jailed returns the fork servers of this process, and the processes that they have made.
func jailed() (servers, processes []int) {
	servers = bench.Children(os.Getpid())
	for _, server := range servers {
		processes = append(processes, bench.Children(server)...)
	}
	return servers, processes
}

// A stopwatch reads processor time: that of this process and of every process of its fork servers.
type stopwatch struct {
	pids  []int
	start time.Duration
}

func startWatch() stopwatch {
	servers, processes := jailed()
	w := stopwatch{pids: append(append(servers, processes...), os.Getpid())}
	w.start = w.read()
	return w
}

func (w stopwatch) elapsed() time.Duration { return w.read() - w.start }

func (w stopwatch) read() time.Duration {
	var total time.Duration
	for _, pid := range w.pids {
		total += bench.ProcessorTime(pid)
	}
	return total
}

// spent returns the processor time of this process, of its fork servers and of what they have made and seen end.
func spent() time.Duration {
	const tick = 10 * time.Millisecond
	var own unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &own)
	total := time.Duration(own.Utime.Nano() + own.Stime.Nano())
	for _, server := range bench.Children(os.Getpid()) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", server))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		for _, field := range fields[11:15] { // utime, stime, cutime and cstime, in ticks
			n, _ := strconv.ParseInt(field, 10, 64)
			total += time.Duration(n) * tick
		}
	}
	return total
}

// memory returns a field of a file in a process's folder in /proc, in MiB: its share of memory is Pss in smaps_rollup,
// what it has in memory VmRSS in status.
func memory(pid int, file, field string) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, field+":"); found {
			kib, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/%d/%s", field, pid, file)
}
