package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// workerAttempts are the attempts of escapes.py that Go code can make without a
// workspace and without another program, under the same names.
var workerAttempts = map[string]func(h *host) error{
	"read_private_file":         func(h *host) error { return openFor(h.PrivateFile, unix.O_RDONLY) },
	"read_shared_file":          func(h *host) error { return openFor(h.SharedFile, unix.O_RDONLY) },
	"read_shadow":               func(*host) error { return openFor("/etc/shadow", unix.O_RDONLY) },
	"read_passwd":               func(*host) error { return openFor("/etc/passwd", unix.O_RDONLY) },
	"read_by_root_of_process_1": func(h *host) error { return openFor("/proc/1/root"+h.SharedFile, unix.O_RDONLY) },
	"read_by_cwd_of_process_1":  func(h *host) error { return openFor("/proc/1/cwd/../../.."+h.SharedFile, unix.O_RDONLY) },
	"read_by_dots":              func(h *host) error { return openFor("."+strings.Repeat("/..", 30)+h.SharedFile, unix.O_RDONLY) },
	"list_root_home":            func(*host) error { return list("/root") },
	"list_home":                 func(*host) error { return list("/home") },
	"list_sys":                  func(*host) error { return list("/sys") },
	"list_run":                  func(*host) error { return list("/run") },
	"list_var":                  func(*host) error { return list("/var") },
	"list_host_folder":          func(h *host) error { return list(h.dir) },
	"write_in_host_folder":      func(h *host) error { return makeFile(h.OpenFolder + "/escaped") },
	"find_host_file":            func(h *host) error { return unix.Stat(h.SharedFile, new(unix.Stat_t)) },
	"change_mode_of_host_file":  func(h *host) error { return unix.Chmod(h.OwnedFile, 0o600) },
	"change_times_of_host_file": func(h *host) error { return unix.Utimes(h.OwnedFile, make([]unix.Timeval, 2)) },
	"change_attributes_of_host_file": func(h *host) error {
		return unix.Setxattr(h.OwnedFile, "user.escaped", []byte("1"), 0)
	},
	"truncate_host_file": func(h *host) error { return unix.Truncate(h.OwnedFile, 0) },
	"remove_host_file":   func(h *host) error { return unix.Unlink(h.RemovableFile) },
	"open_by_handle": func(*host) error {
		return rawCall(unix.SYS_OPEN_BY_HANDLE_AT, uintptr(unix.AT_FDCWD&(1<<64-1)), scratch(), 0)
	},
	"run_program_of_host":  func(*host) error { return unix.Exec("/bin/true", []string{"true"}, nil) },
	"run_a_shell":          func(*host) error { return unix.Exec("/bin/sh", []string{"sh", "-c", "exit 0"}, nil) },
	"inherited_descriptor": func(*host) error { return inherited() },

	"secret_in_any_environment":   func(h *host) error { return inAny("environ", h.Secret) },
	"secret_in_any_command_line":  func(h *host) error { return inAny("cmdline", "victim") },
	"environment_of_host_process": func(h *host) error { return openFor(fmt.Sprintf("/proc/%d/environ", h.HostPID), unix.O_RDONLY) },
	"kill_host_process":           func(h *host) error { return unix.Kill(h.HostPID, 0) },
	"see_host_processes":          func(*host) error { return seeProcesses() },
	"memory_of_process_1":         func(*host) error { return openFor("/proc/1/mem", unix.O_WRONLY) },
	"find_host_process":           func(h *host) error { _, err := unix.Getpgid(h.HostPID); return err },
	"signal_thread_of_host_process": func(h *host) error {
		return unix.Tgkill(h.HostPID, h.HostPID, 0)
	},
	"hold_host_process": func(h *host) error { _, err := unix.PidfdOpen(h.HostPID, 0); return err },
	"read_limit_of_host_process": func(h *host) error {
		return unix.Prlimit(h.HostPID, unix.RLIMIT_NOFILE, nil, new(unix.Rlimit))
	},
	"move_host_process_to_another_core": func(h *host) error {
		var set unix.CPUSet
		set.Set(0)
		return unix.SchedSetaffinity(h.HostPID, &set)
	},
	"change_priority_of_host_process": func(h *host) error { return unix.Setpriority(unix.PRIO_PROCESS, h.HostPID, 19) },
	"signal_own_supervisor":           func(*host) error { return unix.Kill(unix.Getppid(), 0) },

	"connect_to_loopback":        func(h *host) error { return dial("tcp", "127.0.0.1:"+strconv.Itoa(h.Port)) },
	"send_datagram":              func(h *host) error { return dial("udp", "127.0.0.1:"+strconv.Itoa(h.Port)) },
	"connect_to_abstract_socket": func(h *host) error { return dial("unix", "@"+h.Abstract) },
	"connect_to_socket_file":     func(h *host) error { return dial("unix", h.SocketFile) },
	"send_by_pair_to_abstract_socket": func(h *host) error {
		return sendByPair("@" + h.AbstractDatagrams)
	},
	"send_by_pair_to_socket_file": func(h *host) error { return sendByPair(h.DatagramFile) },
	"listen_for_connections":      func(*host) error { return newSocket(unix.AF_INET, unix.SOCK_STREAM) },
	"multipath_socket": func(*host) error {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 262)
		return err
	},
	"socket_with_high_bits": func(*host) error { return rawCall(unix.SYS_SOCKET, 1<<32|unix.AF_INET, unix.SOCK_STREAM, 0) },
	"socket_pair_of_internet": func(*host) error {
		_, err := unix.Socketpair(unix.AF_INET, unix.SOCK_STREAM, 0)
		return err
	},
	"netlink_socket": func(*host) error { return newSocket(unix.AF_NETLINK, unix.SOCK_RAW) },
	"packet_socket":  func(*host) error { return newSocket(unix.AF_PACKET, unix.SOCK_RAW) },
	"vsock_socket":   func(*host) error { return newSocket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"io_uring":       func(*host) error { return rawCall(unix.SYS_IO_URING_SETUP, 1, scratch(), 0) },
	"see_host_interfaces": func(*host) error {
		return openFor("/proc/net/dev", unix.O_RDONLY)
	},

	"write_core_pattern":    func(*host) error { return openFor("/proc/sys/kernel/core_pattern", unix.O_WRONLY) },
	"write_sysrq":           func(*host) error { return openFor("/proc/sysrq-trigger", unix.O_WRONLY) },
	"write_user_namespaces": func(*host) error { return openFor("/proc/sys/user/max_user_namespaces", unix.O_WRONLY) },
	"unshare_user":          func(*host) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"unshare_mounts":        func(*host) error { return unix.Unshare(unix.CLONE_NEWNS) },
	"clone_user":            func(*host) error { return clone(unix.CLONE_NEWUSER) },
	"start_a_process":       func(*host) error { return clone(0) },
	"clone3_user":           func(*host) error { return rawCall(unix.SYS_CLONE3, scratch(), 88, 0) },
	"enter_namespace":       func(*host) error { return unix.Setns(0, 0) },
	"mount_tmpfs":           func(*host) error { return unix.Mount("t", "/", "tmpfs", 0, "") },
	"remount_root_writable": func(*host) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"new_mount_interface":   func(*host) error { _, err := unix.OpenTree(unix.AT_FDCWD, "/", 1); return err },
	"change_root":           func(*host) error { return unix.Chroot("/") },
	"pivot_root":            func(*host) error { return unix.PivotRoot("/", "/") },
	"trace_process_1":       func(*host) error { return unix.PtraceAttach(1) },
	"be_traced":             func(*host) error { return rawCall(unix.SYS_PTRACE, 0, 0, 0) },
	"read_memory_of_process_1": func(*host) error {
		return rawCall(unix.SYS_PROCESS_VM_READV, 1, scratch(), 1)
	},
	"load_bpf":         func(*host) error { return rawCall(unix.SYS_BPF, 0, scratch(), 128) },
	"user_fault":       func(*host) error { return rawCall(unix.SYS_USERFAULTFD, 1, 0, 0) },
	"perf_event":       func(*host) error { return rawCall(unix.SYS_PERF_EVENT_OPEN, scratch(), 0, 0) },
	"key_ring":         func(*host) error { return rawCall(unix.SYS_KEYCTL, 0, 1<<64-3, 1) },
	"become_root":      func(*host) error { return rawCall(unix.SYS_SETUID, 0, 0, 0) },
	"change_host_name": func(*host) error { return unix.Sethostname([]byte("escaped")) },
	"type_into_terminal": func(*host) error {
		return rawCall(unix.SYS_IOCTL, 0, unix.TIOCSTI, scratch())
	},
	"type_into_terminal_with_high_bits": func(*host) error {
		return rawCall(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI, scratch())
	},
	"other_personality":         func(*host) error { return rawCall(unix.SYS_PERSONALITY, 0x0040000, 0, 0) },
	"file_in_memory":            func(*host) error { _, err := unix.MemfdCreate("x", 0); return err },
	"shared_memory_of_system_v": func(*host) error { _, err := unix.SysvShmGet(0, 1<<20, 0o1600); return err },
	"raise_a_limit": func(*host) error {
		return unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100000, Max: 100000}, nil)
	},
	"read_kernel_command_line": func(*host) error { return openFor("/proc/cmdline", unix.O_RDONLY) },
	"read_memory_of_machine":   func(*host) error { return openFor("/proc/meminfo", unix.O_RDONLY) },
	"read_kernel_symbols":      func(*host) error { return openFor("/proc/kallsyms", unix.O_RDONLY) },
	"read_kernel_log":          func(*host) error { return rawCall(unix.SYS_SYSLOG, 3, scratch(), 64) },
	"read_mounts":              func(*host) error { return openFor("/proc/self/mountinfo", unix.O_RDONLY) },
	"see_host_name": func(h *host) error {
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return err
		}
		if unix.ByteSliceToString(u.Nodename[:]) != h.HostName {
			return unix.ENOENT
		}
		return nil
	},

	"write_in_root":          func(*host) error { return makeFile("/escaped") },
	"write_in_usr":           func(*host) error { return makeFile("/usr/lib/escaped") },
	"write_in_etc":           func(*host) error { return makeFile("/etc/escaped") },
	"write_in_shared_memory": func(h *host) error { return makeFile("/dev/shm/" + h.Mark) },
	"write_in_tmp":           func(h *host) error { return makeFile("/tmp/" + h.Mark) },
	"write_in_dev":           func(*host) error { return makeFile("/dev/escaped") },
	"write_in_proc":          func(*host) error { return makeFile("/proc/escaped") },
	"write_own_file_in_proc": func(*host) error { return openFor("/proc/self/comm", unix.O_WRONLY) },
	"make_device":            func(h *host) error { return unix.Mknod(h.OpenFolder+"/dev", unix.S_IFCHR|0o600, 1<<8|5) },
	"make_block_device":      func(h *host) error { return unix.Mknod(h.OpenFolder+"/disk", unix.S_IFBLK|0o600, 254<<8) },
	"make_fifo":              func(h *host) error { return unix.Mkfifo(h.OpenFolder+"/fifo", 0o600) },
	"setuid_by_open":         func(h *host) error { return openMode(h.OpenFolder+"/s", 0o4755) },
	"setuid_by_mknod":        func(h *host) error { return unix.Mknod(h.OpenFolder+"/s", unix.S_IFREG|0o4755, 0) },
}

