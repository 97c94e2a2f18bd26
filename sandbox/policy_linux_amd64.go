package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var archCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_ACCESS, unix.SYS_READLINK,
	unix.SYS_MKDIR, unix.SYS_UNLINK, unix.SYS_RMDIR, unix.SYS_RENAME, unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_POLL,
	unix.SYS_SELECT, unix.SYS_EPOLL_WAIT, unix.SYS_TIME, unix.SYS_GETPGRP, unix.SYS_GETRLIMIT,
}

var serverArchCalls = []uint32{unix.SYS_FORK, unix.SYS_SETRLIMIT}
