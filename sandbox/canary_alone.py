# Runs once under Landlock alone, before any program does, and tries to get out.
# The bait is a process and a file of the program's own user, so that nothing but
# the confinement denies them. There is no /proc to read here, so what the kernel says of this process comes
# from system calls. Every line of the report must say "denied" or hold what the
# host expects.
import ctypes
import os
import resource
import struct

report = []
libc = ctypes.CDLL(None, use_errno=True)
stage = os.environ["CANARY_STAGE"]
base = os.path.dirname(stage)
temp = os.environ["TMPDIR"]
bait = int(os.environ["CANARY_BAIT"])


def attempt(name, act):
    try:
        act()
    except OSError:
        report.append((name, "denied"))
    except BaseException as e:
        report.append((name, type(e).__name__))
    else:
        report.append((name, "open"))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def make(path, mode=0o600):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, mode))


def leave(path):
    make(path)
    os.remove(path)  # should it have come to that


def write(path):
    os.close(os.open(path, os.O_WRONLY))


def internet():
    import _socket

    _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)


def local_datagrams():
    import _socket

    _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_DGRAM)


def run_made():
    path = temp + "/canary-run"
    with open(path, "wb") as f:
        f.write(b"#!/bin/true\n")
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, [path])
        except OSError:
            os._exit(0)
        os._exit(1)
    if os.waitpid(pid, 0)[1] == 0:
        raise OSError


def call(result):
    if result != 0:
        raise OSError


def others_limit():
    call(libc.prlimit(bait, resource.RLIMIT_NOFILE, None, ctypes.create_string_buffer(16)))


attempt("shadow", lambda: read("/etc/shadow"))
attempt("passwd", lambda: read("/etc/passwd"))
attempt("host_file", lambda: read(stage + "/bait"))
attempt("host_folder", lambda: os.listdir(base))
attempt("root_folder", lambda: os.listdir("/"))
attempt("stage", lambda: make(stage + "/canary"))
attempt("base", lambda: leave(base + "/helios-canary-%d" % os.getpid()))
attempt("shared_memory", lambda: leave("/dev/shm/helios-canary-%d" % os.getpid()))
attempt("job", lambda: make(stage + "/job/canary"))
attempt("move", lambda: os.rename(stage + "/tmp", stage + "/elsewhere"))
attempt("sys", lambda: os.listdir("/sys"))
attempt("proc", lambda: read("/proc/self/status"))
attempt("process_1", lambda: read("/proc/1/cmdline"))
attempt("terminal", lambda: write("/dev/tty"))
attempt("shell", lambda: read("/bin/sh"))
attempt("run", run_made)
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("signal_owner", lambda: os.kill(int(os.environ["CANARY_OWNER"]), 0))
attempt("signal_bait", lambda: os.kill(bait, 0))
attempt("limit", others_limit)
attempt("affinity", lambda: os.sched_setaffinity(bait, {0}))
attempt("bait_priority", lambda: os.setpriority(os.PRIO_PROCESS, bait, 19))
attempt("priority", lambda: os.setpriority(os.PRIO_USER, 0, 1))
attempt("mode", lambda: os.chmod(stage + "/bait", 0o777))
attempt("times", lambda: os.utime(stage + "/bait"))
attempt("trace", lambda: call(libc.ptrace(16, bait, 0, 0)))
attempt("socket", internet)
attempt("datagrams", local_datagrams)
attempt("node", lambda: os.mknod(temp + "/node", 0o20600, os.makedev(1, 5)))
attempt("setuid", lambda: make(temp + "/canary", 0o4755))
attempt("control", lambda: make(temp + "/canary-control"))
attempt("control_device", lambda: write("/dev/null"))

report.append(("Seccomp", str(libc.prctl(21, 0, 0, 0, 0))))
report.append(("NoNewPrivs", str(libc.prctl(39, 0, 0, 0, 0))))
report.append(("Session", str(int(os.getsid(0) == os.getpid()))))
header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
sets = ctypes.create_string_buffer(24)
libc.capget(header, sets)
effective, permitted, inheritable, *high = struct.unpack("<6I", sets.raw)
report.append(("Caps", str(effective | permitted | inheritable | high[0] | high[1] | high[2])))
report.append(("Uid", " ".join(map(str, os.getresuid()))))
report.append(("Gid", " ".join(map(str, os.getresgid() + tuple(os.getgroups())))))


def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


report.append(("descriptors", " ".join(str(fd) for fd in range(1024) if is_open(fd))))
for name in ("AS", "NPROC", "FSIZE", "NOFILE", "CORE"):
    report.append((name, str(resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1])))

data = ("{" + ",".join('"%s":"%s"' % pair for pair in report) + "}").encode()
fd = int(os.environ["HELIOS_RESULT_FD"])
os.write(fd, len(data).to_bytes(4, "big") + data)