func scratch() uintptr { return uintptr(unsafe.Pointer(&scratchBytes[0])) }

var scratchBytes [256]byte

func rawCall(number, a, b, c uintptr) error {
	_, _, errno := unix.RawSyscall(number, a, b, c)
	return errnoOrNil(errno)
}

func openFor(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func openMode(path string, mode uint32) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC, mode)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func makeFile(path string) error { return openMode(path, 0o600) }

func list(path string) error {
	found, err := os.ReadDir(path)
	if err == nil && len(found) == 0 {
		return unix.ENOENT // an empty one of its own
	}
	return err
}

func newSocket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func sendByPair(name string) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: name})
}

func clone(flags uintptr) error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return errnoOrNil(errno)
}

// inherited looks for descriptors beyond the four that a worker has and those
// that Go's runtime makes for itself, which are no files and no sockets.
func inherited() error {
	for fd := 4; fd < 1024; fd++ {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != 0 {
			return nil
		}
	}
	return unix.ENOENT
}

func inAny(file, word string) error {
	names, _ := filepath.Glob("/proc/[0-9]*/" + file)
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), word) {
			return nil
		}
	}
	return unix.ENOENT
}

func seeProcesses() error {
	found, err := filepath.Glob("/proc/[0-9]*")
	if err == nil && len(found) <= 3 {
		return unix.ENOENT
	}
	return err
}

