# Ways out of a sandbox, one function each. An attempt that succeeds returns
# something; one that is refused raises OSError. What each is refused with goes to the
# host as one frame. The same file runs unconfined on the host for the attempts
# in CONTROLS, which must succeed there, or being refused would prove nothing.
# Where a layer has no folders /ws, /job and /tmp, others stand in their place.
import ctypes
import errno
import glob
import json
import os
import socket
import struct
import sys
import time

CONFINED = len(sys.argv) == 1
HERE = os.path.dirname(os.path.abspath(__file__))
WS = os.getcwd()
TMP = os.environ.get("TMPDIR", "/tmp")
JOB = json.load(open(HERE + "/job.json" if CONFINED else sys.argv[1]))
LIBC = ctypes.CDLL(None, use_errno=True)
ATTEMPTS = {}


def attempt(f):
    ATTEMPTS[f.__name__] = f
    return f


def call(name, *args):
    """Makes a system call by the number that the host passed for its name."""
    number = JOB["syscalls"].get(name)
    if number is None:
        raise OSError(errno.ENOSYS, "not on this architecture")
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if result < 0:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return result


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write_open(path):
    os.close(os.open(path, os.O_WRONLY))
    return "opened for writing"


def make(path, mode=0o600):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, mode))
    return "made"


# --- files of the host


@attempt
def read_private_file():
    return read(JOB["private_file"])


@attempt
def read_shared_file():
    return read(JOB["shared_file"])


@attempt
def read_shadow():
    return read("/etc/shadow")


@attempt
def read_passwd():
    return read("/etc/passwd")


@attempt
def read_by_root_of_process_1():
    return read("/proc/1/root" + JOB["shared_file"])


@attempt
def read_by_cwd_of_process_1():
    return read("/proc/1/cwd/../../.." + JOB["shared_file"])


@attempt
def read_by_dots():
    return read(WS + "/" + "../" * 30 + JOB["shared_file"].lstrip("/"))


@attempt
def read_by_symlink():
    os.symlink(JOB["shared_file"], WS + "/link-file")
    return read(WS + "/link-file")


@attempt
def read_by_symlink_to_folder():
    os.symlink(os.path.dirname(JOB["shared_file"]), WS + "/link-folder")
    return read(WS + "/link-folder/" + os.path.basename(JOB["shared_file"]))


@attempt
def read_by_symlink_to_root():
    os.symlink("/proc/1/root", WS + "/link-root")
    return read(WS + "/link-root" + JOB["shared_file"])


@attempt
def write_by_symlink():
    os.symlink(JOB["shared_file"], WS + "/link-write")
    return write_open(WS + "/link-write")


@attempt
def hard_link_out_of_usr():
    os.link("/usr/bin/python3", WS + "/hard")
    return "linked"


@attempt
def open_by_handle():
    return call("open_by_handle_at", -100, ctypes.create_string_buffer(64), 0)


@attempt
def list_root_home():
    return os.listdir("/root")


@attempt
def list_home():
    return os.listdir("/home")


@attempt
def list_sys():
    return os.listdir("/sys")


@attempt
def list_run():
    return os.listdir("/run")


@attempt
def list_var():
    return os.listdir("/var")


@attempt
def run_a_shell():
    os.execv("/bin/sh", ["sh", "-c", "exit 0"])

@attempt
def list_host_folder():
    return os.listdir(os.path.dirname(JOB["shared_file"]))


@attempt
def list_root_folder():
    names = os.listdir("/")
    if "etc" in names and not os.path.exists("/etc/passwd"):
        raise OSError(errno.ENOENT, "its own: %r" % names)
    return names


@attempt
def write_in_host_folder():
    return make(JOB["open_folder"] + "/escaped")


@attempt
def find_host_file():
    return os.stat(JOB["shared_file"]).st_size


@attempt
def change_mode_of_host_file():
    os.chmod(JOB["owned_file"], 0o600)
    return "changed"


@attempt
def change_times_of_host_file():
    os.utime(JOB["owned_file"], (0, 0))
    return "changed"


@attempt
def change_attributes_of_host_file():
    os.setxattr(JOB["owned_file"], "user.escaped", b"1")
    return "changed"


@attempt
def truncate_host_file():
    os.truncate(JOB["owned_file"], 0)
    return "cut"


@attempt
def remove_host_file():
    os.remove(JOB["removable_file"])
    return "removed"


def run(path, *args):
    """Runs a program in a child; what stops that is raised here."""
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, (path,) + args)
        except OSError as e:
            os._exit(e.errno)
        finally:
            os._exit(errno.EIO)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != 0:
        raise OSError(errno.EACCES if code == 127 else abs(code), "it did not run")
    return "it ran"


