package sandbox

import (
	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Where there are no namespaces, a program has the files and processes of the
// host around it. Landlock shuts the files and keeps signals in, but does not
// know of what follows, and the program may run as the very user whose the other
// files and processes are. So here the filter is narrower.

// ofFiles change the mode, owner or times of a file whose name is known, be it
// in reach for reading and writing or not.
var ofFiles = []string{
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "lchown",
	"utime", "utimes", "futimesat", "utimensat",
}

// filterAlone returns the filter for a program without namespaces.
func filterAlone() ([]byte, error) { return programOf(assembleAlone) }

func assembleAlone(info *arch.Info) ([]bpf.Instruction, error) {
	return assembleAfter(info, (*filter).alone)
}

func (f *filter) alone() {
	for _, name := range ofFiles {
		f.always(name, actRefuse)
	}
	// 0 is the caller itself; with another process's number these set the
	// limits, processors and priority of any process of the same user.
	for _, name := range []string{"prlimit64", "sched_setaffinity"} {
		f.rule(name, func(p *seccomp.Program) {
			f.ifEqual(0, 0, func() { p.Ret(actAllow) })
			p.Ret(actRefuse)
		})
	}
	// With a lease on a file, or told of changes in a folder, a program could hold
	// up or watch the others that use it.
	f.rule("fcntl", func(p *seccomp.Program) {
		f.ifEqual(1, unix.F_SETLEASE, func() { p.Ret(actRefuse) })
		f.ifEqual(1, unix.F_NOTIFY, func() { p.Ret(actRefuse) })
		p.Ret(actAllow)
	})
	f.rule("setpriority", func(p *seccomp.Program) {
		f.ifEqual(0, 0, func() { // PRIO_PROCESS; the others are a group and a user
			f.ifEqual(1, 0, func() { p.Ret(actAllow) })
		})
		p.Ret(actRefuse)
	})
}

// filterWorker returns the filter for Go code without namespaces: it starts no
// other process and no other program.
func filterWorker() ([]byte, error) { return programOf(assembleWorker) }

func assembleWorker(info *arch.Info) ([]bpf.Instruction, error) {
	return assembleAfter(info, (*filter).worker)
}

func (f *filter) worker() {
	f.alone()
	for _, name := range []string{"execve", "execveat", "fork", "vfork"} {
		f.always(name, actRefuse)
	}
	f.rule("clone", func(p *seccomp.Program) {
		f.ifBits(0, newSpaces, func() { p.Ret(actRefuse) })
		f.ifBits(0, unix.CLONE_THREAD, func() { p.Ret(actAllow) })
		p.Ret(actRefuse)
	})
}

// byName are the system calls that take the name of a file, and those that reach
// other processes. Go code that has started needs none of them.
var byName = []string{
	"access", "chdir", "creat", "faccessat", "faccessat2", "getxattr", "kill", "lgetxattr", "link", "linkat", "listxattr",
	"llistxattr", "lstat", "mkdir", "mkdirat", "newfstatat", "open", "openat", "openat2", "readlink", "readlinkat",
	"rename", "renameat", "renameat2", "rmdir", "rt_sigqueueinfo", "stat", "statfs", "statx", "symlink", "symlinkat",
	"tkill", "truncate", "unlink", "unlinkat",
}

// filterBare returns the filter for Go code that nothing but a filter holds.
func filterBare() ([]byte, error) {
	return programOf(func(info *arch.Info) ([]bpf.Instruction, error) {
		return assembleAfter(info, func(f *filter) {
			for _, name := range byName {
				f.always(name, actRefuse)
			}
			f.worker()
		})
	})
}
