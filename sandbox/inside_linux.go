package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// insideName is what the re-executed child is called that confines itself
// without namespaces.
const insideName = "helios-sandbox-inside"

// Descriptors of that child. The third is the program's; the others end with
// the child.
const (
	fdOrders = fdThird + 1 // from the owner
	fdNotes  = fdThird + 2 // to the owner
	fdEntry  = fdThird + 3 // the first of those that are for entering cgroups
)

// What the child notes, a line each; anything else says what went wrong.
const (
	noteJoined = "joined" // it is in its groups, and waits
	noteReady  = "ready"  // it is confined, and becomes the program
)

// An insideOrder is what the child is to become. It arrives on a pipe: an
// argument could be read by every user of the host.
type insideOrder struct {
	UID, GID int // 0: stay who we are
	Groups   int // how many descriptors from fdEntry on are for entering cgroups
	Rules    *ruleset
	Filter   []byte
	Limits   []insideLimit

	Path      string // the program, unless it is a worker
	Args, Env []string
	Dir       string

	Worker string // the name of the worker that it is
	Memory int64  // bytes that a worker should do with
}

type insideLimit struct {
	What     string
	Resource int
	Value    uint64
}

// runInside does not return when this process is that child.
func runInside() {
	runBait()
	if len(os.Args) != 1 || os.Args[0] != insideName {
		return
	}
	runtime.LockOSThread()
	err := becomeInside()
	notes := os.NewFile(fdNotes, "notes")
	fmt.Fprintln(notes, oneSentence(err.Error()))
	os.Exit(1)
}

// becomeInside confines this process and replaces it by the program. It returns
// only when something failed.
func becomeInside() error {
	pipe := os.NewFile(fdOrders, "orders")
	orders := json.NewDecoder(pipe)
	var o insideOrder
	if err := orders.Decode(&o); err != nil {
		return fmt.Errorf("read what to start: %w", err)
	}
	if err := enterGroups(o.Groups, o.Worker != ""); err != nil {
		return err
	}
	for fd := fdEntry; fd < fdEntry+o.Groups; fd++ {
		_ = unix.Close(fd) // a worker goes on with what is open
	}
	if err := note(noteJoined); err != nil {
		return err
	}
	var goOn bool
	if err := orders.Decode(&goOn); err != nil || !goOn {
		return errors.New("the owner is gone")
	}
	_ = pipe.Close()
	// A supervisor whose death this process follows is its parent already; a
	// change of user undoes that.
	supervisor := os.Getppid()
	if err := dropTo(o.UID, o.GID); err != nil {
		return err
	}
	if err := dieWith(supervisor); err != nil {
		return err
	}
	if err := keepDescriptors(fdThird, fdThird); err != nil {
		return err
	}
	// Should the kernel run out of memory, this goes first.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	syscall.Umask(0o077)
	if err := os.Chdir(o.Dir); err != nil {
		return fmt.Errorf("enter the working folder: %w", err)
	}
	if o.Worker != "" {
		return o.work()
	}
	return o.exec()
}

func note(text string) error {
	_, err := unix.Write(fdNotes, []byte(text+"\n"))
	return err
}

// enterGroups moves this process into its cgroups, each by an open file: the
// tasks of a v1 group take one thread, and the folder of a v2 group takes the
// whole process. Under v1 the calling thread is enough where it is the one that
// exec will leave.
func enterGroups(count int, all bool) error {
	for fd := fdEntry; fd < fdEntry+count; fd++ {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return groupError(err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			if err := enterTasks(fd, all); err != nil {
				return err
			}
			continue
		}
		procs, err := unix.Openat(fd, "cgroup.procs", unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return groupError(err)
		}
		_, err = unix.Write(procs, []byte("0"))
		_ = unix.Close(procs)
		if err != nil {
			return groupError(err)
		}
	}
	return nil
}

// enterTasks moves the calling thread into a v1 group, or all threads: those that
// are made from then on are born in the group of the one that makes them, so it
// is done when every thread that there is was moved.
func enterTasks(fd int, all bool) error {
	if !all {
		return join(fd, 1)
	}
	moved := map[string]bool{}
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return groupError(err)
		}
		before := len(moved)
		for _, thread := range threads {
			if moved[thread.Name()] {
				continue
			}
			if _, err := unix.Write(fd, []byte(thread.Name())); err != nil && !errors.Is(err, unix.ESRCH) {
				return groupError(err)
			}
			moved[thread.Name()] = true
		}
		if len(moved) == before {
			return nil
		}
	}
}

// exec becomes another program.
func (o *insideOrder) exec() error {
	path, err := unix.BytePtrFromString(o.Path)
	if err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(o.Args)
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(o.Env)
	if err != nil {
		return err
	}
	limits := make([]unix.Rlimit, len(o.Limits))
	if err := o.readLimits(limits); err != nil {
		return err
	}
	if err := o.Rules.restrictThread(); err != nil {
		return err
	}
	if err := filterThread(o.Filter); err != nil {
		return err
	}
	if err := note(noteReady); err != nil {
		return err
	}
	// From the first limit on, Go may not get the memory that it asks for, so
	// nothing that could ask stands between that and the new program.
	for i := range limits {
		_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(o.Limits[i].Resource), uintptr(unsafe.Pointer(&limits[i])), 0, 0, 0) //nolint:gosec // G103: the argument of prlimit
		if errno != 0 {
			leave(exitNoLimit)
		}
	}
	//nolint:gosec // G103: the arguments of execve
	if _, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&env[0]))); errno != 0 {
		leave(exitNoProgram)
	}
	return nil // not reached
}

// leave ends this process without any memory of Go's.
func leave(code uintptr) {
	for {
		if _, _, errno := unix.RawSyscall(unix.SYS_EXIT_GROUP, code, 0, 0); errno != 0 {
			continue
		}
	}
}

// How the child ends when all but the last step went well.
const (
	exitNoLimit   = 125
	exitNoProgram = 126
)

// readLimits lowers each limit to what the host allows.
func (o *insideOrder) readLimits(limits []unix.Rlimit) error {
	for i, l := range o.Limits {
		var now unix.Rlimit
		if err := unix.Prlimit(0, l.Resource, nil, &now); err != nil {
			return fmt.Errorf("read the limit on %s: %w", l.What, err)
		}
		value := min(l.Value, now.Max)
		limits[i] = unix.Rlimit{Cur: value, Max: value}
	}
	return nil
}

// work becomes a worker: this process goes on, with all its threads confined.
func (o *insideOrder) work() error {
	worker := workerNamed(o.Worker)
	if worker == nil {
		return fmt.Errorf("there is no worker %q; was it given to sandbox.Init?", o.Worker)
	}
	os.Clearenv()
	limits := make([]unix.Rlimit, len(o.Limits))
	if err := o.readLimits(limits); err != nil {
		return err
	}
	if err := o.Rules.restrictProcess(); err != nil {
		return err
	}
	if err := filterProcess(o.Filter); err != nil {
		return err
	}
	for i, l := range o.Limits {
		if err := unix.Prlimit(0, l.Resource, &limits[i], nil); err != nil {
			return fmt.Errorf("set the limit on %s: %w", l.What, err)
		}
	}
	if err := note(noteReady); err != nil {
		return err
	}
	_ = unix.Close(fdNotes)
	runtime.UnlockOSThread()
	worker.run(os.NewFile(fdThird, "socket"), o.Memory)
	return nil // not reached
}