// escapeWorker reads the host from its socket and answers with what came of each
// attempt.
func escapeWorker(conn *os.File) int {
	var h host
	if err := json.NewDecoder(conn).Decode(&h); err != nil {
		return 1
	}
	h.dir = filepath.Dir(h.SharedFile)
	found := map[string]string{}
	for name, attempt := range workerAttempts {
		err := attempt(&h)
		if errno := unix.Errno(0); errors.As(err, &errno) {
			found[name] = unix.ErrnoName(errno)
		} else if err != nil {
			found[name] = err.Error()
		} else {
			found[name] = "OPEN"
		}
	}
	if err := json.NewEncoder(conn).Encode(found); err != nil {
		return 1
	}
	return 0
}

// workerOutcomes runs the attempts in a worker.
func (h *host) workerOutcomes(t *testing.T, s *Sandbox) map[string]string {
	t.Helper()
	h.restore(t)
	p, err := s.Start(t.Context(), &Job{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { p.Kill(); <-p.Done() }()
	conn := p.Conn()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if err := json.NewEncoder(conn).Encode(h); err != nil {
		t.Fatal(err)
	}
	var found map[string]string
	if err := json.NewDecoder(io.LimitReader(conn, 1<<20)).Decode(&found); err != nil {
		res, _ := p.Wait()
		t.Fatalf("the worker did not report: %v; %s", err, short(res))
	}
	h.untouched(t)
	return maps.Clone(found)
}