def make_program(path):
    with open(WS + "/tool", "rb") as f, os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o700), "wb") as to:
        to.write(f.read())
    return path


@attempt
def run_program_of_host():
    return run("/bin/true")


@attempt
def run_file_of_workspace():
    return run(make_program(WS + "/program"))


@attempt
def run_temporary_file():
    return run(make_program(TMP + "/program"))


@attempt
def run_file_of_workspace_by_loader():
    return run(JOB["loader"], make_program(WS + "/program2"))


@attempt
def run_file_in_memory():
    return run("/proc/self/fd/%d" % os.memfd_create("x", 0))


@attempt
def inherited_descriptor():
    extra = []
    for fd in range(4, 1024):
        try:
            os.fstat(fd)
            extra.append(fd)
        except OSError:
            pass
    if not extra:
        raise OSError(errno.ENOENT, "none")
    return extra


# --- the environment of others


@attempt
def secret_in_any_environment():
    found = [p for p in glob.glob("/proc/[0-9]*/environ") if JOB["secret"].encode() in try_read(p)]
    if not found:
        raise OSError(errno.ENOENT, "nowhere")
    return found


@attempt
def secret_in_any_command_line():
    found = [p for p in glob.glob("/proc/[0-9]*/cmdline") if JOB["private_file"].encode() in try_read(p)]
    if not found:
        raise OSError(errno.ENOENT, "nowhere")
    return found


def try_read(path):
    try:
        return read(path)
    except OSError:
        return b""


@attempt
def environment_of_host_process():
    return read("/proc/%d/environ" % JOB["host_pid"])


@attempt
def kill_host_process():
    os.kill(JOB["host_pid"], 0)
    return "it can be signalled"


@attempt
def see_host_processes():
    pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
    if len(pids) <= 3:
        raise OSError(errno.ENOENT, "only our own: %r" % pids)
    return pids


@attempt
def memory_of_process_1():
    return write_open("/proc/1/mem")


@attempt
def find_host_process():
    return os.getpgid(JOB["host_pid"])


@attempt
def signal_thread_of_host_process():
    return call("tgkill", JOB["host_pid"], JOB["host_pid"], 0)


@attempt
def queue_signal_to_host_process():
    return call("rt_sigqueueinfo", JOB["host_pid"], 0, ctypes.create_string_buffer(struct.pack("<iii", 0, 0, -1) + bytes(116)))


@attempt
def hold_host_process():
    return os.pidfd_open(JOB["host_pid"])


@attempt
def read_limit_of_host_process():
    return call("prlimit64", JOB["host_pid"], 7, 0, ctypes.create_string_buffer(16))


@attempt
def move_host_process_to_another_core():
    os.sched_setaffinity(JOB["host_pid"], os.sched_getaffinity(JOB["host_pid"]))
    return "moved"


@attempt
def change_priority_of_host_process():
    os.setpriority(os.PRIO_PROCESS, JOB["host_pid"], os.getpriority(os.PRIO_PROCESS, JOB["host_pid"]))
    return "changed"


@attempt
def change_priority_of_user():
    os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))
    return "changed"


@attempt
def signal_own_supervisor():
    os.kill(os.getppid(), 0)
    return "it can be signalled"


# --- the network


@attempt
def connect_to_loopback():
    with socket.create_connection(("127.0.0.1", JOB["port"]), 2) as s:
        return s.recv(16).decode()


@attempt
def send_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(b"x", ("127.0.0.1", JOB["port"]))


@attempt
def connect_to_abstract_socket():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + JOB["abstract"])
        return "connected"


@attempt
def connect_to_socket_file():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(JOB["socket_file"])
        return "connected"


@attempt
def connect_to_socket_file_in_workspace():
    os.link(JOB["socket_file"], WS + "/socket")
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(WS + "/socket")
        return "connected"


@attempt
def send_by_pair_to_abstract_socket():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with a, b:
        return a.sendto(b"x", "\0" + JOB["abstract_datagrams"])


@attempt
def send_by_pair_to_socket_file():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with a, b:
        return a.sendto(b"x", JOB["datagram_file"])


@attempt
def listen_for_connections():
    with socket.socket(socket.AF_INET) as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        return s.getsockname()


@attempt
def multipath_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).fileno()


@attempt
def socket_with_high_bits():
    return call("socket", (1 << 32) | socket.AF_INET, socket.SOCK_STREAM, 0)


