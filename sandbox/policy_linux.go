//go:build amd64 || arm64

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// The flags with which glibc and musl start a thread; clone with any other flags is refused.
const (
	cloneThreadGlibc = 0x3d0f00
	cloneThreadMusl  = 0x7d0f00
)

// commonCalls are what a Python program without network and children needs, on every architecture.
// archCalls adds the older forms that only some architectures have.
var commonCalls = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_LSEEK, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE,
	unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING,
	unix.SYS_SIGALTSTACK,
	unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY, unix.SYS_TIMES,
	unix.SYS_GETRANDOM, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETUID, unix.SYS_GETEUID,
	unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETRESUID, unix.SYS_GETRESGID,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS,
	unix.SYS_RESTART_SYSCALL,
	unix.SYS_SCHED_YIELD, unix.SYS_GETRUSAGE, unix.SYS_UNAME, unix.SYS_GETCWD,
	unix.SYS_CHDIR, unix.SYS_UMASK,
	unix.SYS_OPENAT, unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT,
	unix.SYS_GETDENTS64, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT,
	unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_CREATE1,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
}

// instancePolicy is what code of an environment may call.
func instancePolicy(threads bool) policy {
	p := policy{
		arch:  auditArch,
		allow: slices.Concat(commonCalls, archCalls),
		absent: []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
			unix.SYS_MEMFD_CREATE, unix.SYS_OPENAT2},
		oneOf: []argumentRule{
			{unix.SYS_FUTEX, 1, futexOperations},
			{unix.SYS_MADVISE, 2, memoryAdvice},
			{unix.SYS_RENAMEAT2, 4, []uint32{0, unix.RENAME_NOREPLACE}}, // not RENAME_WHITEOUT, which makes a device
			{unix.SYS_CLOCK_GETTIME, 0, clocks}, {unix.SYS_CLOCK_GETRES, 0, clocks}, {unix.SYS_CLOCK_NANOSLEEP, 0, clocks},
			{unix.SYS_FCNTL, 1, []uint32{unix.F_DUPFD, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
				unix.F_DUPFD_CLOEXEC}},
			{unix.SYS_IOCTL, 1, []uint32{unix.TCGETS, fionread, fioclex, fionclex, fionbio}},
		},
		zero: []zeroRule{
			{unix.SYS_PRLIMIT64, []int{0, 2}}, // reading our own limits, neither setting them nor those of others
			{unix.SYS_SCHED_GETAFFINITY, []int{0}},
		},
	}
	if threads {
		p.oneOf = append(p.oneOf, argumentRule{unix.SYS_CLONE, 0, []uint32{cloneThreadGlibc, cloneThreadMusl}})
	}
	return p
}

// The clocks of the machine and of the caller. The others belong to a process that their number names.
var clocks = []uint32{unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_PROCESS_CPUTIME_ID,
	unix.CLOCK_THREAD_CPUTIME_ID, unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_REALTIME_COARSE, unix.CLOCK_MONOTONIC_COARSE,
	unix.CLOCK_BOOTTIME, unix.CLOCK_TAI}

// memoryAdvice leaves out MADV_MERGEABLE, which shows whether somebody else has an equal page.
var memoryAdvice = []uint32{unix.MADV_NORMAL, unix.MADV_RANDOM, unix.MADV_SEQUENTIAL, unix.MADV_WILLNEED,
	unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE, unix.MADV_DONTDUMP, unix.MADV_DODUMP}

// futexOperations are those of locks, conditions and joined threads: on memory of the process, and waiting on other
// memory. Waking others through a file that both have mapped is not among them, and neither is inheriting priorities,
// which Python never does and where the kernel has had its worst faults.
var futexOperations = func() []uint32 {
	const (
		wait, wake, requeue, compareRequeue, wakeOp, waitBitset, wakeBitset = 0, 1, 3, 4, 5, 9, 10
		private, realtime                                                   = 128, 256
	)
	operations := []uint32{wait, waitBitset, waitBitset | realtime}
	for _, operation := range []uint32{wait, wake, requeue, compareRequeue, wakeOp, waitBitset, wakeBitset} {
		operations = append(operations, operation|private, operation|private|realtime)
	}
	return operations
}()

const (
	fionread = 0x541b
	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451
)

// serverPolicy is what the fork server may call: what instances may, and what making them takes. It can start no
// program and open no socket.
// In gVisor it also ends instances and gives each a user of its own.
func serverPolicy(gvisor bool) policy {
	p := instancePolicy(true)
	p.oneOf = slices.DeleteFunc(p.oneOf, func(r argumentRule) bool { return r.number == unix.SYS_CLONE })
	p.zero = slices.DeleteFunc(p.zero, func(r zeroRule) bool { return r.number == unix.SYS_PRLIMIT64 })
	p.allow = append(p.allow, unix.SYS_CLONE, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_PRCTL,
		unix.SYS_SECCOMP, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE,
		unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_CAPSET, unix.SYS_PRLIMIT64, unix.SYS_PIDFD_OPEN,
		unix.SYS_SENDMSG, unix.SYS_SENDTO, unix.SYS_RECVMSG, unix.SYS_WAIT4)
	p.allow = append(p.allow, serverArchCalls...)
	if gvisor {
		p.allow = append(p.allow, unix.SYS_KILL, unix.SYS_SETGROUPS, unix.SYS_SETRESUID, unix.SYS_SETRESGID)
	}
	return p
}

// filters returns the seccomp programs of instances and of the fork server.
func filters(threads, gvisor bool) (instance, server []byte, err error) {
	if instance, err = instancePolicy(threads).assemble(); err != nil {
		return nil, nil, err
	}
	server, err = serverPolicy(gvisor).assemble()
	return instance, server, err
}
