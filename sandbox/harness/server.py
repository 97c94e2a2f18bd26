"""The fork server of a jail: the first process in it.

It prepares an interpreter once and then forks one isolated instance process per request. It never runs code of
an environment, never sees its source, and holds nothing that an environment may not read.

Usage: server.py SETTINGS.json, with descriptor 3 = control socket (SOCK_SEQPACKET) and 4 = /proc (O_PATH, only
where the settings ask for namespaces).

A request on the control socket is {"id"} with one end of a stream socket attached. It is answered by
{"id", "pid"} with a pidfd of the new process attached, and after the process has ended by
{"exit": id, "status", "cpu", "rss"} (wait status, seconds, KiB), which come from the kernel.

In gVisor the control socket is the standard input, no pidfd is attached, and {"kill": id} ends a process.
"""
import array
import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import sys

CONTROL, PROC = 3, 4
PROTOCOL = 3  # in an instance

CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER = 0x00020000, 0x20000000, 0x10000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MNT_DETACH = 2, 4, 8, 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
M_ARENA_MAX = -8
NO_CAPABILITIES = struct.pack("=Ii", 0x20080522, 0)  # the header of capset for ourselves; the sets are zeros
SYS_CLONE = 56 if os.uname().machine == "x86_64" else 220
FIRST_USER = 100000  # in gVisor, where each instance has a user of its own
# These numbers are the same on every architecture that has them.
SYS_CLOSE_RANGE, SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 436, 444, 445, 446

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
pythonlibc = ctypes.PyDLL(None, use_errno=True)  # which keeps the interpreter's lock during calls
pythonlibc.syscall.restype = ctypes.c_long


def check(result, what):
    """Returns result, or raises what the C library says went wrong."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def prctl(option, value, what):
    check(libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)), what)


class Filter:
    """A seccomp program, kept ready in memory in the kernel's form."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    def __init__(self, path):
        with open(path, "rb") as f:
            code = f.read()
        self.code = ctypes.create_string_buffer(code, len(code))
        self.program = self.Program(len(code) // 8, ctypes.addressof(self.code))

    def install(self):
        prctl(PR_SET_NO_NEW_PRIVS, 1, "no_new_privs")
        check(libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(self.program),
                         ctypes.c_ulong(0), ctypes.c_ulong(0)), "seccomp filter")


class Landlock:
    """The second wall around files, network and signals; its strength depends on the kernel's version of it."""

    EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = 1, 2, 4, 8, 16, 32
    MAKE_DIR, MAKE_REG, REFER, TRUNCATE = 1 << 7, 1 << 8, 1 << 13, 1 << 14

    def __init__(self, version, readable, listable):
        rights = 13 + (version >= 2) + (version >= 3) + (version >= 5)
        self.handled = (1 << rights) - 1
        attributes = [self.handled]
        if version >= 4:
            attributes.append(3)  # TCP bind and connect
        if version >= 6:
            attributes.append(3)  # abstract UNIX sockets and signals leave the domain
        self.attributes = struct.pack(f"={len(attributes)}Q", *attributes)
        self.readable, self.listable = readable, listable

    def allow(self, ruleset, path, access):
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        if not os.path.isdir(path):
            access &= ~(self.READ_DIR | self.REMOVE_DIR | self.REMOVE_FILE | self.MAKE_DIR | self.MAKE_REG | self.REFER)
        rule = struct.pack("=Qi", access & self.handled, fd)
        check(libc.syscall(SYS_LANDLOCK_ADD, ruleset, 1, rule, 0), f"landlock rule for {path}")
        os.close(fd)

    def restrict(self, writable):
        ruleset = check(libc.syscall(SYS_LANDLOCK_CREATE, self.attributes, len(self.attributes), 0), "landlock")
        read = self.READ_FILE | self.READ_DIR
        for path in self.readable:
            self.allow(ruleset, path, read | self.EXECUTE)
        for path in self.listable:
            self.allow(ruleset, path, self.READ_DIR)
        self.allow(ruleset, "/dev/null", read | self.WRITE_FILE)
        self.allow(ruleset, "/dev/urandom", read)
        for path in writable:
            self.allow(ruleset, path, read | self.WRITE_FILE | self.REMOVE_DIR | self.REMOVE_FILE | self.MAKE_DIR
                       | self.MAKE_REG | self.REFER | self.TRUNCATE)
        prctl(PR_SET_NO_NEW_PRIVS, 1, "no_new_privs")
        check(libc.syscall(SYS_LANDLOCK_RESTRICT, ruleset, 0), "landlock")
        os.close(ruleset)


