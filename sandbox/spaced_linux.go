package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// spacedName is what the child is called that was born in namespaces of its own.
const spacedName = "helios-sandbox-spaced"

// Descriptors of that child. The third is the program's; the others end before
// the program begins.
const (
	fdOrder   = fdThird + 1 // what it is to do
	fdNote    = fdThird + 2 // where it says that it is confined
	fdRelease = fdThird + 3 // where it waits to be let go
)

// noteConfined says that all is in force; anything else says what went wrong.
const noteConfined = "confined"

// A spacedOrder is what the child is to do. It arrives in a file in memory: an
// argument could be read by every user of the host.
type spacedOrder struct {
	Root   rootPlan
	Dir    string // the working folder
	Rules  *ruleset
	Filter []byte
	Limits []limitOrder

	Path      string // the program, unless it is a worker
	Args, Env []string

	Worker string // the name of the worker that it becomes
	Memory int64  // bytes that the worker has to do with
}

type limitOrder struct {
	What     string
	Resource int
	Value    uint64
}

// runSpaced does not return when this process is that child.
func runSpaced() {
	if len(os.Args) != 1 || os.Args[0] != spacedName {
		return
	}
	runtime.LockOSThread()
	err := becomeSpaced()
	_, _ = fmt.Fprintln(os.NewFile(fdNote, "notes"), oneSentence(err.Error()))
	os.Exit(1)
}

// becomeSpaced returns only when something failed.
func becomeSpaced() error {
	// Nothing is collected: the process is about to become small and quiet, and a
	// collector that starts threads would take from the program's share.
	debug.SetGCPercent(-1)
	order, err := readSpacedOrder()
	if err != nil {
		return err
	}
	if err := closeAllBut(fdThird, fdNote, fdRelease); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return fmt.Errorf("name the sandbox: %w", err)
	}
	if err := order.Root.build(order.Dir); err != nil {
		return err
	}
	limits, err := order.limits()
	if err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if order.Rules != nil {
		if err := order.Rules.restrictProcess(); err != nil {
			return err
		}
	}
	if err := noNewPrivileges(); err != nil {
		return err
	}
	if err := filterProcess(order.Filter); err != nil {
		return err
	}
	if _, err := unix.Write(fdNote, []byte(noteConfined)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_ = unix.Close(fdNote)
	// From here on nobody listens: a failure shows in the exit code alone.
	if n, err := unix.Read(fdRelease, make([]byte, 1)); n != 1 || err != nil {
		os.Exit(1) // the owner is gone
	}
	_ = unix.Close(fdRelease)
	if order.Worker != "" {
		order.work(limits)
	}
	order.reap(limits)
	return nil // not reached
}

func readSpacedOrder() (*spacedOrder, error) {
	file := os.NewFile(fdOrder, "order")
	if file == nil {
		return nil, errors.New("no order was passed")
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read the order: %w", err)
	}
	order := new(spacedOrder)
	if err := json.Unmarshal(data, order); err != nil {
		return nil, fmt.Errorf("read the order: %w", err)
	}
	return order, nil
}

// closeAllBut closes what this process inherited and does not need. It is for a
// process that goes on as it is, in which closing on exec would be no help. What
// Go itself waits by stays open.
func closeAllBut(keep ...int) error {
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list the inherited descriptors: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 || slices.Contains(keep, fd) {
			continue
		}
		if to, err := os.Readlink(dir + "/" + e.Name()); err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			_ = unix.Close(fd)
		}
	}
	return nil
}

// limits are those of the order, as far as the host allows them.
func (o *spacedOrder) limits() ([]unix.Rlimit, error) {
	limits := make([]unix.Rlimit, len(o.Limits))
	for i, l := range o.Limits {
		var now unix.Rlimit
		if err := unix.Prlimit(0, l.Resource, nil, &now); err != nil {
			return nil, fmt.Errorf("read the limit on %s: %w", l.What, err)
		}
		value := min(l.Value, now.Max)
		limits[i] = unix.Rlimit{Cur: value, Max: value}
	}
	return limits, nil
}

// dropCapabilities takes every capability from every thread of this process, and
// from this thread, which starts the program, the right to ever gain one.
func dropCapabilities() error {
	for capability := uintptr(0); capability <= 63; capability++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) && capability > unix.CAP_CHOWN {
			break // the kernel knows no more of them
		}
		if err != nil {
			return fmt.Errorf("give up capability %d: %w", capability, err)
		}
	}
	if _, _, errno := psx.Syscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("give up the ambient capabilities: %w", errno)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if _, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0); errno != 0 { //nolint:gosec // no wrapper does it on all threads
		return fmt.Errorf("give up the capabilities: %w", errno)
	}
	return nil
}

