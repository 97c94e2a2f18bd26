"""Tries to get out of the jail in a dozen ways. Each step runs one probe by its name and answers "" if the jail
held, or says what got through."""
import ctypes
import os
import socket
import threading

libc = ctypes.CDLL(None, use_errno=True)


def refused(what, attempt):
    """The attempt must raise OSError."""
    try:
        attempt()
    except OSError:
        return ""
    return f"{what} is possible"


def denied(what, result):
    """The C function must have failed."""
    return "" if result == -1 else f"{what} is possible"


class ProbeEnv:
    def reset(self, seed=None):
        return "", {}

    def step(self, action):
        name, _, argument = action.partition(" ")
        return getattr(self, name)(argument), 0.0, False, False, {}

    def secret(self, path):
        return refused("reading a file of the host", lambda: open(path).read())

    def processes(self, _):
        try:
            return "processes can be listed" if os.listdir("/proc") else ""
        except OSError:
            return ""

    def network(self, _):
        return refused("opening a socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))

    def fork(self, _):
        try:
            pid = os.fork()
        except OSError:
            return ""
        if pid == 0:
            os._exit(0)
        return "fork is possible"

    def execute(self, _):
        return refused("executing a program", lambda: os.execv("/bin/true", ["true"]))

    def trace(self, _):
        return denied("ptrace", libc.ptrace(0, 0, 0, 0))

    def signal(self, _):
        return refused("sending a signal", lambda: os.kill(-1, 9))

    def namespaces(self, _):
        return denied("a new namespace", libc.unshare(0x10000000))

    def mount(self, _):
        return denied("mounting", libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None))

    def outside(self, _):
        for folder in ("/", "/usr", "/spade", "/dev", os.path.dirname(os.__file__)):
            if problem := refused(f"writing to {folder}", lambda: open(os.path.join(folder, "probe"), "w").close()):
                return problem
        return ""

    def private(self, name):
        """Leaves a file that the sibling must not see, and looks for the sibling's. Without a private root there is
        no folder to write to or to look into."""
        folder = os.environ["TMPDIR"]
        try:
            found = os.listdir(folder)
            with open(os.path.join(folder, name), "w") as f:
                f.write("mine")
        except OSError:
            return ""
        return f"the folder for temporary files is not empty: {found}" if found else ""

    def disk(self, _):
        paths = [os.path.join(os.environ["TMPDIR"], f"big-{n}") for n in range(64)]
        try:
            for path in paths:
                with open(path, "wb") as f:
                    f.write(bytes(1 << 20))
        except OSError:
            return ""
        finally:
            for path in paths:
                try:
                    os.unlink(path)
                except OSError:
                    break
        return "64 MiB can be written"

    def memory(self, _):
        try:
            bytearray(4 << 30)
        except MemoryError:
            return ""
        return "4 GiB of memory can be had"

    def threads(self, _):
        stop, started = threading.Event(), []
        try:
            for _ in range(64):
                thread = threading.Thread(target=stop.wait)
                thread.start()
                started.append(thread)
        except RuntimeError:
            return ""
        finally:
            stop.set()
        return "64 threads can be started"

    def descriptors(self, _):
        found = []
        for fd in range(64):
            try:
                os.fstat(fd)
                found.append(fd)
            except OSError:
                pass
        return "" if found == [0, 1, 2, 3] else f"descriptors {found} are open"

    def variables(self, _):
        known = {"PYTHONHASHSEED", "PYTHONNOUSERSITE", "PYTHONUTF8", "LC_ALL", "LC_CTYPE", "HOME", "TMPDIR",
                 "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}
        extra = sorted(set(os.environ) - known)
        return "" if not extra else f"variables {extra} are visible"
