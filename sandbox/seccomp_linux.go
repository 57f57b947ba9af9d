package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter is an allow list: what it does not name is answered with ENOSYS,
// as an older kernel would, so that the C library takes its older way, and so
// that a system call of a kernel to come stays shut.

// allowed are the system calls that a program may make with any arguments. A
// name that an architecture does not have is left out there.
var allowed = []string{
	// Files that are already within reach of the mount namespace.
	"access", "chdir", "chown", "close", "close_range", "copy_file_range", "dup", "dup2", "dup3",
	"faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchown", "fchownat", "fcntl",
	"fdatasync", "fgetxattr", "flistxattr", "flock", "fstat", "fstatat", "fstatfs", "fsync",
	"ftruncate",
	"futimesat", "getcwd", "getdents", "getdents64", "getxattr", "lchown", "lgetxattr", "link",
	"linkat", "listxattr", "llistxattr", "lseek", "lstat", "mkdir", "mkdirat", "newfstatat",
	"pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead",
	"readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile",
	"splice", "stat", "statfs", "statx", "symlink", "symlinkat", "sync_file_range", "tee",
	"truncate", "umask", "unlink", "unlinkat", "utime", "utimensat", "utimes", "write", "writev",
	// Its own memory, all of it counted against the caps.
	"brk", "get_mempolicy", "madvise", "membarrier", "mincore", "mmap", "mprotect", "mremap",
	"msync", "munmap",
	// Its own processes and threads; clone has a rule of its own.
	"capget", "execve", "execveat", "exit", "exit_group", "fork", "futex", "get_robust_list",
	"getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid",
	"getppid", "getpriority", "getresgid", "getresuid", "getrlimit", "getrusage", "getsid",
	"gettid", "getuid", "kill", "prctl", "prlimit64", "restart_syscall", "rseq",
	"sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getattr",
	"sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity",
	"sched_yield", "set_robust_list", "set_tid_address", "setpgid", "setpriority", "setrlimit",
	"setsid", "sysinfo", "tgkill", "times", "tkill", "uname", "vfork", "wait4", "waitid",
	"arch_prctl", "getrandom",
	// Signals, clocks and waiting.
	"alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_create", "epoll_create1",
	"epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "getitimer",
	"gettimeofday", "nanosleep", "pause", "pipe", "pipe2", "poll", "ppoll", "pselect6",
	"rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
	"rt_sigsuspend", "rt_sigtimedwait", "select", "setitimer", "sigaltstack", "signalfd",
	"signalfd4", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
	"timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime",
	// A connected pair of its own, which asyncio needs; socket itself is refused.
	"getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg",
	"sendmsg", "sendto", "setsockopt", "shutdown",
}

// refused are system calls that a program may well try and that are answered
// with EPERM, so that its error message says "not permitted" and not "not
// implemented". All but the last three lines are doors out; those hold memory
// that no cap of ours sees.
var refused = []string{
	"accept", "accept4", "bind", "connect", "listen", "socket",
	"acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime",
	"delete_module", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module",
	"io_uring_enter", "io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp",
	"kexec_file_load", "kexec_load", "keyctl", "mknod", "mknodat", "mount", "mount_setattr",
	"move_mount", "move_pages", "name_to_handle_at", "open_by_handle_at", "open_tree",
	"perf_event_open", "personality", "pivot_root", "process_madvise", "process_vm_readv",
	"process_vm_writev", "ptrace", "quotactl", "reboot", "request_key", "setdomainname",
	"setfsgid", "setfsuid", "setgid", "setgroups", "sethostname", "setns", "setregid",
	"setresgid", "setresuid", "setreuid", "settimeofday", "setuid", "swapoff", "swapon",
	"syslog", "umount2", "unshare", "userfaultfd", "vhangup",
	"fremovexattr", "fsetxattr", "lremovexattr", "lsetxattr", "removexattr", "setxattr",
	"memfd_create", "memfd_secret", "mlock", "mlock2", "mlockall", "mq_open", "msgget",
	"semget", "shmat", "shmget", "vmsplice",
}

const (
	setidBits    = unix.S_ISUID | unix.S_ISGID
	creates      = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	newSpaces    = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	x32Bit       = 0x40000000 // marks a call of the x32 interface, which shares amd64's architecture number
	offsetNumber = 0          // of the fields of struct seccomp_data
	offsetArch   = 4

	fionbio  = 0x5421 // requests that x/sys/unix does not name, the same on every architecture here
	fionclex = 0x5450
	fioclex  = 0x5451
)

// harmlessIoctls are the only requests that ioctl accepts: questions about a
// terminal, flags of a descriptor, and cloning a file's extents. TIOCSTI and
// TIOCLINUX, which type into the caller's terminal, are not among them.
var harmlessIoctls = []uint32{
	unix.TCGETS, unix.TCSETS, unix.TCSETSW, unix.TCSETSF, unix.TIOCGWINSZ, unix.TIOCGPGRP,
	unix.TIOCINQ, fionbio, fionclex, fioclex, unix.FICLONE,
}

const (
	actAllow       = seccomp.ActionAllow
	actRefuse      = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	actUnknown     = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)
	actNotTerminal = seccomp.ActionErrno | seccomp.Action(unix.ENOTTY)
	actKill        = seccomp.ActionKillProcess
)

