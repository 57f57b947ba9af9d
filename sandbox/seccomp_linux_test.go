package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// decide runs the filter for one call in the BPF machine of x/net, which reads
// big-endian words, so the words of struct seccomp_data are laid out so.
func decide(t *testing.T, program []bpf.Instruction, archID, number uint32, args ...uint64) seccomp.Action {
	t.Helper()
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[0:], number)
	binary.BigEndian.PutUint32(data[4:], archID)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(a>>32))
	}
	action, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return seccomp.Action(uint32(action))
}

func TestFilterDecidesByArguments(t *testing.T) {
	t.Parallel()
	const high = 1 << 32
	cases := []struct {
		call string
		args []uint64
		want seccomp.Action
	}{
		{"read", nil, actAllow},
		{"execve", nil, actAllow},
		{"openat", []uint64{0, 0, 0, 0}, actAllow},
		{"openat", []uint64{0, 0, 0o101, 0o644}, actAllow},
		{"openat", []uint64{0, 0, 0o101, 0o4755}, actRefuse},
		{"openat", []uint64{0, 0, 0o101 | high, 0o2755 | high}, actRefuse},
		{"openat", []uint64{0, 0, 0o1, 0o4755}, actAllow}, // without O_CREAT the mode is not read
		{"openat", []uint64{0, 0, 0o20000000, 0o4755}, actRefuse},
		{"openat2", nil, actUnknown}, // its mode is behind a pointer
		{"fchmod", []uint64{3, 0o755}, actAllow},
		{"fchmod", []uint64{3, 0o4755}, actRefuse},
		{"fchmod", []uint64{3, 0o2000 | high}, actRefuse},
		{"fchmodat", []uint64{3, 0, 0o4000}, actRefuse},
		{"fchmodat2", []uint64{3, 0, 0o4000}, actRefuse},
		{"fchmodat2", []uint64{3, 0, 0o644}, actAllow},
		{"mknodat", nil, actRefuse},
		{"socket", []uint64{1}, actRefuse},
		{"socket", []uint64{2}, actRefuse},
		{"socketpair", []uint64{1, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, actAllow},
		{"socketpair", []uint64{1, unix.SOCK_SEQPACKET}, actAllow},
		{"socketpair", []uint64{1, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, actRefuse},
		{"socketpair", []uint64{1, unix.SOCK_RAW}, actRefuse},
		{"socketpair", []uint64{1 | high}, actAllow}, // the kernel reads 32 bits too
		{"socketpair", []uint64{2}, actRefuse},
		{"socketpair", []uint64{40}, actRefuse},
		{"clone", []uint64{0x3d0f00}, actAllow},
		{"clone", []uint64{0x10000000}, actRefuse}, // CLONE_NEWUSER
		{"clone", []uint64{0x20000000 | high}, actRefuse},
		{"clone3", nil, actUnknown},
		{"ioctl", []uint64{0, 0x5401}, actAllow},
		{"ioctl", []uint64{0, 0x5412}, actNotTerminal}, // TIOCSTI
		{"ioctl", []uint64{0, 0x5412 | high}, actNotTerminal},
		{"unshare", nil, actRefuse},
		{"setns", nil, actRefuse},
		{"mount", nil, actRefuse},
		{"ptrace", nil, actRefuse},
		{"bpf", nil, actRefuse},
		{"io_uring_setup", nil, actRefuse},
		{"memfd_create", nil, actRefuse},
		{"landlock_create_ruleset", nil, actUnknown},
	}
	for _, info := range []*arch.Info{arch.X86_64, arch.AARCH64} {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			program, err := assembleFilter(info)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				number, ok := info.SyscallNames[c.call]
				if !ok {
					t.Errorf("%s: no such system call", c.call)
					continue
				}
				if got := decide(t, program, uint32(info.ID), uint32(number), c.args...); got != c.want {
					t.Errorf("%s%#o: got %#x, want %#x", c.call, c.args, uint32(got), uint32(c.want))
				}
			}
			if got := decide(t, program, uint32(info.ID), 900); got != actUnknown {
				t.Errorf("a system call to come: got %#x, want %#x", uint32(got), uint32(actUnknown))
			}
		})
	}
}

func TestFilterKillsOtherArchitectures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ours, other *arch.Info }{
		{arch.X86_64, arch.I386}, {arch.X86_64, arch.AARCH64}, {arch.AARCH64, arch.ARM}, {arch.AARCH64, arch.X86_64},
	} {
		program, err := assembleFilter(c.ours)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []uint32{0, 1, 63, 359} { // 359 is socket on i386
			if got := decide(t, program, uint32(c.other.ID), number); got != actKill {
				t.Errorf("%s call %d under the filter of %s: got %#x, want %#x", c.other.Name, number, c.ours.Name, uint32(got), uint32(actKill))
			}
		}
	}
	program, err := assembleFilter(arch.X86_64)
	if err != nil {
		t.Fatal(err)
	}
	if got := decide(t, program, uint32(arch.X86_64.ID), x32Bit|1); got != actKill {
		t.Errorf("an x32 call: got %#x, want %#x", uint32(got), uint32(actKill))
	}
}

// Without one of these no program starts. The numbers are the kernel's own, as
// the table of names calls some of them otherwise.
func TestFilterLetsProgramsStart(t *testing.T) {
	t.Parallel()
	for info, numbers := range map[*arch.Info]map[string]uint32{
		arch.X86_64: {
			"read": 0, "write": 1, "close": 3, "newfstatat": 262, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
			"rt_sigaction": 13, "pread64": 17, "execve": 59, "exit_group": 231, "futex": 202, "clone": 56, "wait4": 61,
			"openat": 257, "getdents64": 217, "readlink": 89, "prlimit64": 302, "getrandom": 318, "statx": 332, "rseq": 334,
			"set_tid_address": 218, "set_robust_list": 273, "arch_prctl": 158, "lseek": 8, "ioctl": 16,
		},
		arch.AARCH64: {
			"read": 63, "write": 64, "close": 57, "newfstatat": 79, "mmap": 222, "mprotect": 226, "munmap": 215, "brk": 214,
			"rt_sigaction": 134, "pread64": 67, "execve": 221, "exit_group": 94, "futex": 98, "clone": 220, "wait4": 260,
			"openat": 56, "getdents64": 61, "readlinkat": 78, "prlimit64": 261, "getrandom": 278, "statx": 291, "rseq": 293,
			"set_tid_address": 96, "set_robust_list": 99, "lseek": 62, "ioctl": 29, "fstat": 80, "fcntl": 25,
		},
	} {
		program, err := assembleFilter(info)
		if err != nil {
			t.Fatal(err)
		}
		for name, number := range numbers {
			if got := decide(t, program, uint32(info.ID), number, 0, 0x5401); got != actAllow {
				t.Errorf("%s on %s: got %#x, want %#x", name, info.Name, uint32(got), uint32(actAllow))
			}
		}
	}
}

// A misspelt name would be left out in silence.
func TestFilterNamesAreSystemCalls(t *testing.T) {
	t.Parallel()
	names := append(slices.Clone(allowed), refused...)
	slices.Sort(names)
	if twice := len(names) - len(slices.Compact(slices.Clone(names))); twice != 0 {
		t.Errorf("%d names are given twice", twice)
	}
	for _, name := range names {
		_, amd := arch.X86_64.SyscallNames[name]
		_, arm := arch.AARCH64.SyscallNames[name]
		if !amd && !arm {
			t.Errorf("%s is no system call of amd64 or arm64", name)
		}
	}
}