@attempt
def socket_pair_of_internet():
    return call("socketpair", socket.AF_INET, socket.SOCK_STREAM, 0, ctypes.create_string_buffer(8))


@attempt
def netlink_socket():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno()


@attempt
def packet_socket():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW).fileno()


@attempt
def vsock_socket():
    return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).fileno()


@attempt
def io_uring():
    return call("io_uring_setup", 1, ctypes.create_string_buffer(256))


@attempt
def see_host_interfaces():
    names = [line.split(":")[0].strip() for line in read("/proc/net/dev").decode().splitlines()[2:]]
    if names == ["lo"]:
        raise OSError(errno.ENOENT, "only lo")
    return names


# --- the kernel


@attempt
def write_core_pattern():
    return write_open("/proc/sys/kernel/core_pattern")


@attempt
def write_core_pattern_over_mount():
    call("umount2", ctypes.c_char_p(b"/proc"), 2)
    return write_open("/proc/sys/kernel/core_pattern")


@attempt
def read_kernel_command_line():
    return read("/proc/cmdline")


@attempt
def read_memory_of_machine():
    return read("/proc/meminfo")[:40]


@attempt
def read_kernel_symbols():
    return read("/proc/kallsyms")[:40]


@attempt
def read_kernel_log():
    return call("syslog", 3, ctypes.create_string_buffer(64), 64)


@attempt
def read_mounts():
    return read("/proc/self/mountinfo").decode().splitlines()[-1]


@attempt
def see_host_name():
    if os.uname().nodename != JOB["host_name"]:
        raise OSError(errno.ENOENT, "its own name")
    return os.uname().nodename


@attempt
def call_of_another_architecture():
    # mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; ret
    if os.uname().machine != "x86_64":
        raise OSError(errno.ENOSYS, "not on this architecture")
    import mmap

    pid = os.fork()
    if pid == 0:
        try:
            page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            page.write(bytes.fromhex("53 b867010000 bb02000000 b901000000 31d2 cd80 5b c3"))
            made = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
            os._exit(0 if made >= 0 else 1)
        finally:
            os._exit(1)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        raise OSError(errno.EPERM, "killed")
    return "a socket"


@attempt
def write_sysrq():
    return write_open("/proc/sysrq-trigger")


@attempt
def write_user_namespaces():
    return write_open("/proc/sys/user/max_user_namespaces")


@attempt
def unshare_user():
    return call("unshare", 0x10000000)


@attempt
def unshare_mounts():
    return call("unshare", 0x20000)


@attempt
def clone_user():
    pid = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return "cloned"