// filterProgram returns the filter for this machine as bwrap takes it: an array
// of struct sock_filter in the machine's byte order.
func filterProgram() ([]byte, error) { return programOf(assembleFilter) }

// programOf returns a filter for this machine as the kernel takes it.
func programOf(assemble func(*arch.Info) ([]bpf.Instruction, error)) ([]byte, error) {
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		return nil, fmt.Errorf("no table of system calls for %s", runtime.GOARCH)
	}
	instructions, err := assemble(info)
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(instructions)
	if err != nil {
		return nil, fmt.Errorf("assemble the system-call filter: %w", err)
	}
	program := make([]byte, 0, 8*len(raw))
	for _, in := range raw {
		program = binary.NativeEndian.AppendUint16(program, in.Op)
		program = append(program, in.Jt, in.Jf)
		program = binary.NativeEndian.AppendUint32(program, in.K)
	}
	return program, nil
}

// assembleFilter writes the filter for one architecture. The check of the
// architecture comes first and kills: a 32-bit call (int 0x80) has other
// numbers, so that no later rule could judge it.
func assembleFilter(info *arch.Info) ([]bpf.Instruction, error) {
	return assembleAfter(info, func(*filter) {})
}

// assembleAfter writes the filter with more rules before all others.
func assembleAfter(info *arch.Info, first func(*filter)) ([]bpf.Instruction, error) {
	f := filter{program: seccomp.NewProgram(), arch: info}
	first(&f)
	for _, name := range allowed {
		f.always(name, actAllow)
	}
	for _, name := range refused {
		f.always(name, actRefuse)
	}
	// Arguments are 64 bits wide, and of each of these the kernel reads the low
	// 32; so do the rules, or high bits would slip past them.
	for _, call := range []takesMode{{"chmod", 1}, {"fchmod", 1}, {"fchmodat", 2}, {"fchmodat2", 2}, {"creat", 1}} {
		f.rule(call.name, func(p *seccomp.Program) {
			f.ifBits(call.mode, setidBits, func() { p.Ret(actRefuse) })
			p.Ret(actAllow)
		})
	}
	for _, call := range []takesMode{{"open", 2}, {"openat", 3}} {
		f.rule(call.name, func(p *seccomp.Program) {
			f.ifBits(call.mode-1, creates, func() { // the flags come before the mode
				f.ifBits(call.mode, setidBits, func() { p.Ret(actRefuse) })
			})
			p.Ret(actAllow)
		})
	}
	f.rule("clone", func(p *seccomp.Program) {
		f.ifBits(0, newSpaces, func() { p.Ret(actRefuse) })
		p.Ret(actAllow)
	})
	f.rule("socketpair", func(p *seccomp.Program) {
		// A datagram socket, connected or not, sends to any address that it names.
		// SOCK_DGRAM and SOCK_RAW, which is the same here, have this bit in common.
		f.ifBits(1, unix.SOCK_DGRAM, func() { p.Ret(actRefuse) })
		f.ifEqual(0, unix.AF_UNIX, func() { p.Ret(actAllow) })
		p.Ret(actRefuse)
	})
	f.rule("ioctl", func(p *seccomp.Program) {
		for _, request := range harmlessIoctls {
			f.ifEqual(1, request, func() { p.Ret(actAllow) })
		}
		p.Ret(actNotTerminal)
	})
	f.program.Ret(actUnknown)
	rules, err := f.program.Assemble()
	if err != nil {
		return nil, fmt.Errorf("assemble the system-call filter: %w", err)
	}
	head := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(actKill)},
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
	}
	if info.ID == arch.X86_64.ID {
		head = append(head,
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1},
			bpf.RetConstant{Val: uint32(actKill)})
	}
	return append(head, rules...), nil
}

// takesMode is a system call and which of its arguments is a file mode.
type takesMode struct {
	name string
	mode uint32
}

// A filter collects rules. Between rules the accumulator holds the number of
// the system call; a rule that loads an argument ends in a return.
type filter struct {
	program seccomp.Program
	arch    *arch.Info
}

// rule adds what follows when the call is the named one.
func (f *filter) rule(name string, then func(*seccomp.Program)) {
	number, has := f.arch.SyscallNames[name]
	if !has {
		return
	}
	next := f.program.NewLabel()
	f.program.JmpIfTrue(bpf.JumpNotEqual, uint32(number), next)
	then(&f.program)
	f.program.SetLabel(next)
}

func (f *filter) always(name string, action seccomp.Action) {
	f.rule(name, func(p *seccomp.Program) { p.Ret(action) })
}

// ifBits adds then for the case that the argument has any of the bits.
func (f *filter) ifBits(argument, bits uint32, then func()) {
	f.when(argument, bpf.JumpBitsNotSet, bits, then)
}

// ifEqual adds then for the case that the argument is the value.
func (f *filter) ifEqual(argument, value uint32, then func()) {
	f.when(argument, bpf.JumpNotEqual, value, then)
}

func (f *filter) when(argument uint32, skip bpf.JumpTest, value uint32, then func()) {
	next := f.program.NewLabel()
	f.program.LdLo(argument)
	f.program.JmpIfTrue(skip, value, next)
	then()
	f.program.SetLabel(next)
}
