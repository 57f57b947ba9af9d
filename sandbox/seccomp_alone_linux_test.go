package sandbox

import (
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

func TestFilterWithoutNamespacesIsNarrower(t *testing.T) {
	t.Parallel()
	const high = 1 << 32
	cases := []struct {
		call string
		args []uint64
		want seccomp.Action
	}{
		{"fchmod", []uint64{3, 0o600}, actRefuse},
		{"fchmodat", []uint64{3, 0, 0o600}, actRefuse},
		{"fchmodat2", []uint64{3, 0, 0o600}, actRefuse},
		{"fchownat", nil, actRefuse},
		{"utimensat", nil, actRefuse},
		{"prlimit64", []uint64{0, 7}, actAllow},
		{"prlimit64", []uint64{1, 7}, actRefuse},
		{"prlimit64", []uint64{high, 7}, actAllow}, // the kernel reads 32 bits too
		{"sched_setaffinity", []uint64{0}, actAllow},
		{"sched_setaffinity", []uint64{77}, actRefuse},
		{"setpriority", []uint64{0, 0, 5}, actAllow},
		{"setpriority", []uint64{0, 77, 5}, actRefuse},
		{"setpriority", []uint64{2, 0, 5}, actRefuse}, // all processes of the user
		{"fcntl", []uint64{3, unix.F_SETLEASE}, actRefuse},
		{"fcntl", []uint64{3, unix.F_NOTIFY | high}, actRefuse},
		{"fcntl", []uint64{3, unix.F_SETFL}, actAllow},
		{"sched_setattr", nil, actUnknown},
		// The rest is as in the filter that the other layers use.
		{"read", nil, actAllow},
		{"openat", []uint64{0, 0, 0o101, 0o4755}, actRefuse},
		{"socket", []uint64{1}, actRefuse},
		{"ptrace", nil, actRefuse},
	}
	for _, info := range []*arch.Info{arch.X86_64, arch.AARCH64} {
		program, err := assembleAlone(info)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if got := decide(t, program, uint32(info.ID), uint32(info.SyscallNames[c.call]), c.args...); got != c.want {
				t.Errorf("%s: %s%#o: got %#x, want %#x", info.Name, c.call, c.args, uint32(got), uint32(c.want))
			}
		}
		if got := decide(t, program, uint32(arch.I386.ID), 0); got != actKill {
			t.Errorf("%s: a call of another architecture: got %#x, want %#x", info.Name, uint32(got), uint32(actKill))
		}
	}
}

func TestFilterOfWorkersStartsNothing(t *testing.T) {
	t.Parallel()
	for _, info := range []*arch.Info{arch.X86_64, arch.AARCH64} {
		program, err := assembleWorker(info)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			call string
			args []uint64
			want seccomp.Action
		}{
			{"execve", nil, actRefuse},
			{"execveat", nil, actRefuse},
			{"clone", []uint64{uint64(unix.SIGCHLD)}, actRefuse},
			{"clone", []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, actRefuse},
			{"clone", []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, actAllow},
			{"clone", []uint64{unix.CLONE_THREAD | unix.CLONE_NEWUSER}, actRefuse},
			{"clone3", nil, actUnknown},
			{"chmod", nil, actRefuse},
			{"fchmodat", nil, actRefuse},
			{"futex", nil, actAllow},
		} {
			number, has := info.SyscallNames[c.call]
			if !has {
				continue
			}
			if got := decide(t, program, uint32(info.ID), uint32(number), c.args...); got != c.want {
				t.Errorf("%s: %s%#x: got %#x, want %#x", info.Name, c.call, c.args, uint32(got), uint32(c.want))
			}
		}
	}
}