@attempt
def clone3_user():
    pid = call("clone3", ctypes.create_string_buffer(struct.pack("<11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)), 88)
    if pid == 0:
        os._exit(0)
    return "cloned"


@attempt
def enter_namespace():
    fd = os.open("/proc/1/ns/net", os.O_RDONLY)
    return call("setns", fd, 0)


@attempt
def mount_tmpfs():
    return call("mount", ctypes.c_char_p(b"t"), ctypes.c_char_p(WS.encode()), ctypes.c_char_p(b"tmpfs"), 0, 0)


@attempt
def remount_root_writable():
    return call("mount", 0, ctypes.c_char_p(b"/"), 0, 32 | 4096, 0)


@attempt
def new_mount_interface():
    return call("open_tree", -100, ctypes.c_char_p(b"/"), 1)


@attempt
def change_root():
    os.chroot(WS)
    return "changed"


@attempt
def pivot_root():
    return call("pivot_root", ctypes.c_char_p(WS.encode()), ctypes.c_char_p(WS.encode()))


@attempt
def trace_process_1():
    return call("ptrace", 16, 1, 0, 0)


@attempt
def be_traced():
    return call("ptrace", 0, 0, 0, 0)


@attempt
def read_memory_of_process_1():
    return call("process_vm_readv", 1, ctypes.create_string_buffer(16), 1, ctypes.create_string_buffer(16), 1, 0)


@attempt
def load_bpf():
    return call("bpf", 0, ctypes.create_string_buffer(128), 128)


@attempt
def user_fault():
    return call("userfaultfd", 1)


@attempt
def perf_event():
    return call("perf_event_open", ctypes.create_string_buffer(struct.pack("<II", 1, 128) + bytes(120)), 0, -1, -1, 0)


@attempt
def key_ring():
    return call("keyctl", 0, -3, 1)


@attempt
def become_root():
    os.setuid(0)
    return os.getuid()


@attempt
def change_host_name():
    socket.sethostname("escaped")
    return "changed"


@attempt
def type_into_terminal():
    return call("ioctl", 0, 0x5412, ctypes.create_string_buffer(b"x"))


@attempt
def type_into_terminal_with_high_bits():
    return call("ioctl", 0, (1 << 32) | 0x5412, ctypes.create_string_buffer(b"x"))


@attempt
def other_personality():
    return call("personality", 0x0040000)


@attempt
def file_in_memory():
    return os.memfd_create("x")


@attempt
def shared_memory_of_system_v():
    return call("shmget", 0, 1 << 20, 0o1600)


@attempt
def raise_a_limit():
    return call("prlimit64", 0, 7, ctypes.create_string_buffer(struct.pack("<QQ", 100000, 100000)), 0)


# --- writing where nothing may be written


@attempt
def write_in_root():
    return make("/escaped")


@attempt
def write_in_usr():
    return make("/usr/lib/escaped")


@attempt
def write_in_etc():
    return make("/etc/escaped")


@attempt
def write_in_job():
    return make(HERE + "/escaped")


@attempt
def change_own_program():
    return write_open(HERE + "/main.py")


@attempt
def write_in_shared_memory():
    return make("/dev/shm/" + JOB["mark"])


@attempt
def write_in_tmp():
    return make("/tmp/" + JOB["mark"])


@attempt
def write_in_dev():
    return make("/dev/escaped")


@attempt
def write_in_proc():
    return make("/proc/escaped")


@attempt
def write_own_file_in_proc():
    return write_open("/proc/self/comm")


@attempt
def write_read_only_file():
    return write_open(WS + "/data/fixed.txt")


@attempt
def add_to_read_only_folder():
    return make(WS + "/data/more.txt")


@attempt
def remove_read_only_file():
    os.remove(WS + "/data/fixed.txt")
    return "removed"


@attempt
def move_read_only_folder():
    os.rename(WS + "/data", WS + "/elsewhere")
    return "moved"


@attempt
def replace_read_only_file():
    make(WS + "/other.txt")
    os.replace(WS + "/other.txt", WS + "/manifest.json")
    return "replaced"


@attempt
def change_mode_of_read_only_file():
    os.chmod(WS + "/data/fixed.txt", 0o777)
    return "changed"


# --- setuid files and devices


@attempt
def setuid_by_chmod():
    make(WS + "/s1")
    os.chmod(WS + "/s1", 0o4755)
    return "setuid"


@attempt
def setgid_by_chmod():
    make(WS + "/s2")
    os.chmod(WS + "/s2", 0o2755)
    return "setgid"


@attempt
def setuid_by_fchmod():
    fd = os.open(WS + "/s3", os.O_WRONLY | os.O_CREAT, 0o600)
    os.fchmod(fd, 0o4755)
    return "setuid"


@attempt
def setuid_by_fchmodat():
    make(WS + "/s4")
    return call("fchmodat", -100, ctypes.c_char_p((WS + "/s4").encode()), 0o4755)


@attempt
def setuid_by_fchmodat2():
    make(WS + "/s5")
    return call("fchmodat2", -100, ctypes.c_char_p((WS + "/s5").encode()), 0o4755, 0)


@attempt
def setuid_by_chmod_with_high_bits():
    make(WS + "/s6")
    return call("fchmodat", -100, ctypes.c_char_p((WS + "/s6").encode()), (1 << 32) | 0o4755)


@attempt
def setuid_by_open():
    return make(WS + "/s7", 0o4755)


@attempt
def setuid_by_creat():
    return call("creat", ctypes.c_char_p((WS + "/s8").encode()), 0o4755)


@attempt
def setuid_by_openat2():
    how = ctypes.create_string_buffer(struct.pack("<QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0))
    return call("openat2", -100, ctypes.c_char_p((WS + "/s9").encode()), how, 24)


@attempt
def setuid_by_mknod():
    os.mknod(WS + "/s10", 0o104755)
    return "setuid"


@attempt
def setuid_by_unnamed_file():
    return os.open(WS, os.O_TMPFILE | os.O_WRONLY, 0o4755)


@attempt
def file_capability():
    make(WS + "/cap")
    os.setxattr(WS + "/cap", "security.capability", struct.pack("<5I", 0x2000001, 1 << 21, 0, 0, 0))
    return "set"


@attempt
def make_device():
    os.mknod(WS + "/dev", 0o020600, os.makedev(1, 5))
    return "made"


@attempt
def make_block_device():
    os.mknod(WS + "/disk", 0o060600, os.makedev(254, 0))
    return "made"


@attempt
def make_fifo():
    os.mkfifo(WS + "/fifo")
    return "made"


# --- filling up


def fill(folder, files):
    """Writes files of 1 MiB until one does not fit."""
    made = []
    try:
        for i in range(files):
            made.append("%s/big%d" % (folder, i))
            with open(made[-1], "wb", 0) as f:
                written = f.write(bytes(1 << 20))
                if written < 1 << 20:
                    f.write(bytes(1 << 20))
    finally:
        for path in made:
            os.remove(path)
    return "%d MiB" % files


@attempt
def fill_temporary_folder():
    for i in range(40):
        with open("%s/big%d" % (TMP, i), "wb", 0) as f:
            if f.write(bytes(1 << 20)) < 1 << 20:
                f.write(bytes(1 << 20))
    time.sleep(10)  # where somebody has to look at it, not the kernel, this is seen
    return "40 MiB"


@attempt
def fill_shared_memory():
    return fill("/dev/shm", 70)


@attempt
def large_file():
    with open(WS + "/large", "wb", 0) as f:
        try:
            for _ in range(3):
                f.write(bytes(1 << 20))
        finally:
            os.remove(WS + "/large")
    return "3 MiB"


@attempt
def fork_without_end():
    started = []
    try:
        for _ in range(200):
            pid = os.fork()
            if pid == 0:
                time.sleep(600)
                os._exit(0)
            started.append(pid)
    finally:
        for pid in started:
            os.kill(pid, 9)
    return "%d children at one time" % len(started)


@attempt
def memory_by_many_processes():
    """Four children hold 150 MiB each, which each of them alone may."""
    reader, writer = os.pipe()
    children = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            held = bytearray(b"x") * (150 << 20)
            os.close(writer)
            time.sleep(600)
            os._exit(len(held) and 1)
        children.append(pid)
    os.close(writer)
    os.read(reader, 1)  # ends when all have their memory, or are dead
    alive = children
    for _ in range(500):  # where somebody has to look at it, not the kernel, this is seen
        alive = [pid for pid in alive if os.waitpid(pid, os.WNOHANG)[0] == 0]
        if len(alive) < 4:
            break
        time.sleep(0.01)
    for pid in alive:
        os.kill(pid, 9)
    if len(alive) < 4:
        raise OSError(errno.ENOMEM, "%d of 4" % len(alive))
    return "4 times 150 MiB"


@attempt
def leave_a_process():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", JOB["mark"]])
            os._exit(0)
        os.wait()
    return "started"


# These may end the program, so each has a run of its own.
APART = ("fill_temporary_folder", "fork_without_end", "memory_by_many_processes", "leave_a_process")

CONTROLS = (
    "read_shared_file",
    "list_host_folder",
    "write_in_host_folder",
    "find_host_file",
    "change_mode_of_host_file",
    "change_times_of_host_file",
    "truncate_host_file",
    "remove_host_file",
    "run_program_of_host",
    "run_file_of_workspace",
    "run_temporary_file",
    "run_file_of_workspace_by_loader",
    "find_host_process",
    "signal_thread_of_host_process",
    "queue_signal_to_host_process",
    "hold_host_process",
    "read_limit_of_host_process",
    "move_host_process_to_another_core",
    "change_priority_of_host_process",
    "send_by_pair_to_abstract_socket",
    "send_by_pair_to_socket_file",
    "listen_for_connections",
    "see_host_name",
    "secret_in_any_environment",
    "environment_of_host_process",
    "kill_host_process",
    "see_host_processes",
    "connect_to_loopback",
    "send_datagram",
    "connect_to_abstract_socket",
    "connect_to_socket_file",
    "socket_with_high_bits",
    "netlink_socket",
    "list_sys",
    "list_run",
    "file_in_memory",
)


def main():
    if CONFINED:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    out = open(int(os.environ["HELIOS_RESULT_FD"]) if CONFINED else 1, "wb")
    for name, act in ATTEMPTS.items():
        if name not in (JOB.get("only") or ATTEMPTS) or (name in APART) != bool(JOB.get("only")):
            continue
        if not CONFINED and name not in CONTROLS:
            continue
        try:
            outcome = "OPEN: %r" % (act(),)
        except OSError as e:
            outcome = errno.errorcode.get(e.errno, "timeout")
        except SystemExit:
            raise
        except BaseException as e:
            outcome = "%s: %s" % (type(e).__name__, e)
        data = json.dumps({"name": name, "outcome": outcome[:200]}).encode()
        out.write(len(data).to_bytes(4, "big") + data)
        out.flush()


main()