// exitNoLimits is how the child ends that could not limit itself.
const exitNoLimits = 125

// work becomes the worker.
func (o *spacedOrder) work(limits []unix.Rlimit) {
	w := workerNamed(o.Worker)
	if w == nil {
		os.Exit(1)
	}
	for i, l := range o.Limits {
		if unix.Setrlimit(l.Resource, &limits[i]) != nil {
			os.Exit(exitNoLimits)
		}
	}
	debug.SetGCPercent(100)
	runtime.UnlockOSThread()
	w.run(os.NewFile(fdThird, "socket"), o.Memory)
}

// reap starts the program and stays behind as process 1, which takes in what
// loses its parent, until the program ends; with it everything does.
func (o *spacedOrder) reap(limits []unix.Rlimit) {
	program, err := o.prepare(limits)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// The program cannot look at this process, nor end it by a signal.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	pid, errno := program.start()
	if errno != 0 {
		fmt.Fprintf(os.Stderr, "start %s: %v\n", o.Path, errno)
		os.Exit(1)
	}
	// Not before: what is ignored stays so in what is started.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	for fd := range fdThird + 1 {
		_ = unix.Close(fd)
	}
	var status syscall.WaitStatus
	for {
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) || err == nil && ended != pid {
			continue
		}
		code := status.ExitStatus()
		if status.Signaled() {
			code = 128 + int(status.Signal())
		}
		os.Exit(code)
	}
}

// A limitedProgram is a program that is started with limits that its parent does
// not have: under them the parent, which is in Go, could run out of address
// space or threads at any moment.
type limitedProgram struct {
	path       *byte
	args, env  []*byte
	limits     []unix.Rlimit
	resources  []int
	all, saved uint64 // signal masks
}

func (o *spacedOrder) prepare(limits []unix.Rlimit) (*limitedProgram, error) {
	p := &limitedProgram{limits: limits, all: math.MaxUint64}
	var errs [3]error
	p.path, errs[0] = unix.BytePtrFromString(o.Path)
	p.args, errs[1] = syscall.SlicePtrFromStrings(o.Args)
	p.env, errs[2] = syscall.SlicePtrFromStrings(o.Env)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Path, err)
	}
	own, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("count the threads of the first process: %w", err)
	}
	for i, l := range o.Limits {
		p.resources = append(p.resources, l.Resource)
		if l.Resource != unix.RLIMIT_NPROC {
			continue
		}
		// The kernel counts the threads of this process among those of the program;
		// the limit has room for one already.
		var now unix.Rlimit
		if err := unix.Getrlimit(l.Resource, &now); err != nil {
			return nil, fmt.Errorf("read the limit on %s: %w", l.What, err)
		}
		limits[i].Max = min(limits[i].Max+uint64(min(len(own)-1, ownTasks-1)), now.Max)
		limits[i].Cur = limits[i].Max
	}
	return p, nil
}

// start forks, and in the child sets the limits and becomes the program. The
// child is a copy of this process with one thread, in which nothing of Go works
// but code that only makes system calls: no signal, no allocation, no growing
// stack. The caller has locked the thread.
//
//go:norace
func (p *limitedProgram) start() (pid int, errno syscall.Errno) {
	const maskSize, setMask = 8, 2
	path, args, env := unsafe.Pointer(p.path), unsafe.Pointer(&p.args[0]), unsafe.Pointer(&p.env[0]) //nolint:gosec // the arguments of system calls; no wrapper may be called below
	limits, resources := p.limits, p.resources
	all, saved := unsafe.Pointer(&p.all), unsafe.Pointer(&p.saved)                                   //nolint:gosec // as above
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(all), uintptr(saved), maskSize, 0, 0) //nolint:errcheck // there is nobody to tell
	child, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || child != 0 {
		unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(saved), 0, maskSize, 0, 0) //nolint:errcheck // there is nobody to tell
		return int(child), errno
	}
	for i := range limits {
		_, _, errno = unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(resources[i]), uintptr(unsafe.Pointer(&limits[i])), 0, 0, 0) //nolint:gosec // as above
		if errno != 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, exitNoLimits, 0, 0) //nolint:errcheck // there is nobody to tell
		}
	}
	unix.RawSyscall(unix.SYS_SETSID, 0, 0, 0)                                             //nolint:errcheck // there is nobody to tell
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(saved), 0, maskSize, 0, 0) //nolint:errcheck // there is nobody to tell
	unix.RawSyscall(unix.SYS_EXECVE, uintptr(path), uintptr(args), uintptr(env))          //nolint:errcheck // there is nobody to tell
	unix.RawSyscall(unix.SYS_EXIT_GROUP, exitNoProgram, 0, 0)                             //nolint:errcheck // there is nobody to tell
	return 0, 0                                                                           // not reached
}
