# Ways out of a sandbox, one function each. An attempt that succeeds returns
# something; one that is refused raises OSError. What each is refused with goes to the
# host as one frame. The same file runs unconfined on the host for the attempts
# in CONTROLS, which must succeed there, or being refused would prove nothing.
import ctypes
import errno
import glob
import json
import os
import socket
import struct
import sys

JOB = json.load(open(sys.argv[1] if len(sys.argv) > 1 else "/job/job.json"))
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
    return read("/ws/" + "../" * 30 + JOB["shared_file"].lstrip("/"))


@attempt
def read_by_symlink():
    os.symlink(JOB["shared_file"], "/ws/link-file")
    return read("/ws/link-file")


@attempt
def read_by_symlink_to_folder():
    os.symlink(os.path.dirname(JOB["shared_file"]), "/ws/link-folder")
    return read("/ws/link-folder/" + os.path.basename(JOB["shared_file"]))


@attempt
def read_by_symlink_to_root():
    os.symlink("/proc/1/root", "/ws/link-root")
    return read("/ws/link-root" + JOB["shared_file"])


@attempt
def write_by_symlink():
    os.symlink(JOB["shared_file"], "/ws/link-write")
    return write_open("/ws/link-write")


@attempt
def hard_link_out_of_usr():
    os.link("/usr/bin/python3", "/ws/hard")
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
    return call("mount", ctypes.c_char_p(b"t"), ctypes.c_char_p(b"/ws"), ctypes.c_char_p(b"tmpfs"), 0, 0)


@attempt
def remount_root_writable():
    return call("mount", 0, ctypes.c_char_p(b"/"), 0, 32 | 4096, 0)


@attempt
def new_mount_interface():
    return call("open_tree", -100, ctypes.c_char_p(b"/"), 1)


@attempt
def change_root():
    os.chroot("/ws")
    return "changed"


@attempt
def pivot_root():
    return call("pivot_root", ctypes.c_char_p(b"/ws"), ctypes.c_char_p(b"/ws"))


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
    return make("/job/escaped")


@attempt
def change_own_program():
    return write_open("/job/main.py")


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
    return write_open("/ws/data/fixed.txt")


@attempt
def add_to_read_only_folder():
    return make("/ws/data/more.txt")


@attempt
def remove_read_only_file():
    os.remove("/ws/data/fixed.txt")
    return "removed"


@attempt
def move_read_only_folder():
    os.rename("/ws/data", "/ws/elsewhere")
    return "moved"


@attempt
def replace_read_only_file():
    make("/ws/other.txt")
    os.replace("/ws/other.txt", "/ws/manifest.json")
    return "replaced"


@attempt
def change_mode_of_read_only_file():
    os.chmod("/ws/data/fixed.txt", 0o777)
    return "changed"


# --- setuid files and devices


@attempt
def setuid_by_chmod():
    make("/ws/s1")
    os.chmod("/ws/s1", 0o4755)
    return "setuid"


@attempt
def setgid_by_chmod():
    make("/ws/s2")
    os.chmod("/ws/s2", 0o2755)
    return "setgid"


@attempt
def setuid_by_fchmod():
    fd = os.open("/ws/s3", os.O_WRONLY | os.O_CREAT, 0o600)
    os.fchmod(fd, 0o4755)
    return "setuid"


@attempt
def setuid_by_fchmodat():
    make("/ws/s4")
    return call("fchmodat", -100, ctypes.c_char_p(b"/ws/s4"), 0o4755)


@attempt
def setuid_by_fchmodat2():
    make("/ws/s5")
    return call("fchmodat2", -100, ctypes.c_char_p(b"/ws/s5"), 0o4755, 0)


@attempt
def setuid_by_chmod_with_high_bits():
    make("/ws/s6")
    return call("fchmodat", -100, ctypes.c_char_p(b"/ws/s6"), (1 << 32) | 0o4755)


@attempt
def setuid_by_open():
    return make("/ws/s7", 0o4755)


@attempt
def setuid_by_creat():
    return call("creat", ctypes.c_char_p(b"/ws/s8"), 0o4755)


@attempt
def setuid_by_openat2():
    how = ctypes.create_string_buffer(struct.pack("<QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0))
    return call("openat2", -100, ctypes.c_char_p(b"/ws/s9"), how, 24)


@attempt
def setuid_by_mknod():
    os.mknod("/ws/s10", 0o104755)
    return "setuid"


@attempt
def setuid_by_unnamed_file():
    return os.open("/ws", os.O_TMPFILE | os.O_WRONLY, 0o4755)


@attempt
def file_capability():
    make("/ws/cap")
    os.setxattr("/ws/cap", "security.capability", struct.pack("<5I", 0x2000001, 1 << 21, 0, 0, 0))
    return "set"


@attempt
def make_device():
    os.mknod("/ws/dev", 0o020600, os.makedev(1, 5))
    return "made"


@attempt
def make_block_device():
    os.mknod("/ws/disk", 0o060600, os.makedev(254, 0))
    return "made"


@attempt
def make_fifo():
    os.mkfifo("/ws/fifo")
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
    return fill("/tmp", 40)


@attempt
def fill_shared_memory():
    return fill("/dev/shm", 70)


@attempt
def large_file():
    with open("/ws/large", "wb", 0) as f:
        try:
            for _ in range(3):
                f.write(bytes(1 << 20))
        finally:
            os.remove("/ws/large")
    return "3 MiB"


CONTROLS = (
    "read_shared_file",
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
    confined = len(sys.argv) == 1
    if confined:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    out = open(int(os.environ["HELIOS_RESULT_FD"]) if confined else 1, "wb")
    for name, act in ATTEMPTS.items():
        if not confined and name not in CONTROLS:
            continue
        try:
            outcome = "OPEN: %r" % (act(),)
        except OSError as e:
            outcome = errno.errorcode.get(e.errno, "timeout")
        except BaseException as e:
            outcome = "%s: %s" % (type(e).__name__, e)
        data = json.dumps({"name": name, "outcome": outcome[:200]}).encode()
        out.write(len(data).to_bytes(4, "big") + data)
        out.flush()


main()