class Server:
    def __init__(self, settings, harness):
        self.namespaces = settings["namespaces"]
        self.unjailed = settings["unjailed"]
        self.gvisor = settings["gvisor"]
        self.tmp = settings["tmp"]
        # What an instance needs is made here, so that it shares the memory of it.
        self.harness = harness.Harness(PROTOCOL, **settings["harness"])
        self.filter = Filter(settings["instance_filter"])
        self.landlock = None
        if settings["landlock"]:
            self.landlock = Landlock(settings["landlock"], settings["readable"], settings["listable"])
        self.uid, self.gid = os.getuid(), os.getgid()
        self.myself = os.pidfd_open(os.getpid()) if self.namespaces else -1
        self.limits = self.limits_of_instances(settings["cpu"], self.address_space() + settings["memory"])
        self.devices = os.open("/dev", os.O_RDONLY | os.O_DIRECTORY)  # in gVisor it is out of sight soon
        self.control = socket.socket(fileno=CONTROL)
        self.children = {}

    def limits_of_instances(self, cpu, memory):
        """Which limits an instance has: the soft and the hard value."""
        limits = [
            (resource.RLIMIT_CORE, 0, 0), (resource.RLIMIT_CPU, cpu, cpu + 1),
            (resource.RLIMIT_AS, memory, memory), (resource.RLIMIT_FSIZE, 2 << 20, 2 << 20),
            (resource.RLIMIT_NOFILE, 64, 64), (resource.RLIMIT_STACK, 8 << 20, 8 << 20),
            (resource.RLIMIT_MEMLOCK, 0, 0),
        ]
        if not self.gvisor:  # which neither has queues nor lets these be set
            limits += [(resource.RLIMIT_MSGQUEUE, 0, 0), (resource.RLIMIT_SIGPENDING, 64, 64)]
        if self.namespaces or self.gvisor:  # elsewhere the user has other processes, which would count too
            limits.append((resource.RLIMIT_NPROC, 8, 8))
        return limits

    def address_space(self):
        """Bytes of address space that this process has, which every instance inherits."""
        where = {"dir_fd": PROC} if self.namespaces else {}
        fd = os.open("self/statm" if self.namespaces else "/proc/self/statm", os.O_RDONLY, **where)
        pages = int(os.read(fd, 64).split()[0])
        os.close(fd)
        return pages * resource.getpagesize()

    def serve(self):
        # A child's end wakes the loop through a pipe, so that nothing here runs inside a signal handler.
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        poll.register(woken, select.POLLIN)
        poll.register(CONTROL, select.POLLIN)
        self.control.send(json.dumps({"ready": True}).encode())
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if woken in ready:
                os.read(woken, 4096)
                self.reap()
            if CONTROL in ready:
                self.answer()

    def answer(self):
        data, ancillary, _, _ = self.control.recvmsg(4096, socket.CMSG_SPACE(4))
        if not data:
            os._exit(0)  # whoever started us is gone; as the first process we take every instance along
        request = json.loads(data)
        if "kill" in request:
            for pid in [pid for pid, number in self.children.items() if number == request["kill"]]:
                os.kill(pid, signal.SIGKILL)
            return
        fds = array.array("i")
        for _, _, payload in ancillary:
            fds.frombytes(payload)
        answer = {"id": request["id"]}
        if self.gvisor:
            answer["pid"] = pid = self.fork_in_gvisor(fds[0], request["id"])
            rights = []
        else:
            answer["pid"], pidfd = pid, _ = self.fork(fds[0])
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [pidfd]))]
        os.close(fds[0])
        self.children[pid] = request["id"]
        self.control.sendmsg([json.dumps(answer).encode()], rights)
        if rights:
            os.close(pidfd)

    def reap(self):
        while self.children:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            notice = {"exit": self.children.pop(pid), "status": status,
                      "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss}
            self.control.send(json.dumps(notice).encode())

    def fork(self, protocol):
        if self.namespaces:
            check(libc.unshare(CLONE_NEWPID), "new pid namespace")
        pid = os.fork()
        if pid == 0:
            try:
                self.become_instance(protocol)
            finally:
                os._exit(70)
        pidfd = os.pidfd_open(pid)
        if self.namespaces:  # our own next children must not join the instance's namespace
            check(libc.setns(self.myself, CLONE_NEWPID), "own pid namespace")
        return pid, pidfd

    def fork_in_gvisor(self, protocol, number):
        """gVisor gives no way back from a new pid namespace, so the child is made in one by a bare clone."""
        pid = check(pythonlibc.syscall(SYS_CLONE, CLONE_NEWPID | signal.SIGCHLD, None, None, None, None), "clone")
        if pid == 0:
            try:
                ctypes.pythonapi.PyOS_AfterFork_Child()
                self.user = FIRST_USER + number
                self.become_instance(protocol)
            finally:
                os._exit(70)
        return pid

    def hide(self):
        """Leaves nothing of gVisor's own file systems in sight, and nothing that can be written."""
        for path in (b"/proc", b"/sys", b"/dev/pts", b"/dev/shm", b"/dev", b"/tmp"):
            libc.umount2(path, MNT_DETACH)  # one that is not there need not go

    def become_instance(self, protocol):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(protocol, PROTOCOL)
        # One of its own: whoever shares an open file sees the flags that others give it.
        null = os.open("null", os.O_RDWR, dir_fd=self.devices)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        first = PROC + 1 if self.namespaces else PROTOCOL + 1
        if self.gvisor:
            os.closerange(first, 1024)
        else:
            check(libc.syscall(SYS_CLOSE_RANGE, first, ctypes.c_uint(0xFFFFFFFF), 0), "closing descriptors")
        try:
            if not self.unjailed:
                self.isolate()
        except BaseException as e:
            self.harness.send(json.dumps({"fatal": f"{type(e).__name__}: {e}"}))
            return
        self.harness.serve()

    def isolate(self):
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, "death signal")
        prctl(PR_SET_DUMPABLE, 1, "dumpable")  # the files of /proc belong to us only while we are
        self.volunteer()
        writable = []
        if self.gvisor:
            os.setgroups([])
            os.setresgid(self.user, self.user, self.user)
            os.setresuid(self.user, self.user, self.user)
        if self.namespaces:
            self.enter_namespaces()
            check(libc.mount(b"tmpfs", self.tmp.encode(), b"tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                             b"size=4m,nr_inodes=128,mode=700"), "private /tmp")
            writable.append(self.tmp)
        prctl(PR_SET_DUMPABLE, 0, "dumpable")
        os.chdir(self.tmp if writable else "/")
        for which, soft, hard in self.limits:
            resource.setrlimit(which, (soft, hard))
        check(libc.capset(NO_CAPABILITIES, bytes(24)), "dropping capabilities")
        if self.landlock:
            self.landlock.restrict(writable)
        self.filter.install()

    def volunteer(self):
        """If memory runs out, an instance ends before its fork server, and before any other program."""
        where = {"dir_fd": PROC} if self.namespaces else {}
        try:
            fd = os.open("self/oom_score_adj" if self.namespaces else "/proc/self/oom_score_adj", os.O_WRONLY, **where)
            os.write(fd, b"1000")
            os.close(fd)
        except OSError:
            pass  # where it cannot be said, the system guesses

    def enter_namespaces(self):
        check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "new user and mount namespace")
        for name, text in (("setgroups", "deny"), ("uid_map", f"1000 {self.uid} 1"), ("gid_map", f"1000 {self.gid} 1")):
            fd = os.open(f"self/{name}", os.O_WRONLY, dir_fd=PROC)
            os.write(fd, text.encode())
            os.close(fd)
        os.close(PROC)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        settings = json.load(f)
    if settings["gvisor"]:
        os.dup2(0, CONTROL)
    import spade_harness
    spade_harness.prepare(settings["packages"])
    del sys.argv[1:]
    sys.path[:] = [p for p in sys.path if p != os.path.dirname(__file__)]
    os.environ["TMPDIR"] = os.environ["HOME"] = settings["tmp"]
    os.umask(0o077)
    if hasattr(libc, "mallopt"):
        # With glibc each thread would reserve 64 MiB of the address space, which is limited, or not, as it happens.
        libc.mallopt(M_ARENA_MAX, 1)
    server = Server(settings, spade_harness)
    if server.gvisor:
        server.hide()
    if not server.unjailed:
        Filter(settings["server_filter"]).install()
    prctl(PR_SET_DUMPABLE, 0, "dumpable")
    spade_harness.freeze()
    server.serve()


main()
